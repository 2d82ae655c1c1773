"""The reducer: what a request leaves in its View, event by event."""

import pytest

from tui.domain import events as ev
from tui.domain.look import look
from tui.domain.machine import Reading
from tui.domain.reduce import reduce
from tui.domain.shape import ModelShape
from tui.domain.state import State
from tui.domain.values import Provenance
from tui.domain.view import Stage, View

MS = 1_000_000
LLAMA = ev.Dialect("llama.cpp", tokenizes_first=True, names_wait=True)
SENT = [ev.Began(0, LLAMA), ev.Connecting(-2 * MS), ev.Connected(-1 * MS, False), ev.SentAll(1 * MS)]


def after(*events: ev.Event, now: int | None = None) -> View:
    state = State()
    for event in events:
        reduce(state, event)
    return look(state, now)


def token(at_ms: int, count: int | None = None, text: str = "x", texts: int = 1) -> list[ev.Event]:
    at = at_ms * MS
    return [ev.Arrived(at, None, None, False, texts, texts), ev.Generated(at, text, count=count)]


def answer(*arrivals_ms: int) -> list[ev.Event]:
    return [e for n, at in enumerate(arrivals_ms, 1) for e in token(at, n)]


def test_a_request_waits_from_its_first_byte_on_though_nothing_tells_when_all_of_it_was_sent() -> None:
    silent = [ev.Began(0, LLAMA), ev.Sent(0)]
    view = after(*silent, now=300 * MS)
    assert (view.stage, view.since_sent.number) == (Stage.WAITING, 0.3)
    assert [(p.name, p.duration_ns, p.running) for p in view.phases] == [("waiting", 300 * MS, True)]
    ended = after(*silent, ev.Ended(300 * MS, "error", "no route"))
    assert (ended.stage, ended.total_ns, ended.phases) == (Stage.FAILED, None, ())


def test_stages_follow_the_request() -> None:
    head, report = ev.Head(5 * MS, 200), ev.Progress(5 * MS, 100, 0, 0, 0)
    assert after().stage is Stage.EMPTY
    assert after(*SENT[:2]).stage is Stage.CONNECTING
    assert after(*SENT).stage is Stage.WAITING
    assert after(*SENT, head, report).stage is Stage.PREFILL
    assert after(*SENT, head, report, *answer(50, 60)).stage is Stage.DECODING
    assert after(*SENT, head, *answer(50, 60, 70), now=400 * MS).stage is Stage.STALLED
    assert after(*SENT, *answer(50), ev.Finish(51 * MS, "stop"), ev.Done(52 * MS)).stage is Stage.FINISHED
    assert after(*SENT, *answer(50), ev.Ended(60 * MS, "cancelled")).stage is Stage.CANCELLED
    assert after(*SENT, *answer(50), ev.Ended(60 * MS, "reset")).stage is Stage.FAILED


def test_running_rate_falls_while_nothing_comes() -> None:
    run = [*SENT, *answer(*range(100, 1100, 10))]
    busy, quiet = after(*run, now=1100 * MS), after(*run, now=1600 * MS)
    assert busy.decode_now.number == 99 / 1.0
    assert quiet.decode_now.number == 49.0
    assert quiet.decode_now.provenance is Provenance.OBSERVED


@pytest.mark.parametrize("now_ms", [50, 51, 100, 1_000, 1_049, 1_051, 9_000])
def test_one_token_has_no_pace_however_long_nothing_follows(now_ms: int) -> None:
    one = after(*SENT, *answer(50), now=now_ms * MS)
    assert (one.decode_now.number, one.decode_now.note) == (None, "only the first token came")
    two = after(*SENT, *answer(50, 60), now=9_000 * MS)
    assert two.decode_now.number == 0.0, "that nothing came in the last second was measured"


def test_chunks_are_not_tokens() -> None:
    run = [*SENT, *token(100), *token(200), *token(300), ev.Finish(300 * MS, "stop"), ev.Done(301 * MS)]
    view = after(*run)
    assert (view.tokens, view.chunks, view.decode.number) == (None, 3, None)
    assert "usage_missing" in view.warnings
    assert after(*run[:-2]).decode_now.number is None


def test_the_engine_count_beats_the_total_and_never_goes_back() -> None:
    run = [*SENT, *token(100, 4), *token(200, 8), ev.Usage(210 * MS, 10, 9), ev.Finish(210 * MS, "length")]
    view = after(*run, ev.Done(211 * MS))
    assert view.tokens == 9
    assert view.decode.number == 40.0  # (8 - 4) / 0.1 s, not (9 - 1)


def test_one_read_has_no_rate() -> None:
    lump = ev.Arrived(100 * MS, None, None, False, 7, 7)
    run = [lump, *[ev.Generated(100 * MS, "x", count=n) for n in range(1, 8)]]
    view = after(*SENT, *run, ev.Finish(100 * MS, "stop"), ev.Done(101 * MS))
    assert view.decode.number is None
    assert "buffered_delivery" in view.warnings
    assert view.track.reads == 1


def test_nothing_counts_after_the_end_mark() -> None:
    run = [*SENT, *answer(100, 110), ev.Finish(110 * MS, "stop"), ev.Done(111 * MS)]
    assert after(*run, *token(500, 3), ev.Usage(500 * MS, 1, 77)).tokens == after(*run).tokens


def test_a_poll_just_before_the_head_may_have_seen_our_own_request() -> None:
    early = [*SENT, ev.SlotsSeen(100 * MS, 1, 1), ev.Head(900 * MS, 200)]
    late = [*SENT, ev.SlotsSeen(895 * MS, 1, 1), ev.Head(900 * MS, 200)]
    assert after(*early).slots_busy
    assert not after(*late).slots_busy


def test_an_invisible_end_token_anchors_at_the_finish() -> None:
    run = [
        *SENT, *token(100, 1), ev.Timings(100 * MS, 10, 0, 90 * MS, 1, 1000),
        *token(120, 2), ev.Timings(120 * MS, 10, 0, 90 * MS, 2, 20 * MS),
        ev.Finish(140 * MS, "stop"), ev.Timings(140 * MS, 10, 0, 90 * MS, 3, 40 * MS, final=True),
        ev.Done(141 * MS),
    ]  # fmt: skip
    decode = after(*run).phase("decode")
    assert decode is not None
    assert (decode.start_ns, decode.end_ns) == (100 * MS, 140 * MS)


def test_broken_before_the_end_is_lost_and_after_it_only_unclean() -> None:
    lost = after(*SENT, *answer(100, 110), ev.Ended(120 * MS, "reset"))
    assert lost.failure is not None and lost.failure.kind is ev.ErrorKind.CONNECTION_LOST
    assert not lost.complete
    unclean = after(*SENT, *answer(100, 110), ev.Finish(110 * MS, "stop"), ev.Ended(120 * MS, "reset"))
    assert unclean.complete and "closed_uncleanly" in unclean.warnings


def test_the_view_of_a_moment_does_not_change_afterwards() -> None:
    state = State()
    for event in [*SENT, *answer(100, 110)]:
        reduce(state, event)
    before = look(state, 115 * MS)
    for event in token(120, 3, "more"):
        reduce(state, event)
    assert str(before.answer) == "xx"
    assert before.track.reads == 2
    assert str(look(state).answer) == "xxmore"


def test_an_implausible_engine_clock_is_told_and_not_used() -> None:
    timings = ev.Timings(110 * MS, 10, 0, 90 * MS, 2_000, 1000, final=True)
    view = after(*SENT, *answer(100, 110), ev.Finish(110 * MS, "stop"), timings, ev.Done(111 * MS))
    assert view.decode_engine.number is None
    assert "engine_timings_implausible" in view.warnings


def test_silence_before_a_break_is_decode_and_a_stall() -> None:
    run = [*SENT, *answer(*range(100, 300, 10))]
    view = after(*run, ev.Ended(60_000 * MS, "reset"))
    assert view.phases[-1].name == "decode" and view.phases[-1].end_ns == 60_000 * MS
    (stall,) = view.stalls
    assert stall.gap_ns == (60_000 - 290) * MS
    done = after(*run, ev.Finish(300 * MS, "stop"), ev.Ended(60_000 * MS, "reset"))
    assert done.phases[-1].name == "finish" and not done.stalls


def test_what_came_in_one_lump_has_a_doubtful_first_token() -> None:
    lump = ev.Arrived(900 * MS, None, None, False, 7, 7)
    run = [lump, *[ev.Generated(900 * MS, "x", count=n) for n in range(1, 8)]]
    assert not after(*SENT, *run, ev.Finish(900 * MS, "stop"), ev.Done(901 * MS)).ttft.reliable
    assert after(*SENT, *answer(100, 110)).ttft.reliable


def test_one_token_has_no_rate_and_the_right_reason() -> None:
    view = after(*SENT, *answer(100), ev.Finish(100 * MS, "length"), ev.Done(101 * MS))
    assert (view.decode.number, view.decode.note) == (None, "fewer than 2 tokens")


def test_stopped_after_the_finish_reason_is_complete() -> None:
    run = [*SENT, *answer(100, 110), ev.Finish(110 * MS, "stop"), ev.Ended(400 * MS, "cancelled")]
    assert after(*run).complete
    assert not after(*run[:-2], ev.Ended(400 * MS, "cancelled")).complete


def test_a_count_without_the_reused_tokens_does_not_prove_a_cut_prompt() -> None:
    asked = ev.Learned(0, {"prompt_chars": 9000, "context_length": 4096})
    end = [*answer(100, 110), ev.Finish(110 * MS, "stop")]
    unknown = ev.Timings(110 * MS, 60, None, 50 * MS, 2, 10 * MS, cached_unknown=True, final=True)
    warned = "prompt_truncated_suspected"
    assert (
        warned not in after(*SENT, asked, *end, unknown, ev.Usage(110 * MS, 60), ev.Done(111 * MS)).warnings
    )
    assert warned in after(*SENT, asked, *end, ev.Usage(110 * MS, 60), ev.Done(111 * MS)).warnings


def test_a_cut_leaves_hundreds_of_tokens() -> None:
    end = [*answer(100, 110), ev.Finish(110 * MS, "stop")]
    unsure = ev.Timings(110 * MS, 700, None, 50 * MS, 2, 10 * MS, cached_unknown=True, final=True)

    def warned(chars: int, prompt: int, window: int | None = None) -> bool:
        asked = ev.Learned(0, {"prompt_chars": chars} | ({"context_length": window} if window else {}))
        view = after(*SENT, asked, *end, unsure, ev.Usage(110 * MS, prompt), ev.Done(111 * MS))
        return "prompt_truncated_suspected" in view.warnings

    assert warned(19_000, 700) and warned(19_000, 2048, 2048)
    assert warned(13_000, 2050, 4096), "half of the window plus 2"
    assert not warned(13_000, 2050) and not warned(11_000, 2050, 4096)
    assert not warned(900, 3), "so little text fits everywhere"


def test_a_merged_read_is_one_of_the_reads() -> None:
    run = [*SENT, *token(100, 1), ev.Arrived(120 * MS, None, None, False, 3, 3)]
    run += [ev.Generated(120 * MS, "x", count=n) for n in (2, 3, 4)]
    assert after(*run).clock.merged_share == 0.5


def test_one_read_token_is_no_speed() -> None:
    head = [ev.Head(5 * MS, 200), ev.Progress(5 * MS, 127, 126, 126, 0)]
    assert after(*SENT, *head, ev.Progress(27 * MS, 127, 126, 127, 22 * MS)).prefill_now.number is None
    assert after(*SENT, *head, ev.Progress(27 * MS, 256, 126, 190, 22 * MS)).prefill_now.number is not None


def test_what_was_stopped_before_the_prompt_was_read_says_so() -> None:
    run = [*SENT, ev.Head(5 * MS, 200), ev.Progress(5 * MS, 500, 0, 64, 100 * MS)]
    view = after(*run, ev.Ended(200 * MS, "cancelled"))
    assert (view.prefill.number, view.prefill.note) == (None, "it ended before the prompt was read")


def test_between_lumps_of_a_proxy_nothing_stalls() -> None:
    lump = [
        e for at in (100, 101) for e in [ev.Arrived(at * MS, None, None, False, 6, 6)] + 6 * token(at)[1:]
    ]
    assert after(*SENT, *lump, now=4_000 * MS).stage is Stage.DECODING
    assert after(*SENT, *lump, now=4_000 * MS).open_stall is None
    assert after(*SENT, *lump, now=70_000 * MS).stage is Stage.STALLED


def test_a_long_series_of_readings_is_thinned_out_but_for_those_with_facts() -> None:
    """They were made at the edges of phases; one of them carries the header of the model file."""
    state, model = State(), ModelShape("llama", layers=2, experts=0)
    marked = {0: {"memory": "64 GiB"}, 301: {"power": "mains"}, 602: {"power": "mains"}}
    for n in range(1400):
        reading = Reading(n * 100 * MS, host=marked.get(n, {}), model=model if n == 301 else None)
        reduce(state, ev.Sampled(n * 100 * MS, reading))
    kept = [one.at_ns // (100 * MS) for one in state.samples]
    assert marked.keys() <= set(kept)
    assert kept == sorted(kept) and kept[-1] == 1399 and len(kept) < 850
    assert [one.model for one in state.samples if one.model] == [model]


def test_readings_that_all_carry_facts_are_thinned_out_like_others() -> None:
    state = State()
    for n in range(5000):
        reduce(state, ev.Sampled(n * 100 * MS, Reading(n * 100 * MS, host={"power": "mains"})))
    assert len(state.samples) <= 1200
    assert (state.samples[0].at_ns, state.samples[-1].at_ns) == (0, 4999 * 100 * MS)
