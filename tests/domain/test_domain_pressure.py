"""The word for the memory: what brings it, how long it stays, and which one wins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui.domain.flow import flow
from tui.domain.machine import Gpu, Reading, Server
from tui.domain.pressure import GIB, MIB, Pressure, Word, step
from tui.domain.signs import RULES

MS = 1_000_000
SECOND = 1000 * MS
CALM = Reading(
    at_ns=0,
    ram_total_bytes=64 * GIB,
    ram_available_bytes=30 * GIB,
    swap_in_bytes=0,
    stall_some_us=0,
    stall_full_us=0,
    disk_read_bytes=0,
    refault_file_bytes=0,
    cpu_busy_s=0.0,
    cpu_total_s=0.0,
    cpu_cores=2,
    oom_kills=0,
    server=Server(pid=7, read_bytes=0, cpu_s=0.0),
)


def grow(reading: Reading, ns: int, **per_s: float) -> Reading:
    """The reading `ns` later, its counters grown at these rates; `server_read_bytes` is the server's own."""
    own = per_s.pop("server_read_bytes", 0)
    counters = {name: getattr(reading, name) + rate * ns / SECOND for name, rate in per_s.items()}
    server = reading.server
    if server and server.read_bytes is not None:
        server = replace(server, read_bytes=server.read_bytes + round(own * ns / SECOND))
    return replace(reading, at_ns=reading.at_ns + ns, server=server, **counters)


def play(
    *stretches: tuple[float, dict[str, float]], start: Reading = CALM, decoding: bool = False
) -> Pressure:
    """Ten readings a second through stretches of (seconds, rates per second)."""
    pressure = step(Pressure(), start, decoding)
    for seconds, per_s in stretches:
        for _ in range(round(seconds * 10)):
            assert pressure.latest is not None
            pressure = step(pressure, grow(pressure.latest, 100 * MS, **per_s), decoding)
    return pressure


def test_the_first_reading_gives_no_rate() -> None:
    assert step(Pressure(), CALM, False).flow is None


def test_rates_are_taken_over_half_a_second_at_least() -> None:
    now = play((2, {"swap_in_bytes": 100.0})).flow
    assert now is not None
    assert (now.span_ns, now.swap_in_bytes_s) == (500 * MS, 100.0)


@pytest.mark.parametrize(
    ("per_s", "word"),
    [
        ({}, Word.OK),
        ({"swap_in_bytes": 2 * MIB}, Word.SWAPPING),
        ({"swap_in_bytes": MIB / 2}, Word.OK),
        ({"stall_some_us": 250_000}, Word.STALLED),
        ({"stall_full_us": 60_000}, Word.STALLED),
        ({"stall_some_us": 100_000}, Word.TIGHT),
        ({"stall_some_us": 40_000}, Word.OK),
        ({"server_read_bytes": 30 * MIB}, Word.LOADING),
        ({"server_read_bytes": 30 * MIB, "stall_some_us": 250_000}, Word.STALLED),
        ({"disk_read_bytes": 30 * MIB}, Word.OK),  # another program reads
        ({"refault_file_bytes": 30 * MIB}, Word.OK),
    ],
)
def test_the_words_while_nothing_is_written(per_s: dict[str, float], word: Word) -> None:
    assert play((2, per_s)).word is word


@pytest.mark.parametrize(
    ("per_s", "word"),
    [
        ({"server_read_bytes": 30 * MIB}, Word.PAGING),
        ({"refault_file_bytes": 30 * MIB}, Word.PAGING),
        ({"server_read_bytes": 10 * MIB}, Word.OK),
        ({"server_read_bytes": 30 * MIB, "stall_some_us": 600_000}, Word.PAGING),
        ({"server_read_bytes": 30 * MIB, "swap_in_bytes": 2 * MIB}, Word.SWAPPING),
    ],
)
def test_the_words_while_tokens_are_written(per_s: dict[str, float], word: Word) -> None:
    assert play((2, per_s), decoding=True).word is word


def test_reads_of_the_machine_stand_in_for_those_of_a_server_that_hides_them() -> None:
    hidden = replace(CALM, server=Server(pid=7))
    assert play((2, {"disk_read_bytes": 30 * MIB}), start=hidden, decoding=True).word is Word.PAGING


def test_the_end_of_the_load_is_not_paging() -> None:
    pressure = play((2, {"server_read_bytes": 900 * MIB}))
    assert pressure.word is Word.LOADING
    for _ in range(10):
        assert pressure.latest is not None
        pressure = step(pressure, grow(pressure.latest, 100 * MS), True)
        assert pressure.word is not Word.PAGING


def test_compressed_swap_is_named_so() -> None:
    compressed = replace(CALM, swap_compressed=True)
    assert play((2, {"swap_in_bytes": 2 * MIB}), start=compressed).word is Word.COMPRESSING


def test_little_available_memory_is_tight_in_the_machine_and_in_a_container() -> None:
    assert play((1, {}), start=replace(CALM, ram_available_bytes=3 * GIB)).word is Word.TIGHT
    limited = replace(CALM, limit_bytes=8 * GIB, limit_available_bytes=GIB // 2)
    assert play((1, {}), start=limited).word is Word.TIGHT


def test_one_sample_is_not_enough_and_a_marked_one_behind_it_is_no_second() -> None:
    low = replace(CALM, ram_available_bytes=GIB)
    pressure = step(step(Pressure(), CALM, False), replace(low, at_ns=100 * MS), False)
    assert pressure.word is Word.OK
    pressure = step(pressure, replace(low, at_ns=101 * MS), False)
    assert pressure.word is Word.OK
    assert step(pressure, replace(low, at_ns=200 * MS), False).word is Word.TIGHT


def test_a_word_leaves_after_two_quiet_seconds() -> None:
    swapping = (2, {"swap_in_bytes": 2 * MIB})
    assert play(swapping, (2, {})).word is Word.SWAPPING
    assert play(swapping, (3, {})).word is Word.OK


def test_a_killed_server_is_told_from_one_that_was_stopped() -> None:
    alive = play((2, {}))
    assert alive.latest is not None
    gone = replace(alive.latest, at_ns=alive.latest.at_ns + 100 * MS, server=None)
    assert step(alive, gone, False).word is Word.OK
    killed = step(alive, replace(gone, oom_kills=1), False)
    assert killed.word is Word.OOM_KILLED
    later = replace(gone, oom_kills=1, at_ns=gone.at_ns + 4 * SECOND)
    assert step(killed, later, False).word is Word.OOM_KILLED
    back = replace(later, at_ns=later.at_ns + SECOND, server=Server(pid=8))
    assert step(killed, back, False).word is Word.OK


def test_a_kill_long_after_the_server_left_is_another_story() -> None:
    alive = play((2, {}))
    assert alive.latest is not None
    gone = replace(alive.latest, at_ns=alive.latest.at_ns + SECOND, server=None)
    quiet = step(alive, gone, False)
    assert step(quiet, replace(gone, at_ns=gone.at_ns + 4 * SECOND, oom_kills=1), False).word is Word.OK


def test_nothing_is_computed_across_a_sleep_of_the_machine_or_backwards() -> None:
    assert flow(CALM, grow(CALM, 6 * SECOND, swap_in_bytes=1.0)) is None
    assert flow(CALM, CALM) is None
    assert flow(grow(CALM, SECOND), CALM) is None


def test_a_counter_that_was_reset_gives_no_rate_and_the_others_do() -> None:
    before = replace(CALM, swap_in_bytes=500)
    now = flow(before, grow(replace(before, swap_in_bytes=0), SECOND, stall_some_us=10_000))
    assert now is not None
    assert (now.swap_in_bytes_s, now.stall_some_pct) == (None, 1.0)


def test_counters_of_two_different_servers_are_not_compared() -> None:
    after = replace(grow(CALM, SECOND), server=Server(pid=8, read_bytes=10**9, cpu_s=5.0))
    now = flow(CALM, after)
    assert now is not None
    assert (now.server_read_bytes_s, now.server_cpu_cores) == (None, None)


def test_busy_cores_are_a_share_of_the_cores() -> None:
    now = flow(CALM, grow(CALM, SECOND, cpu_busy_s=1.98, cpu_total_s=2.0))
    assert now is not None
    assert now.cpu_busy_cores == pytest.approx(1.98)


def test_few_readings_are_kept_however_long_it_runs() -> None:
    assert len(play((30, {})).recent) <= 7


MAC = Reading(
    at_ns=0,
    ram_total_bytes=8 * GIB,
    ram_available_bytes=GIB // 4,  # it fills its memory on purpose
    swap_in_bytes=0,
    decompressed_bytes=0,
    pressure_level=1,
    server=Server(pid=7, pagein_bytes=0),
)
WINDOWS = Reading(
    at_ns=0,
    ram_total_bytes=32 * GIB,
    ram_available_bytes=8 * GIB,
    page_read_bytes=0,
    commit_bytes=20 * GIB,
    commit_limit_bytes=37 * GIB,
    server=Server(pid=7, read_bytes=0),
)


@pytest.mark.parametrize(
    ("start", "per_s", "decoding", "word"),
    [
        (MAC, {}, True, Word.OK),
        (replace(MAC, pressure_level=2), {}, False, Word.TIGHT),
        (replace(MAC, pressure_level=4), {}, False, Word.STALLED),
        (MAC, {"decompressed_bytes": 20 * MIB}, False, Word.OK),
        (MAC, {"decompressed_bytes": 60 * MIB}, False, Word.COMPRESSING),
        (replace(MAC, pressure_level=2), {"swap_in_bytes": 75 * MIB}, False, Word.SWAPPING),
        (WINDOWS, {}, False, Word.OK),
        (replace(WINDOWS, ram_available_bytes=GIB), {}, False, Word.TIGHT),
        (replace(WINDOWS, commit_bytes=36 * GIB), {}, False, Word.TIGHT),
        (WINDOWS, {"page_read_bytes": 30 * MIB}, False, Word.OK),
        (WINDOWS, {"page_read_bytes": 30 * MIB}, True, Word.PAGING),
        (replace(WINDOWS, commit_bytes=34 * GIB), {"page_read_bytes": 3 * MIB}, False, Word.SWAPPING),
    ],
)
def test_the_words_of_other_systems(
    start: Reading, per_s: dict[str, float], decoding: bool, word: Word
) -> None:
    assert play((2, per_s), start=start, decoding=decoding).word is word


def test_what_a_server_on_macos_pages_in_while_it_writes_is_paging() -> None:
    pressure = step(Pressure(), MAC, True)
    for i in range(1, 20):
        server = Server(pid=7, pagein_bytes=i * 3 * MIB)
        pressure = step(pressure, replace(MAC, at_ns=i * 100 * MS, server=server), True)
    assert (pressure.word, pressure.why) == (Word.PAGING, "31 MB/s paged in")


def test_a_server_gone_while_macos_called_memory_critical_was_killed() -> None:
    critical = play((1, {}), start=replace(MAC, pressure_level=4))
    assert critical.latest is not None
    gone = replace(critical.latest, at_ns=critical.latest.at_ns + 100 * MS, server=None)
    assert step(critical, gone, False).word is Word.OOM_KILLED
    calm = play((1, {}), start=MAC)
    assert calm.latest is not None
    assert step(calm, replace(calm.latest, at_ns=2 * SECOND, server=None), False).word is Word.OK


def test_a_gpu_near_its_budget_of_one_memory_is_tight() -> None:
    def held(used: int) -> Reading:
        gpu = Gpu(unified=True, mem_used_bytes=used * GIB, mem_budget_bytes=48 * GIB)
        return replace(MAC, ram_total_bytes=64 * GIB, gpus=(gpu,))

    assert play((1, {}), start=held(37)).word is Word.OK
    tight = play((1, {}), start=held(47))
    assert (tight.word, tight.why) == (Word.TIGHT, "GPU 47.0 GiB of its 48.0 GiB")


def test_the_servers_own_container_stalls_and_is_held_up_by_itself() -> None:
    inside = replace(CALM, group_stall_some_us=0, group_stall_full_us=0, limit_hits=0)
    stalled = play((2, {"group_stall_some_us": 300_000}), start=inside)
    assert (stalled.word, stalled.why) == (
        Word.STALLED,
        "30 % of the time something waits for memory in the container",
    )
    assert play((2, {"limit_hits": 40}), start=inside).word is Word.STALLED
    assert play((2, {"group_stall_some_us": 60_000}), start=inside).word is Word.TIGHT


def test_a_kill_in_the_servers_own_container_counts() -> None:
    inside = replace(CALM, oom_kills=None, group_oom_kills=0)
    alive = play((2, {}), start=inside)
    assert alive.latest is not None
    gone = replace(alive.latest, at_ns=alive.latest.at_ns + 100 * MS, server=None, group_oom_kills=1)
    assert step(alive, gone, False).word is Word.OOM_KILLED


def test_compressed_pages_that_come_back_are_told_as_such() -> None:
    zswap = replace(CALM, decompressed_bytes=0)
    assert play((2, {"decompressed_bytes": 3 * MIB}), start=zswap).word is Word.COMPRESSING


def test_a_word_comes_with_its_evidence_and_keeps_it_while_it_stays() -> None:
    swapping = (2, {"swap_in_bytes": 80 * MIB})
    assert play(swapping).why == "84 MB/s from swap"
    assert play(swapping, (1.5, {})).why == "17 MB/s from swap"  # the last that was seen
    assert play((2, {})).why == ""


def test_every_word_but_ok_has_a_rule_and_every_level_its_own_shape() -> None:
    assert {rule.word for rule in RULES} == set(Word) - {Word.OK, Word.OOM_KILLED}
    assert all(rule.what and rule.system for rule in RULES)
    assert {(word.level, word.glyph) for word in Word} == {("info", "●"), ("warn", "▲"), ("crit", "✖")}
