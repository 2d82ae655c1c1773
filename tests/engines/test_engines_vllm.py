"""vLLM: its captures split as its own counters say, and nothing split that is not ours."""

import json
import re

import pytest

from tests.engines.answering import drive
from tests.engines.seen import CAPTURES, MS, end_ns, how, lengths, records_of, rows_of, run
from tui.capture.recording import read
from tui.domain.events import Event, FirstSign, Learned, Progress, SlotsSeen, Timings
from tui.domain.wire import Meta, Note, Poll
from tui.engines import vllm_metrics
from tui.engines.asking import Answer, Ask
from tui.engines.base import Plan, Turn
from tui.engines.registry import adapter
from tui.engines.vllm import VllmTongue, prompt_counts

BEFORE, LIVE, AFTER = (
    of("/metrics")
    for of in (vllm_metrics.before_path, vllm_metrics.live_path, vllm_metrics.after_path)
)  # fmt: skip
TURNS = (Turn("user", "u"),)
_SHORT = {
    "running": "num_requests_running",
    "waiting": "num_requests_waiting",
    "kv_usage": "kv_cache_usage_perc",
    "prefix_queries": "prefix_cache_queries_total",
    "prefix_hits": "prefix_cache_hits_total",
    "ttft_count": "time_to_first_token_seconds_count",
    "queue_count": "request_queue_time_seconds_count",
    "queue_sum": "request_queue_time_seconds_sum",
    "prefill_sum": "request_prefill_time_seconds_sum",
    "decode_sum": "request_decode_time_seconds_sum",
}  # fmt: skip


def text_of(name: str, when: str) -> str:
    return (CAPTURES / "vllm" / f"{name}.metrics-{when}.txt").read_text()


def around(
    name: str, before: str | None = None, after: str | None = None, path: str = "/metrics"
) -> list[Poll]:
    """The pages before and after a capture."""
    pages = before or text_of(name, "before"), after or text_of(name, "after")
    at_ns = end_ns(f"vllm/{name}")
    return [Poll(-5 * MS, path, 200, pages[0].encode()), Poll(at_ns, path, 200, pages[1].encode())]


def row(values: dict[str, float]) -> bytes:
    """A page with the polled series."""
    cache = re.search(r"^vllm:cache_config_info\{.*", text_of("metrics-one-short", "before"), re.M)
    assert cache is not None
    lines = [f'vllm:{_SHORT.get(key, key)}{{engine="0"}} {value}' for key, value in values.items()]
    return "\n".join([cache.group(), *lines, ""]).encode()


def during(name: str) -> list[Poll]:
    """What was polled beside a capture: the last page from before it, then those while it ran."""
    rows = rows_of(f"vllm/{name}")
    first = [one for one in rows if one["t"] < 0][-1]
    return [
        Poll(round(first["t"] * 1e9), BEFORE, 200, row(first)),
        *(Poll(round(one["t"] * 1e9), LIVE, 200, row(one)) for one in rows if one["t"] >= 0),
    ]


def note_of(events: list[Event]) -> object:
    told = [event.conditions for event in events if isinstance(event, Learned)]
    return next((one["timings_note"] for one in told if "timings_note" in one), None)


@pytest.mark.parametrize(
    ("name", "queue", "prefill", "decode", "cached"),
    [
        ("metrics-one-short", 0.03, 64.25, 962.19, 0),
        ("metrics-one-long-cold", 0.03, 5699.26, 292.2, 0),
        ("metrics-one-long-warm", 0.02, 420.09, 524.49, 2048),
    ],
)
def test_counters_split_a_request_that_was_alone(
    name: str, queue: float, prefill: float, decode: float, cached: int
) -> None:
    view, events = run(records_of(f"vllm/{name}", around(name)))
    told = {phase: ns / MS for phase, ns in view.told_ns.items()}
    assert told == pytest.approx({"queue": queue, "prefill": prefill, "decode": decode}, abs=0.01)
    shown = lengths(view)
    assert {phase: shown[phase] for phase in told} == pytest.approx(told, abs=0.01)
    assert (how(view)["queue"], how(view)["prefill"], how(view)["decode"]) == ("measured",) * 3
    assert how(view)["tokenize"] == "observed"
    assert view.cached_tokens == cached and note_of(events) is None
    assert sum(shown.values()) - shown.get("connect", 0) == pytest.approx((view.total_ns or 0) / MS)


def test_the_client_alone_tells_queue_and_prefill_as_one() -> None:
    view, _ = run(records_of("vllm/metrics-one-short"))
    assert how(view)["waiting"] == "observed" and lengths(view)["waiting"] == pytest.approx(69.27, abs=0.01)
    assert not view.told_ns and view.cached_tokens is None


def test_two_at_once_are_not_attributable() -> None:
    view, events = run(records_of("vllm/metrics-two-at-once", around("metrics-two-at-once")))
    assert note_of(events) == "not attributable: other requests ran meanwhile"
    assert not view.told_ns and "prefill" not in lengths(view)


def changed(text: str, name: str, by: float, labels: str = "") -> str:
    """The page with one counter larger."""

    def larger(found: re.Match[str]) -> str:
        return f"{found.group(1)} {float(found.group(2)) + by}"

    new, times = re.subn(rf"^({re.escape(name)}\{{[^}}]*{labels}[^}}]*\}}) (\S+)$", larger, text, flags=re.M)
    assert times >= 1
    return new


@pytest.mark.parametrize(
    ("which", "name", "by", "labels"),
    [
        ("before", "vllm:num_requests_running", 1, ""),
        ("before", "vllm:num_requests_waiting", 1, ""),
        ("after", "vllm:request_queue_time_seconds_count", 1, ""),
        ("after", "vllm:time_to_first_token_seconds_count", 1, ""),  # one that was given up in decode
        ("after", "vllm:prompt_tokens_total", 5, ""),  # one that was given up before its first token
        ("after", "vllm:generation_tokens_total", 1, ""),
        ("after", "http_requests_total", 1, "/v1/chat/completions"),
        ("after", "http_requests_total", 1, 'handler="/v1/completions"'),
        ("before", "vllm:request_queue_time_seconds_count", 9, ""),  # began anew in between
    ],
)
def test_any_trace_of_others_makes_the_growth_nobodys(which: str, name: str, by: float, labels: str) -> None:
    one = "metrics-one-short"
    page = changed(text_of(one, which), name, by, labels)
    view, events = run(records_of(f"vllm/{one}", around(one, **{which: page})))
    assert str(note_of(events)).startswith("not attributable: ")
    assert not view.told_ns


def test_other_routes_do_not_matter() -> None:
    one = "metrics-one-short"
    page = changed(text_of(one, "after"), "http_requests_total", 3, "/tokenize")
    view, _ = run(records_of(f"vllm/{one}", around(one, after=page)))
    assert set(view.told_ns) == {"queue", "prefill", "decode"}


def test_engines_behind_one_server_are_summed() -> None:
    one = "metrics-one-short"
    pages = {when: text_of(one, when) for when in ("before", "after")}
    other = re.sub(r'engine="0"', 'engine="1"', pages["before"])  # a second engine that did nothing
    both = {when: page + "\n" + re.sub(r"^http_.*$", "", other, flags=re.M) for when, page in pages.items()}
    view, _ = run(records_of(f"vllm/{one}", around(one, **both)))
    assert view.told_ns["prefill"] / MS == pytest.approx(64.25, abs=0.01)


def test_older_names_of_the_prefix_cache_are_known() -> None:
    one = "metrics-one-long-warm"
    old = {
        when: text_of(one, when).replace("vllm:prefix_cache_", "vllm:gpu_prefix_cache_")
        for when in ("before", "after")
    }
    assert run(records_of(f"vllm/{one}", around(one, **old)))[0].cached_tokens == 2048


def test_a_server_without_counters_is_said_to_have_none() -> None:
    off = (CAPTURES / "vllm" / "log-stats-off.metrics.txt").read_text()
    _, events = run(records_of("vllm/log-stats-off", around("log-stats-off", off, off)))
    assert note_of(events) == "not attributable: the engine shows no counters"


def test_an_empty_page_is_no_idle_engine() -> None:
    """A filter by name leaves a page of several processes empty."""
    _, events = run(records_of("vllm/metrics-one-short", around("metrics-one-short", "\n", "\n")))
    assert note_of(events) == "not attributable: the engine shows no counters"


@pytest.mark.parametrize(
    ("name", "queue", "prefill", "decode"),
    [("queue-second", 1194.52, 162.23, 821.63), ("prefill-chunked-poll", 0.02, 5523.72, 557.34)],
)
def test_its_own_durations_come_before_its_counters(
    name: str, queue: float, prefill: float, decode: float
) -> None:
    polls = [*during(name), Poll(end_ns(f"vllm/{name}"), AFTER, 200, b"vllm:other 1\n")]
    view, events = run(records_of(f"vllm/{name}", polls))
    assert {phase: ns / MS for phase, ns in view.told_ns.items()} == pytest.approx(
        {"queue": queue, "prefill": prefill, "decode": decode}, abs=0.01
    )
    assert note_of(events) is None


def test_others_that_hold_the_engine_are_seen_while_we_wait() -> None:
    _, events = run(records_of("vllm/queue-second", during("queue-second")))
    seen = [event for event in events if isinstance(event, SlotsSeen)]
    assert [(one.busy, one.total) for one in seen] == [(0, 1), *[(1, 1)] * 12]
    assert 1.24e9 < seen[-1].at_ns < 1.25e9  # the queue ended at 1.25 s
    assert not [event for event in events if isinstance(event, Progress)]


def test_a_busy_engine_shows_queue_so_long_as_it_was_seen() -> None:
    records = [
        Meta({"engine": "vllm", "request": {"path": "/v1/chat/completions"}}),
        Note(10 * MS, "head", {"status": 200, "headers": []}),
    ]
    held = {"running": 4, "waiting": 1}
    polls = [
        Poll(-MS, BEFORE, 200, row({"running": 4, "waiting": 0})),
        Poll(200 * MS, LIVE, 200, row(held)),
        Poll(400 * MS, LIVE, 200, row(held)),
    ]
    queued, _ = run([records[0], polls[0], records[1], *polls[1:]])
    assert (lengths(queued)["queue"], how(queued)["queue"]) == (390, "estimated")
    free = Poll(600 * MS, LIVE, 200, row({"running": 4, "waiting": 0}))
    view, _ = run([records[0], polls[0], records[1], *polls[1:], free])
    assert (lengths(view)["queue"], lengths(view)["waiting"]) == (390, 200)


def test_our_own_request_in_the_queue_is_no_other() -> None:
    tongue = VllmTongue()
    assert tongue.poll(Poll(-1, BEFORE, 200, row({"running": 0, "waiting": 0}))) == []
    assert tongue.poll(Poll(5, LIVE, 200, row({"running": 1, "waiting": 1}))) == []
    assert VllmTongue().poll(Poll(5, LIVE, 200, row({"running": 1, "waiting": 1}))) == []


@pytest.mark.parametrize(
    ("name", "tokens", "steps"),
    [
        ("prefill-chunked-poll", 2087, [512, 1024, 1536, 2048]),
        ("poll20-long-cold", 2083, [2048]),
    ],
)
def test_the_kv_cache_shows_how_far_the_prompt_is(name: str, tokens: int, steps: list[int]) -> None:
    view, events = run(records_of(f"vllm/{name}", during(name), prompt_tokens_counted=tokens))
    told = [event for event in events if isinstance(event, Progress)]
    assert all(one.estimated and one.total == tokens and one.engine_ns is None for one in told)
    assert sorted({one.processed for one in told}) == steps
    assert [report.processed for report in view.reports] == steps


def test_without_the_prompts_length_there_is_no_progress() -> None:
    _, events = run(records_of("vllm/prefill-chunked-poll", during("prefill-chunked-poll")))
    assert not [event for event in events if isinstance(event, Progress)]


@pytest.mark.parametrize(
    "odd",
    [
        {"running": 2, "waiting": 0, "kv_usage": 0.011019283746556474},  # somebody came
        {"running": 1, "waiting": 1, "kv_usage": 0.011019283746556474},
        {"running": 1, "waiting": 0, "kv_usage": 0.9},  # holds more than the prompt
        {"running": 1, "waiting": 0, "kv_usage": 0.0},
        {"running": 1, "waiting": 0},
    ],
)
def test_a_cache_that_is_not_ours_alone_is_no_progress(odd: dict[str, float]) -> None:
    tongue = VllmTongue()
    tongue.begin({"conditions": {"prompt_tokens_counted": 2087}})
    tongue.poll(Poll(-1, BEFORE, 200, row({"running": 0, "waiting": 0, "kv_usage": 0.0})))
    assert tongue.poll(Poll(5, LIVE, 200, row(odd))) == []


def test_the_hidden_thinking_is_not_prefill() -> None:
    _, events = run(records_of("vllm/reasoning-hidden"))
    (sign,) = [event for event in events if isinstance(event, FirstSign)]
    assert sign.at_ns / MS == pytest.approx(127, abs=1)


def test_a_closing_mark_is_counted_though_no_chunk_brings_it() -> None:
    view, _ = run(records_of("vllm/reasoning"))
    assert view.reasoning.length and view.answer.length and (view.tokens or 0) > view.chunks


def test_metrics_split_the_time() -> None:
    tongue = VllmTongue()
    usage = {"prompt_tokens": 40, "completion_tokens": 9, "prompt_tokens_details": {"cached_tokens": 16}}
    metrics = {"queue_time_ms": 2.0, "time_to_first_token_ms": 30.0, "generation_time_ms": 80.5}
    (_, timings) = tongue.message(0, {"choices": [], "usage": usage, "metrics": metrics}, "")
    assert timings == Timings(
        0,
        prompt_n=24,
        cached_n=16,
        prompt_ns=30 * MS,
        predicted_n=9,
        predicted_ns=80_500_000,
        queue_ns=2 * MS,
        final=True,
    )


def test_counts_behind_the_metrics_belong_to_them() -> None:
    tongue = VllmTongue()
    running = {"prompt_tokens": 40, "completion_tokens": 8}
    tongue.message(0, {"choices": [{"index": 0, "delta": {"content": "a"}}], "usage": running}, "")
    metrics = {"time_to_first_token_ms": 30.0, "generation_time_ms": 80.0}
    (early,) = tongue.message(1, {"choices": [], "metrics": metrics}, "")
    (_, late) = tongue.message(2, {"choices": [], "usage": running | {"completion_tokens": 9}}, "")
    assert isinstance(early, Timings) and isinstance(late, Timings)
    assert (early.predicted_n, late.predicted_n) == (8, 9)
    assert (late.predicted_ns, late.prompt_ns) == (80 * MS, 30 * MS)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("error-401-no-key", "auth"),
        ("error-401-wrong-key", "auth"),
        ("error-wrong-model", "not_found"),
        ("error-context-overflow", "http_error"),
        ("error-bad-type", "http_error"),
        ("error-unknown-path", "not_found"),
        ("server-enginecore-killed", "engine_error"),
    ],
)
def test_errors_have_their_kind(name: str, kind: str) -> None:
    view, _ = run(records_of(f"vllm/{name}"))
    assert view.failure is not None and view.failure.kind.value == kind
    assert not view.complete and not view.told_ns


@pytest.mark.parametrize("name", ["nonstream-short", "flags-nonstream"])
def test_a_head_that_comes_with_the_whole_reply_tells_no_tokenizing(name: str) -> None:
    view, _ = run(records_of(f"vllm/{name}"))
    assert "tokenize" not in lengths(view)


def test_it_is_asked_for_a_running_count_and_a_few_series_only() -> None:
    vllm = adapter("vllm")
    assert vllm.request(Plan("m", TURNS)).body["stream_options"] == {
        "include_usage": True,
        "continuous_usage_stats": True,
    }
    assert [(watch.path, watch.every_s, watch.until) for watch in vllm.watches] == [(LIVE, 0.2, "first")]
    assert [(one.path, one.when) for one in vllm.looks] == [(BEFORE, "before"), (AFTER, "after")]
    assert all(path.startswith("/metrics/?name[]=vllm:") for path in (BEFORE, LIVE, AFTER))
    assert not vllm.can_switch_reuse_off


def test_it_counts_tokens() -> None:
    asked: list[Ask] = []

    def answer(ask: Ask) -> Answer:
        asked.append(ask)
        return Answer(200, body=json.dumps({"count": 35, "max_model_len": 4096}).encode())

    assert drive(prompt_counts("m", [TURNS, TURNS]), answer) == [35, 35]
    assert asked[0].path == "/tokenize"
    assert asked[0].body == {"model": "m", "messages": [{"role": "user", "content": "u"}]}
    assert drive(prompt_counts("m", [TURNS]), lambda ask: Answer(404, body=b'{"detail":"Not Found"}')) is None


def test_a_head_that_was_held_back_on_its_way_tells_no_tokenizing() -> None:
    """Something in front of the engine hands on the head with the first bytes of the body, at 6 s."""
    case = CAPTURES.parent / "cases" / "no_engine_timings_wait_is_unnamed.jsonl"
    view, _ = run(list(read(case).records))
    assert [phase.name for phase in view.phases] == ["waiting", "decode", "finish"]
