"""Why a piece came when it did: only what was recorded, and nothing made up where nothing was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tui.capture.live import Live
from tui.capture.recording import read
from tui.domain import events as ev
from tui.domain.explain import NOTHING, Explanation, explain
from tui.domain.facts import Fact, Role
from tui.domain.look import look
from tui.domain.machine import Gpu, Reading, Server
from tui.domain.moments import Moment
from tui.domain.reduce import reduce
from tui.domain.spans import span_at, span_of
from tui.domain.state import State
from tui.domain.view import View
from tui.report.explained import evidence_line, paragraph, told

DATA = Path(__file__).parents[1] / "data"
MS = 1_000_000
LATE = 30  # the token that comes late in `written`


def seen(name: str) -> View:
    live = Live()
    live.feed(read(DATA / name).records)
    return live.view()


def why(view: View, first: int, last: int | None = None, marks: Iterable[Moment] = ()) -> Explanation:
    span = span_of(view, first, last or first)
    assert span is not None
    return explain(view, span, tuple(marks))


def words(facts: Iterable[Fact]) -> list[str]:
    return [told(fact.words) for fact in facts]


def written(
    *others: ev.Event, hole_ms: int = 300, recv_ms: float = 0.1, clock: bool = True, end_ms: int | None = None
) -> View:
    """40 tokens, one every 10 ms from 100 ms on, of which token 30 comes `hole_ms` after the one before."""
    events: list[ev.Event] = [ev.SentAll(0), *others]
    at_ns = 90 * MS
    for n in range(1, 41):
        at_ns += (hole_ms if n == LATE else 10) * MS
        late_ns = round((recv_ms if n == LATE else 0.1) * MS)
        events.append(ev.Arrived(at_ns, None, at_ns + late_ns, True, 1, 1))
        events.append(ev.Generated(at_ns, answer=" word", count=n))
        if clock:
            events.append(ev.Timings(at_ns, predicted_n=n, predicted_ns=at_ns - 99 * MS))
    if end_ms is None:
        events.append(ev.Ended(at_ns + MS, "eof"))
    state = State()
    for event in sorted(events, key=lambda event: event.at_ns):
        reduce(state, event)
    return look(state, end_ms * MS if end_ms else None)


# -- captures -------------------------------------------------------------------------------------------


def test_a_stall_behind_another_prompt_is_placed_inside_the_engine_and_not_guessed_at() -> None:
    found = why(seen("captures/llamacpp/04f-two-slots-first.jsonl"), 7)
    assert told(found.sentence) == (
        "Token 7 came 2.66 s after the one before; usual is 23.4 ms (p95 68.4 ms)"
    )
    assert found.causes == () and found.verdict.startswith(NOTHING)
    assert words(found.facts) == [
        "the engine's own clock went on by 2.66 s for it: the time passed inside the engine"
    ]
    assert evidence_line(found.facts[0]).endswith("told with each message ●")


def test_a_span_is_explained_by_its_longest_wait() -> None:
    found = why(seen("captures/llamacpp/04f-two-slots-first.jsonl"), 10, 3)
    assert told(found.name) == "Tokens 3 to 10"
    assert told(found.sentence).endswith("the longest wait was 2.66 s for token 7")
    assert "2.66 s" in told(found.facts[0].words)


def test_a_burst_of_guesses_explains_the_wait_before_it_and_its_own_haste() -> None:
    view = seen("captures/llamacpp/18-speculative-ngram.jsonl")
    slow, quick = why(view, 14), why(view, 20)
    assert "10 more came right behind it: one pass made them all" in words(slow.causes)[0]
    assert "11 guessed ahead" in words(slow.causes)[0]
    assert quick.verdict == "it was ready before:"
    assert "made in one pass" in words(quick.causes)[0]


def test_tokens_that_a_stop_string_swallowed_are_told_of() -> None:
    found = why(seen("captures/llamacpp/07d-stop-string.jsonl"), 15)
    assert found.verdict == "that is as usual, so there is nothing to explain"
    assert words(found.facts)[-1] == (
        "7 more tokens were counted behind it and brought no text: the end token, or a stop string"
    )


def test_what_a_proxy_held_back_has_no_gaps_of_its_own() -> None:
    view = seen("cases/proxy_delivers_all_at_once.jsonl")
    found = why(view, 2)
    assert "messages came in one read: they were held back on the way" in words(found.causes)[0]
    assert told(found.sentence) == "Message 2 came 3.50 s after the request was sent"


def test_the_first_token_s_wait_is_made_of_the_phases() -> None:
    found = why(seen("captures/llamacpp/04f-two-slots-first.jsonl"), 1)
    assert found.verdict == "what the wait was made of:"
    assert words(found.facts)[-1] == "prefill took 338 ms"
    assert evidence_line(found.facts[-1]).endswith("the engine's prompt time ●")


# -- one cause at a time --------------------------------------------------------------------------------


def test_where_nothing_was_recorded_nothing_explains_it() -> None:
    found = why(written(clock=False), LATE)
    assert found.causes == () and found.verdict == NOTHING
    assert words(found.facts) == ["our reader was late by 100 µs, so it was not us"]
    assert paragraph(found).endswith("Nothing that was recorded explains it.")


def test_a_usual_gap_needs_no_explanation_whatever_went_on() -> None:
    polled = ev.SlotsSeen(150 * MS, 2, 2)
    found = why(written(polled), 6)
    assert found.verdict == "that is as usual, so there is nothing to explain"


def test_what_passed_outside_of_the_engine_is_a_cause() -> None:
    view = written(clock=False)
    events: list[ev.Event] = [ev.SentAll(0)]
    at_ns = 90 * MS
    for n in range(1, 41):
        at_ns += (300 if n == LATE else 10) * MS
        events += [
            ev.Arrived(at_ns, None, None, False, 1, 1),
            ev.Generated(at_ns, answer=" word", count=n),
            ev.Timings(at_ns, predicted_n=n, predicted_ns=n * 10 * MS),
        ]
    state = State()
    for event in events:
        reduce(state, event)
    assert words(why(look(state), LATE).causes) == [
        "the engine's own clock went on by only 10.0 ms for it: the rest passed between the engine and us"
    ]
    assert why(view, LATE).causes == ()


def test_an_old_clock_of_the_engine_is_not_taken_for_this_gap() -> None:
    state = State()
    reduce(state, ev.SentAll(0))
    at_ns = 90 * MS
    for n in range(1, 41):
        at_ns += (300 if n == LATE else 10) * MS
        reduce(state, ev.Arrived(at_ns, None, None, False, 1, 1))
        reduce(state, ev.Generated(at_ns, answer=" word", count=n))
        if n in (10, LATE):
            reduce(state, ev.Timings(at_ns, predicted_n=n, predicted_ns=at_ns))
    assert why(look(state), LATE).facts == ()


def test_our_own_late_reading_is_a_cause() -> None:
    found = why(written(recv_ms=120), LATE)
    assert "our own program looked at it 120 ms late" in words(found.causes)


@pytest.mark.parametrize(
    ("busy", "cause", "told_of"),
    [
        (1, False, "1 of 3 slots were at work, ours included"),
        (2, True, "1 other request held a slot beside ours"),
        (3, True, "2 other requests held slots beside ours"),
    ],
)
def test_slots_that_others_held_are_a_cause(busy: int, cause: bool, told_of: str) -> None:
    found = why(written(ev.SlotsSeen(500 * MS, busy, 3), ev.SlotsSeen(1500 * MS, 3, 3)), LATE)
    assert told_of in words(found.facts)
    assert bool(found.causes) is cause


def test_a_rival_s_prompt_is_a_cause_and_one_that_is_written_is_only_seen() -> None:
    reading = [ev.RivalSeen(390 * MS, 1, "sent"), ev.RivalSeen(620 * MS, 1, "first")]
    found = why(written(*reading), LATE)
    assert words(found.causes) == [
        "rival 1 waited for its first word during 230 ms of it: its prompt was being read"
    ]
    writing = [ev.RivalSeen(10 * MS, 2, "sent"), ev.RivalSeen(200 * MS, 2, "first")]
    found = why(written(*writing), LATE)
    assert found.causes == () and "1 rival was being answered beside it" in words(found.facts)


def readings(read_bytes: int = 0, gpu_pct: float | None = None, cpu_s: float = 1.0) -> Iterator[ev.Event]:
    """Ten a second; from 400 to 700 ms the server reads `read_bytes` in all and works `cpu_s` per second."""
    total, ran = 0.0, 0.0
    for at_ms in range(0, 1300, 100):
        if 400 < at_ms <= 700:
            total += read_bytes / 3
        ran += 0.1 * (cpu_s if 300 < at_ms <= 700 else 1.0)
        gpus = () if gpu_pct is None else (Gpu(name="a", util_pct=gpu_pct, mem_total_bytes=1),)
        server = Server(7, read_bytes=round(total), cpu_s=ran)
        yield ev.Sampled(at_ms * MS, Reading(at_ms * MS, server=server, gpus=gpus))


def test_reading_from_disk_is_a_cause_where_it_was_much() -> None:
    much = why(written(*readings(1_200_000_000), clock=False), LATE)
    assert words(much.causes) == ["1.12 GiB were read from disk within 400 ms"]
    assert much.causes[0].source == "counters of the server"
    little = why(written(*readings(9_000_000), clock=False), LATE)
    assert little.causes == () and "8.58 MiB were read from disk within 400 ms" in words(little.facts)
    assert not any("disk" in line for line in words(why(written(*readings()), LATE).facts))


def test_a_gpu_that_waited_and_a_server_that_stood_still_are_told_as_what_they_are() -> None:
    found = why(written(*readings(gpu_pct=12.0), clock=False), LATE)
    assert found.verdict == NOTHING and "the GPU was at 12 %: it waited too" in words(found.facts)
    found = why(written(*readings(cpu_s=0.05), clock=False), LATE)
    assert words([f for f in found.facts if f.role is Role.PLACE]) == [
        "the server ran for only 20.0 ms of 400 ms: it stood still or waited for something"
    ]


def test_nothing_of_the_wrong_machine_is_told() -> None:
    view = written(*readings(1_200_000_000))
    view = replace(view, samples=tuple(replace(r, remote=True) for r in view.samples))
    assert not any("disk" in line or "CPU" in line for line in words(why(view, LATE).facts))


def test_trouble_that_the_machine_had_is_a_cause_but_an_everyday_limit_is_not() -> None:
    swapping = Moment(450 * MS, 600 * MS, "swapping", "warn", "memory", "swap-in 40 MB/s")
    capped = Moment(450 * MS, 600 * MS, "power cap", "info", "gpu")
    earlier = Moment(0, 100 * MS, "swapping", "warn", "memory")
    view = written(*readings(), clock=False)
    found = why(view, LATE, marks=(swapping, capped, earlier))
    assert words(found.causes) == ["memory: swapping (swap-in 40 MB/s)"]
    assert "the GPU: power cap" in words(found.facts)


def test_several_tokens_in_one_message_are_told_with_their_share() -> None:
    state = State()
    reduce(state, ev.SentAll(0))
    at_ns, count = 90 * MS, 0
    for n in range(1, 41):
        many = 4 if n == LATE else 1
        at_ns, count = at_ns + 10 * many * MS, count + many
        reduce(state, ev.Arrived(at_ns, None, None, False, 1, 1))
        reduce(state, ev.Generated(at_ns, answer=" word", count=count))
    found = why(look(state), LATE)
    assert told(found.name) == "Tokens 30 to 33"
    assert "one message brought 4 tokens, 10.0 ms each" in words(found.causes)[0]


def test_a_wait_that_lasts_is_explained_too() -> None:
    view = written(end_ms=3000)
    span = span_at(view, 2900 * MS)
    assert span is not None
    found = explain(view, span)
    assert told(found.sentence).startswith("No token has come for 2.22 s, after token 40; usual is 10.0 ms")
    assert words(found.facts) == ["the engine's own count did not advance"]
