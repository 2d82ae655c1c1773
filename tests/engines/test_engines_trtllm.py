"""TensorRT-LLM: its record of the request, told from the records of others."""

import json
from typing import Any

import pytest

from tests.engines.seen import CAPTURES, MS, end_ns, how, lengths, records_of, run
from tui.domain.events import Event, FirstSign, Generated, Learned, Timings
from tui.domain.wire import Poll
from tui.engines.base import Look, Plan, Turn
from tui.engines.registry import adapter
from tui.engines.trtllm import TrtLlmTongue

ONE = "tensorrt-llm-authored/01-chat-short"


def body_of(name: str) -> str:
    lines = (CAPTURES / "tensorrt-llm-authored" / f"{name}.jsonl").read_text().splitlines()
    body = json.loads(lines[1])["b"]
    assert isinstance(body, str)
    return body


def with_records(body: str, name: str = ONE) -> list[Any]:
    return list(records_of(name, [Poll(end_ns(name), "/perf_metrics", 200, body.encode())]))


def note_of(events: list[Event]) -> object:
    told = [event.conditions for event in events if isinstance(event, Learned)]
    return next((one["timings_note"] for one in told if "timings_note" in one), None)


def test_its_record_splits_the_request() -> None:
    view, events = run(with_records(body_of("02-perf-metrics-one")))
    told = {phase: ns / MS for phase, ns in view.told_ns.items()}
    assert told == pytest.approx({"tokenize": 3.1, "queue": 0.4, "prefill": 25.1, "decode": 64.8}, abs=0.01)
    assert {phase: how(view)[phase] for phase in told} == dict.fromkeys(told, "measured")
    assert {phase: lengths(view)[phase] for phase in told} == pytest.approx(told, abs=0.01)
    assert note_of(events) is None and view.cached_tokens == 0


def test_without_records_head_to_first_chunk_is_one_wait() -> None:
    view, events = run(with_records("[]"))
    assert how(view)["waiting"] == how(view)["tokenize"] == "observed" and not view.told_ns
    assert "keeps no records" in str(note_of(events))


def test_of_two_records_ours_is_found_by_its_number() -> None:
    tongue = TrtLlmTongue()
    for chunk in chunks("chatcmpl-18", "chatcmpl-18"):
        tongue.message(2_000 * MS, chunk, "")
    (timings,) = tongue.poll(Poll(2_100 * MS, "/perf_metrics", 200, body_of("04-perf-metrics-two").encode()))
    assert isinstance(timings, Timings)
    assert (timings.queue_ns, timings.prompt_ns) == (1_200 * MS, 25_100_000)


def chunks(*names: str) -> list[dict[str, object]]:
    usage = {"prompt_tokens": 41, "completion_tokens": 9}
    end: dict[str, object] = {
        "choices": [{"index": 0, "delta": {"content": "x"}, "finish_reason": "stop"}],
        "usage": usage,
    }
    return [{"id": name, **end} for name in names]


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("chatcmpl-77", "chatcmpl-77"), "none of the engine's records"),
        (("chatcmpl-18", "chatcmpl-19"), "other requests ended meanwhile"),  # a new id in each chunk
        (("chatcmpl-" + "0" * 30 + "18",) * 2, "other requests ended meanwhile"),
        (("chatcmpl-abc",) * 2, "other requests ended meanwhile"),
    ],
)
def test_of_two_records_none_is_taken_by_guess(names: tuple[str, ...], why: str) -> None:
    tongue = TrtLlmTongue()
    for chunk in chunks(*names):
        tongue.message(2_000 * MS, chunk, "")
    events = tongue.poll(Poll(9, "/perf_metrics", 200, body_of("04-perf-metrics-two").encode()))
    assert why in str(note_of(events))


def test_a_record_that_does_not_fit_is_anothers() -> None:
    record = json.loads(body_of("02-perf-metrics-one"))
    record[0]["request_id"] = "x"
    tongue = TrtLlmTongue()
    tongue.message(100 * MS, chunks("chatcmpl-abc")[0] | {"usage": {"prompt_tokens": 257}}, "")
    told = tongue.poll(Poll(9, "/perf_metrics", 200, json.dumps(record).encode()))
    assert "of another request" in str(note_of(told))  # 2 blocks can't hold 257 tokens
    stamps = record[0]["perf_metrics"]["timing_metrics"]
    stamps["last_token_time"] += 5  # longer than our whole request
    other = TrtLlmTongue()
    other.message(100 * MS, chunks("chatcmpl-abc")[0], "")
    assert "of another request" in str(
        note_of(other.poll(Poll(9, "/perf_metrics", 200, json.dumps(record).encode())))
    )


def test_a_stamp_that_is_missing_is_not_told() -> None:
    record = json.loads(body_of("02-perf-metrics-one"))
    stamps = record[0]["perf_metrics"]["timing_metrics"]
    stamps["first_scheduled_time"] = 0
    del stamps["server_arrival_time"]
    view, _ = run(with_records(json.dumps(record)))
    assert {phase: ns / MS for phase, ns in view.told_ns.items()} == pytest.approx({"decode": 64.8}, abs=0.01)


@pytest.mark.parametrize("body", ["", "{}", "[1, null]", '[{"perf_metrics": []}]', '[{"ctx_server": 1}]'])
def test_odd_records_give_a_note_and_no_number(body: str) -> None:
    view, events = run(with_records(body))
    assert not view.told_ns and str(note_of(events)).startswith("not attributable")


def test_records_before_the_end_are_passed_over() -> None:
    poll = Poll(1, "/perf_metrics", 200, body_of("02-perf-metrics-one").encode())
    assert TrtLlmTongue().poll(poll) == []


def test_the_count_shows_a_token_without_text() -> None:
    tongue = TrtLlmTongue()
    role = {"choices": [{"index": 0, "delta": {"role": "assistant"}}], "usage": {"completion_tokens": 0}}
    assert not [event for event in tongue.message(1, role, "") if isinstance(event, FirstSign)]
    empty = {"choices": [{"index": 0, "delta": {"content": ""}}], "usage": {"completion_tokens": 1}}
    assert isinstance(tongue.message(2, empty, "")[0], FirstSign)


def test_each_chunk_has_the_running_count() -> None:
    view, events = run(with_records("[]"))
    assert [event.count for event in events if isinstance(event, Generated)] == list(range(1, 9))
    assert (view.prompt_tokens, view.tokens) == (41, 9)


@pytest.mark.parametrize("name", ["06-error-unknown-field", "07-error-bad-request"])
def test_refusals_are_in_the_engines_words(name: str) -> None:
    view, _ = run(records_of(f"tensorrt-llm-authored/{name}"))
    assert view.failure is not None and view.failure.kind.value == "http_error"
    assert "return_token_ids" in view.failure.message or "exceeds the limit" in view.failure.message


def test_only_known_fields_are_sent_and_the_records_read_once() -> None:
    trtllm = adapter("trtllm")
    plan = Plan("m", (Turn("user", "u"),), max_tokens=4, temperature=0.5, seed=1, ignore_eos=True)
    assert set(trtllm.request(plan).body) == {
        "model", "messages", "stream", "stream_options", "max_tokens", "temperature", "seed", "ignore_eos",
    }  # fmt: skip
    assert trtllm.looks == (Look("/perf_metrics", "after", (0.02, 0.05, 0.1, 0.2), empty="[]"),)
    assert not trtllm.watches and adapter("tensorrt-llm") is trtllm
