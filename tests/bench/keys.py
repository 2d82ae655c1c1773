"""How soon a key shows on the screen: the prompt's length is turned, and the dial's row is looked at."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence

import pyte

from tests.bench.lab import Lab
from tests.bench.table import Row
from tui.selftest.monitor import monitor
from tui.selftest.script import Script
from tui.selftest.terminal import COLUMNS, ROWS, Piece, Terminal
from tui.selftest.truth import percentile

TITLE = "keys: from the key to its repaint"
_KEYS = ("\x1b[C", "\x1b[D")  # longer, shorter
_PRESSES = 20
_PAUSE_S = (0.1, 0.2)
_DIAL = "prompt ←"


def rows(lab: Lab) -> Iterator[Row]:
    """Idle and under 500 tok/s, each on a fresh monitor, in turns."""
    idle: list[list[float]] = []
    busy: list[list[float]] = []
    for _ in range(lab.rounds):
        idle.append(_latencies(lab, None))
        busy.append(_latencies(lab, Script("one", 500, round(500 * _PRESSES * 0.25))))
    for name, rounds in (("idle", idle), ("500 tok/s", busy)):
        yield Row(f"{name}: p50", [percentile(values, 50) for values in rounds], "ms")
        yield Row(f"{name}: p95", [percentile(values, 95) for values in rounds], "ms")
    ratios = [percentile(b, 95) / percentile(i, 95) for b, i in zip(busy, idle, strict=True)]
    yield Row("p95 under 500 tok/s / idle", ratios, most=2)


def _latencies(lab: Lab, script: Script | None) -> list[float]:
    """Milliseconds for each press."""
    name = script.name if script else "one-80-400"
    with monitor(lab.server.url, name) as (terminal, _):
        if script:
            terminal.press("\r")
            time.sleep(0.8)
        presses = _press(terminal)
        if script:
            terminal.press("x")
            lab.server.truth(script.decode_s + 5)
        return list(shown(terminal.pieces, presses))


def _press(terminal: Terminal) -> list[int]:
    """When each key was pressed; the pauses have nothing to do with the screen's clock."""
    chance = random.Random(7)
    presses: list[int] = []
    for number in range(_PRESSES):
        presses.append(terminal.press(_KEYS[number % 2]))
        time.sleep(chance.uniform(*_PAUSE_S))
    return presses


def shown(pieces: Sequence[Piece], presses: Sequence[int]) -> Iterator[float]:
    """Milliseconds from each press until the dial's row looked otherwise. ValueError when it never did."""
    screen = pyte.Screen(COLUMNS, ROWS)
    stream = pyte.ByteStream(screen)
    waiting = list(presses)
    before = _dial(screen)
    for piece in pieces:
        stream.feed(piece.data)
        after = _dial(screen)
        if waiting and piece.at_ns > waiting[0] and after != before:
            yield (piece.at_ns - waiting.pop(0)) / 1e6
        before = after
    if waiting:
        raise ValueError(f"{len(waiting)} of {len(presses)} keys never showed")


def _dial(screen: pyte.Screen) -> object:
    """The row as it looks, colours included; empty before it is drawn."""
    for number, row in enumerate(screen.display):
        if _DIAL in row:
            return [screen.buffer[number][column] for column in range(COLUMNS)]
    return []
