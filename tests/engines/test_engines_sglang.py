"""SGLang: the chat that tells no time, counters when alone, and the stamps of `/generate`."""

import re

import pytest

from tests.engines.seen import MS, end_ns, how, lengths, records_of, run
from tui.domain.events import Event, Failed, Finish, Generated, Learned, Timings
from tui.domain.wire import Poll
from tui.engines.base import Plan, Turn
from tui.engines.registry import adapter
from tui.engines.sglang import SglangTongue

CHAT = "sglang-authored/01-chat-cache-report"
BEFORE = """# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{tp_rank="0"} 0.0
sglang:num_queue_reqs{tp_rank="0"} 0.0
sglang:queue_time_seconds_sum{tp_rank="0"} 2.5
sglang:queue_time_seconds_count{tp_rank="0"} 4.0
sglang:queue_time_seconds_bucket{le="0.1",tp_rank="0"} 4.0
sglang:per_stage_req_latency_seconds_sum{stage="prefill_forward",tp_rank="0"} 1.0
sglang:per_stage_req_latency_seconds_count{stage="prefill_forward",tp_rank="0"} 4.0
sglang:per_stage_req_latency_seconds_sum{stage="decode_forward",tp_rank="0"} 7.0
sglang:per_stage_req_latency_seconds_count{stage="decode_forward",tp_rank="0"} 4.0
sglang:time_to_first_token_seconds_sum{model_name="m"} 4.0
sglang:time_to_first_token_seconds_count{model_name="m"} 4.0
sglang:prompt_tokens_total{model_name="m"} 100.0
sglang:generation_tokens_total{model_name="m"} 50.0
"""
AFTER = {
    "queue_time_seconds_sum": 2.5012,
    "queue_time_seconds_count": 5,
    'per_stage_req_latency_seconds_sum{stage="prefill_forward"': 1.0402,
    'per_stage_req_latency_seconds_count{stage="prefill_forward"': 5,
    'per_stage_req_latency_seconds_sum{stage="decode_forward"': 9.0,
    'per_stage_req_latency_seconds_count{stage="decode_forward"': 13,
    "time_to_first_token_seconds_sum": 4.046,
    "time_to_first_token_seconds_count": 5,
    "prompt_tokens_total": 141,
    "generation_tokens_total": 59,
}


def page(values: dict[str, float]) -> bytes:
    text = BEFORE
    for name, value in values.items():
        text, times = re.subn(rf"^(sglang:{re.escape(name)}.*) \S+$", rf"\1 {value}", text, flags=re.M)
        assert times == 1
    return text.encode()


def around(after: dict[str, float], before: bytes = BEFORE.encode()) -> list[Poll]:
    return [
        Poll(-3 * MS, "/metrics", 200, before),
        Poll(end_ns(CHAT), "/metrics", 200, page(after)),
    ]


def note_of(events: list[Event]) -> object:
    told = [event.conditions for event in events if isinstance(event, Learned)]
    return next((one["timings_note"] for one in told if "timings_note" in one), None)


def test_the_chat_alone_tells_no_time() -> None:
    view, _ = run(records_of(CHAT))
    assert not view.told_ns and lengths(view)["waiting"] == pytest.approx(51.2)
    assert (view.prompt_tokens, view.tokens, view.cached_tokens, view.reasoning_tokens) == (41, 9, 24, 0)
    assert view.finish_reason == "stop"


def test_counters_split_a_request_that_was_alone() -> None:
    view, events = run(records_of(CHAT, around(AFTER)))
    assert {phase: ns / MS for phase, ns in view.told_ns.items()} == pytest.approx(
        {"tokenize": 4.6, "queue": 1.2, "prefill": 40.2}
    )
    marks = how(view)
    assert (marks["tokenize"], marks["queue"], marks["prefill"]) == ("derived", "measured", "measured")
    assert marks["decode"] == "observed" and note_of(events) is None
    assert [phase.name for phase in view.phases[:2]] == ["tokenize", "queue"]


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"queue_time_seconds_count": 6}, "other requests ran meanwhile"),
        ({"queue_time_seconds_count": 4}, "not counted it yet"),
        ({"prompt_tokens_total": 142}, "other tokens"),
        ({"generation_tokens_total": 58}, "other tokens"),
        ({"queue_time_seconds_count": 1}, "began anew"),
        ({"queue_time_seconds_sum": 99.0}, "worked longer meanwhile than this request took"),
    ],
)
def test_growth_with_others_in_it_is_nobodys(changed: dict[str, float], why: str) -> None:
    view, events = run(records_of(CHAT, around(AFTER | changed)))
    assert why in str(note_of(events)) and not view.told_ns


def test_an_engine_that_was_busy_before_is_not_alone() -> None:
    for gauge in ("num_running_reqs", "num_queue_reqs"):
        _, events = run(records_of(CHAT, around(AFTER, page({gauge: 1}))))
        assert note_of(events) == "not attributable: other requests ran when this one was sent"


def test_a_prefill_that_was_done_twice_is_not_told() -> None:
    twice = {'per_stage_req_latency_seconds_count{stage="prefill_forward"': 6}
    view, _ = run(records_of(CHAT, around(AFTER | twice)))
    assert set(view.told_ns) == {"queue"}


def test_generate_tells_all_phases() -> None:
    view, events = run(records_of("sglang-authored/02-generate-metrics"))
    assert {phase: ns / MS for phase, ns in view.told_ns.items()} == pytest.approx(
        {"tokenize": 4.6, "queue": 1.2, "prefill": 40.2, "decode": 73.3}, abs=0.001
    )
    answer = [event.answer for event in events if isinstance(event, Generated)]
    assert answer == ["The", " Lo", "ire", " and", " the", " Rh", "ône", "."]
    assert (view.prompt_tokens, view.cached_tokens, view.tokens, view.finish_reason) == (41, 24, 9, "stop")


def piece(text: str, ids: int | None, running: int, **meta: object) -> dict[str, object]:
    body: dict[str, object] = {"text": text, "meta_info": {"completion_tokens": running, **meta}}
    return body if ids is None else body | {"output_ids": list(range(ids))}


@pytest.mark.parametrize(
    "pieces",
    [
        [("a", 1, 1), ("aa", 2, 2), ("aab", 3, 3)],  # cumulative
        [("a", 1, 1), ("a", 1, 2), ("b", 1, 3)],  # only what is new
        [("a", None, 1), ("aa", None, 2), ("aab", None, 3)],
    ],
)
def test_text_comes_whole_or_in_pieces(pieces: list[tuple[str, int | None, int]]) -> None:
    tongue = SglangTongue()
    events = [event for one in pieces for event in tongue.message(0, piece(*one), "")]
    assert [event.answer for event in events if isinstance(event, Generated)] == ["a", "a", "b"]


def test_a_character_that_is_not_whole_yet_is_waited_for() -> None:
    tongue = SglangTongue()
    told = [("Rh\ufffd", 1, 1), ("Rh\ufffd", 2, 2), ("Rhô", 3, 3), ("Rhône", 4, 4)]
    events = [event for one in told for event in tongue.message(0, piece(*one), "")]
    assert [event.answer for event in events if isinstance(event, Generated)] == ["Rh", "ô", "ne"]


def test_without_metrics_generate_tells_no_time() -> None:
    end = piece("a", 1, 1, finish_reason={"type": "length", "length": 1}, e2e_latency=0.1)
    events = SglangTongue().message(0, end, "")
    assert Finish(0, "length") in events
    assert not [event for event in events if isinstance(event, Timings)]


def test_an_abort_with_words_is_a_failure() -> None:
    reason = {"type": "abort", "message": "out of memory", "status_code": 500}
    (failed,) = SglangTongue().message(0, piece("", 0, 0, finish_reason=reason), "")
    assert isinstance(failed, Failed) and "out of memory" in failed.message
    assert Finish(0, "abort") in SglangTongue().message(
        0, piece("", 0, 0, finish_reason={"type": "abort"}), ""
    )
    chat = {"choices": [{"index": 0, "delta": {}, "finish_reason": "abort"}]}
    assert SglangTongue().message(0, chat, "") == [Finish(0, "abort")]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("03-error-context", "http_error"),
        ("04-error-return-token-ids", "http_error"),
        ("05-error-midstream", "engine_error"),
    ],
)
def test_errors_have_their_kind(name: str, kind: str) -> None:
    view, _ = run(records_of(f"sglang-authored/{name}"))
    assert view.failure is not None and view.failure.kind.value == kind


def test_nothing_is_sent_that_a_stream_refuses() -> None:
    sglang = adapter("sglang")
    body = sglang.request(Plan("m", (Turn("user", "u"),), max_tokens=4)).body
    assert set(body) == {"model", "messages", "stream", "stream_options", "max_tokens"}
    assert [(look.path, look.when) for look in sglang.looks] == [
        ("/metrics", "before"),
        ("/metrics", "after"),
    ]
    kept = sglang.looks[0].keep
    lines = [line for line in BEFORE.splitlines() if line.startswith(kept)]
    assert len(lines) == BEFORE.count("\n") - 2  # all but the comment and the bucket
