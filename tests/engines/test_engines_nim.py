"""NIM: the `stats` of 1.x, and 2.x as the engine inside it."""

import pytest

from tests.engines.seen import MS, how, lengths, records_of, run
from tui.domain.events import Timings, Usage
from tui.engines.base import Plan, Turn
from tui.engines.nim import NimTongue, timings_of
from tui.engines.registry import adapter

STATS: dict[str, object] = {
    "type": "NIM LLM Model Stats",
    "llm_input_token_length": 41,
    "llm_output_token_length": 9,
    "generation_time_in_ms": 206.0,
    "response_tokens": {"time_to_first_token_in_ms": 110.0, "token_to_token_time_in_ms": 12.0},
}


def test_stats_split_the_request() -> None:
    view, _ = run(records_of("nim-authored/01-chat-stats"))
    assert {phase: ns / MS for phase, ns in view.told_ns.items()} == pytest.approx(
        {"queue": 6.5, "prefill": 110.0, "decode": 96.0}
    )
    marks = how(view)
    assert (marks["queue"], marks["prefill"], marks["decode"]) == ("measured", "measured", "derived")
    (source,) = [phase.source for phase in view.phases if phase.name == "decode"]
    assert "mean time between tokens" in source
    assert view.decode_engine.provenance.value == "derived"
    assert (view.tokens, view.prompt_tokens, view.cached_tokens) == (9, 41, None)
    assert not view.prefill.reliable  # some of the prompt may have been reused


def test_a_queue_that_is_not_told_is_none() -> None:
    view, _ = run(records_of("nim-authored/02-chat-stats-trtllm"))
    assert set(view.told_ns) == {"prefill", "decode"} and "queue" not in lengths(view)


def test_without_stats_the_wait_is_one() -> None:
    view, _ = run(records_of("nim-authored/03-chat-plain"))
    assert not view.told_ns and lengths(view)["waiting"] == pytest.approx(121.0)


@pytest.mark.parametrize(
    ("work", "first", "gap", "decode", "how_told"),
    [
        (206.0, 110.0, 12.0, 96.0, "mean time between tokens"),
        (200.0, 110.0, 12.0, 96.0, "mean time between tokens"),  # 90 and 96: near enough
        (190.0, 110.0, 12.0, None, ""),  # 80 and 96: one of them is wrong
        (206.0, 110.0, None, 96.0, "generation time minus"),
        (None, 110.0, 12.0, 96.0, "mean time between tokens"),
        (100.0, 110.0, None, None, ""),
        (None, None, None, None, ""),
    ],
)
def test_decode_is_derived_where_its_figures_agree(
    work: float | None, first: float | None, gap: float | None, decode: float | None, how_told: str
) -> None:
    answer = {"time_to_first_token_in_ms": first, "token_to_token_time_in_ms": gap}
    timings = timings_of(0, STATS | {"generation_time_in_ms": work, "response_tokens": answer}, None)
    assert timings.predicted_ns == (None if decode is None else round(decode * MS))
    assert how_told in timings.derived.get("decode", "") and bool(timings.derived) == (decode is not None)


def test_only_its_own_stats_are_read() -> None:
    chunk = {"choices": [], "stats": STATS | {"type": "something else"}}
    assert NimTongue().message(0, chunk, "") == []
    assert NimTongue().message(0, {"choices": [], "stats": {"tokens_per_second": 3}}, "") == []


def test_its_counts_stand_in_for_a_missing_usage() -> None:
    usage, timings = NimTongue().message(0, {"choices": [], "stats": STATS}, "")
    assert usage == Usage(0, 41, 9) and isinstance(timings, Timings)
    told = {"choices": [], "stats": STATS, "usage": {"prompt_tokens": 40, "completion_tokens": 8}}
    assert [event for event in NimTongue().message(0, told, "") if isinstance(event, Usage)] == [
        Usage(0, 40, 8)
    ]


def test_the_second_generation_speaks_as_its_engine() -> None:
    vllm, sglang = adapter("nim-vllm"), adapter("nim-sglang")
    assert (vllm.dialect.name, sglang.dialect.name) == ("vllm", "sglang")
    assert {look.path.split("?")[0] for look in vllm.looks} == {"/v1/metrics/"}
    assert {watch.path.split("?")[0] for watch in vllm.watches} == {"/v1/metrics/"}
    assert {look.path for look in sglang.looks} == {"/v1/metrics"}
    assert not adapter("nim").looks and adapter("nim").dialect.name == "nim"
    assert set(adapter("nim").request(Plan("m", (Turn("user", "u"),))).body) == {
        "model",
        "messages",
        "stream",
        "stream_options",
    }
