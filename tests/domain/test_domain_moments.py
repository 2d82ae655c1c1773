"""Trouble on the time axis: when it began, how long it lasted, and that going on equals starting over."""

from __future__ import annotations

from dataclasses import replace

from tui.domain.machine import Gpu, Reading, Server
from tui.domain.moments import Moments, moments
from tui.domain.phases import Phase
from tui.domain.sizes import GIB, MIB
from tui.domain.values import Provenance

MS = 1_000_000
SECOND = 1000 * MS
DECODE = Phase("decode", 2 * SECOND, 9 * SECOND, Provenance.OBSERVED, "")


def machine(until_s: float, **gpu: object) -> list[Reading]:
    """Ten readings a second; the server reads 40 MiB/s from disk between 4 s and 6 s."""
    found = []
    for i in range(round(until_s * 10)):
        t = i / 10
        read = round(40 * MIB * (min(max(t - 4, 0), 2)))
        mask = 0x4 if 3 <= t < 5 else 0
        found.append(
            Reading(
                at_ns=i * 100 * MS,
                ram_total_bytes=64 * GIB,
                ram_available_bytes=30 * GIB,
                server=Server(pid=7, read_bytes=read),
                gpus=(replace(Gpu(uuid="a", throttle_mask=mask), **gpu),),  # type: ignore[arg-type]
            )
        )
    return found


def test_paging_and_a_power_cap_are_marked_where_they_were() -> None:
    found = moments(machine(10), DECODE)
    told = {mark.word: mark for mark in found.marks}
    assert set(told) == {"PAGING", "power cap"}
    paging, cap = told["PAGING"], told["power cap"]
    assert 4 * SECOND <= paging.start_ns <= 4.5 * SECOND
    assert 6 * SECOND <= paging.end_ns <= 6.6 * SECOND
    assert (paging.level, paging.source, paging.why) == ("crit", "memory", "42 MB/s from disk")
    assert (cap.start_ns, cap.end_ns, cap.level, cap.source) == (3 * SECOND, 4_900 * MS, "info", "gpu")
    assert [mark.start_ns for mark in found.marks] == sorted(mark.start_ns for mark in found.marks)


def test_reads_outside_decode_are_no_paging() -> None:
    assert {mark.word for mark in moments(machine(10), None).marks} == {"power cap"}


def test_going_on_with_new_readings_equals_starting_over() -> None:
    readings = machine(10)
    found = Moments()
    for length in (1, 30, 30, 47, 60, 100):
        found = moments(readings[:length], DECODE, found)
    assert found.marks == moments(readings, DECODE).marks
    assert found.seen == 100


def test_another_run_starts_over() -> None:
    found = moments(machine(10), DECODE)
    assert moments(machine(1), DECODE, found) == moments(machine(1), DECODE)


def test_a_series_that_was_thinned_out_goes_on_where_it_was() -> None:
    readings = machine(10)
    found = moments(readings[:70], DECODE)
    later = moments([*readings[:70:2], *readings[70:]], DECODE, found)
    assert later.marks == moments(readings, DECODE).marks
    assert moments([*readings[:70:2], *readings[70:]], DECODE).marks != later.marks


def test_two_stretches_a_second_apart_are_two_and_closer_ones_one() -> None:
    def capped(*spans: tuple[float, float]) -> list[Reading]:
        return [
            Reading(
                at_ns=i * 100 * MS,
                gpus=(Gpu(uuid="a", throttle_mask=0x4 * any(a <= i / 10 < b for a, b in spans)),),
            )
            for i in range(60)
        ]

    apart = moments(capped((0, 1), (3, 4)), None).marks
    assert [(mark.start_ns // SECOND, mark.end_ns // SECOND) for mark in apart] == [(0, 0), (3, 3)]
    assert len(moments(capped((0, 1), (1.5, 4)), None).marks) == 1


def test_a_lost_gpu_is_marked_and_its_frozen_reasons_are_not() -> None:
    (mark,) = moments(machine(2, reason="GPU lost at +1.0 s", throttle_mask=0x40, name="A"), None).marks
    assert (mark.word, mark.level, mark.source, mark.why) == ("GPU lost", "crit", "lost", "A")


def test_heat_of_the_machine_and_a_killed_server_are_marked() -> None:
    warm = [Reading(at_ns=i * 100 * MS, thermal_level=1 + (i > 5)) for i in range(10)]
    (heat,) = moments(warm, None).marks
    assert (heat.word, heat.source, heat.level) == ("hot", "heat", "warn")
    alive = [Reading(at_ns=i * 100 * MS, oom_kills=0, server=Server(pid=7)) for i in range(10)]
    gone = [Reading(at_ns=(10 + i) * 100 * MS, oom_kills=1) for i in range(5)]
    (killed,) = moments([*alive, *gone], None).marks
    assert (killed.word, killed.level, killed.start_ns) == ("OOM-KILLED", "crit", SECOND)
