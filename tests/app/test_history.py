"""The history of the machine, second by second, live and from a recording."""

from dataclasses import replace

from tests.app.machines import rtx4090
from tests.app.scripted import MS, S
from tui.app.history import SECONDS, History
from tui.app.panels.fold import Block, folded
from tui.domain.machine import Reading
from tui.domain.pressure import Pressure, step


def readings(seconds: int) -> list[Reading]:
    return [rtx4090(at_ns, at_ns / S + 2) for at_ns in range(0, seconds * S, 200 * MS)]


def test_a_cell_is_the_most_of_one_second() -> None:
    pressure, history = Pressure(), History()
    for n, one in enumerate(readings(4)):
        watts = 400.0 if n == 7 else 100.0
        pressure = step(pressure, replace(one, gpus=(replace(one.gpus[0], power_w=watts),)), False)
        told = history.live(pressure)
    assert [second.power for second in told] == [100 / 450, 400 / 450, 100 / 450, 100 / 450]
    assert history.live(pressure) is told, "nothing new was read"


def test_it_holds_two_minutes_and_not_more() -> None:
    pressure, history = Pressure(), History()
    for n in range(SECONDS + 30):
        pressure = step(pressure, Reading(n * S, ram_total_bytes=10, ram_available_bytes=4), False)
        told = history.live(pressure)
    assert len(told) == SECONDS and told[-1].ram == 0.6


def test_a_recording_gives_the_same_history_wherever_it_is_entered() -> None:
    samples, one, other = readings(6), History(), History()
    for end in range(1, len(samples) + 1):
        stepwise = one.played(samples[:end])
    assert other.played(samples) == stepwise
    assert len(one.played(samples[:6])) == 2, "back again"


def test_what_is_not_told_is_no_zero() -> None:
    history = History()
    (second,) = history.live(step(Pressure(), Reading(0), False))
    assert second.gpu is None and second.ram is None and second.disk is None


def test_whole_blocks_stay_by_rank_and_stand_in_their_own_order() -> None:
    def row(text: str) -> tuple[tuple[str, str], ...]:
        return ((text, "text"),)

    blocks = [
        Block(9, [row("history")]),
        Block(0, [row("use")]),
        Block(6, [row("verdict"), row("whole")], less=[row("verdict, short")]),
        Block(1, [row("memory")]),
    ]

    def shown(height: int) -> list[str]:
        return [one[0][0] for one in folded(blocks, height)]

    assert shown(2) == ["use", "memory"]
    assert shown(3) == ["use", "verdict, short", "memory"]
    assert shown(4) == ["use", "verdict", "whole", "memory"]
    assert shown(5) == ["history", "use", "verdict", "whole", "memory"]
