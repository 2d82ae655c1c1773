"""Readings taken apart: each value of a driver once, in slices that equal those of the readings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tui.domain.columns import Column, Columns
from tui.domain.cost import cost_of, phase_cost
from tui.domain.costs import Costs
from tui.domain.machine import Gpu, Reading, Server
from tui.domain.phases import Phase
from tui.domain.values import Provenance

MS = 1_000_000
SECOND = 1000 * MS


def two_cards(until_s: int, uneven: bool) -> list[Reading]:
    """Counters are read up to a second before the reading that carries them; `uneven`: not in order."""
    found = []
    for i in range(-20, until_s * 10):
        age_ns = (i * 7 % 5 if uneven else i % 10) * 100 * MS
        read_s = 10 + i / 10 - age_ns / SECOND
        card = Gpu(
            uuid="a",
            util_pct=float(i * i % 97),
            server_bytes=5,
            power_w=300.0,
            energy_mj=round(300_000 * read_s),
            energy_age_ns=age_ns,
            age_ns=i * 3 % 4 * 10 * MS if uneven else 0,
        )
        cards = (card, replace(card, uuid="b", util_pct=50.0), replace(card, uuid="c", server_bytes=None))
        found.append(Reading(i * 100 * MS, gpus=cards, server=Server(7, thread_pct=90.0)))
    return found


def test_a_value_that_several_readings_carry_stands_once_and_is_found_by_each() -> None:
    column = Column()
    for taken, read, value in ((10, 8, 1.0), (20, 8, 1.0), (30, 29, 2.0)):
        column.add(taken, read, value)
    assert column.between(10, 30) == ([8, 29], [1.0, 2.0])
    assert column.between(15, 25) == ([8], [1.0])
    assert column.between(21, 29) == ([], [])


@pytest.mark.parametrize("uneven", [False, True])
def test_a_part_of_a_long_series_costs_what_its_readings_alone_cost(uneven: bool) -> None:
    readings = two_cards(20, uneven)
    whole = Columns(readings)
    for start_ns, end_ns in ((0, 3 * SECOND), (2500 * MS, 9 * SECOND), (5 * SECOND, 5300 * MS)):
        cost = cost_of("decode", start_ns, end_ns, whole)
        assert cost == phase_cost("decode", start_ns, end_ns, readings)
        if end_ns - start_ns > SECOND:
            joules = pytest.approx(2 * 300 * (end_ns - start_ns) / SECOND)
            assert cost.energy_j == (None if uneven else joules), "one that comes late went backwards"
            assert cost.gpu_each[1] == 50.0


def test_a_counter_that_fell_spoils_only_the_phases_around_it() -> None:
    readings = two_cards(20, False)
    fell = [
        replace(one, gpus=tuple(replace(gpu, energy_mj=(gpu.energy_mj or 0) // 9) for gpu in one.gpus))
        if one.at_ns > 10 * SECOND
        else one
        for one in readings
    ]
    whole = Columns(fell)
    energies = [cost_of("decode", at * SECOND, (at + 3) * SECOND, whole).energy_j for at in (0, 9, 14)]
    assert energies[1] is None
    assert energies[0] == pytest.approx(1800) and energies[2] == pytest.approx(200)


def test_a_cost_is_worked_out_again_only_while_readings_can_change_it() -> None:
    readings, phase = two_cards(20, False), Phase("prefill", 0, 4 * SECOND, Provenance.MEASURED, "")
    costs = Costs().going_on(readings[:60])
    early = costs.of(phase)
    assert costs.of(phase) is early
    settled = costs.going_on(readings[:90]).of(phase)
    assert settled is not early
    assert costs.going_on(readings).of(phase) is settled
    assert settled == phase_cost("prefill", 0, 4 * SECOND, readings)
    assert Costs().going_on(readings[::-1][:1]).of(phase) != settled
