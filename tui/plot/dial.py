"""The prompt dial: all lengths the model takes, and beneath each the last time to its first token."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from tui.plot.cells import width as cells_of
from tui.plot.glyphs import Fill
from tui.plot.numbers import fine_seconds, prompt_length
from tui.plot.rows import Canvas, Row

RASTER = 9
_START = 9  # cells before the first step


class Tried(Enum):
    """What became of the latest request of a length."""

    NEVER = "never"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DialStep:
    """A prompt length in tokens; `ttft_ns` is known exactly when it was `DONE`."""

    tokens: int
    tried: Tried = Tried.NEVER
    ttft_ns: int | None = None
    reachable: bool = True


def dial_rows(steps: Sequence[DialStep], selected: int | None, width: int, fill: Fill) -> tuple[Row, Row]:
    """The two lines of the dial. Too many steps for `width`: the raster scrolls under the selection.

    selected: index of the chosen step; None where the length is not known, then none is marked.
    """
    return _drawn(tuple(steps), selected, width, fill)


@lru_cache(maxsize=4)
def _drawn(steps: tuple[DialStep, ...], selected: int | None, width: int, fill: Fill) -> tuple[Row, Row]:
    """Kept: it changes with a key or a result, and is asked for several times a second."""
    signs = fill.glyphs
    prompt, times = Canvas(width), Canvas(width)
    prompt.put(1, "prompt", "text bold")
    prompt.put(8, signs.left, _arrow(steps, selected, -1))
    times.put(1, "TTFT s", "secondary")
    shown = max(1, min(len(steps), (width - _START - 2) // RASTER))
    first = max(0, min((selected or 0) - shown // 2, len(steps) - shown))
    for n, step in enumerate(steps[first : first + shown]):
        column = _START + n * RASTER
        chosen = first + n == selected
        _put_length(prompt, column, step, chosen, fill)
        role = "text bold" if chosen else "secondary" if step.reachable else "secondary dim"
        _put_middle(times, column, _result(step, fill), role)
    prompt.put(_START + shown * RASTER + 1, signs.right, _arrow(steps, selected, +1))
    return prompt.row(), times.row()


def _arrow(steps: Sequence[DialStep], selected: int | None, direction: int) -> str:
    """Bold where the key acts."""
    towards = -1 if selected is None else selected + direction
    return "text bold" if 0 <= towards < len(steps) and steps[towards].reachable else "secondary dim"


def _put_length(canvas: Canvas, column: int, step: DialStep, chosen: bool, fill: Fill) -> None:
    """The selected length is inverted; without colour it stands in brackets."""
    style = "text" if step.reachable else "secondary dim"
    if chosen and fill is Fill.COLOUR:
        style = "background on selected bold"
        canvas.fill(column + 1, column + RASTER, " ", style)
    elif chosen:
        style = "text bold"
        canvas.put(column + 1, "[", style)
        canvas.put(column + RASTER - 1, "]", style)
    _put_middle(canvas, column, prompt_length(step.tokens), style)


def _put_middle(canvas: Canvas, column: int, text: str, style: str) -> None:
    canvas.put(column + (RASTER - cells_of(text) + 1) // 2, text, style)


def _result(step: DialStep, fill: Fill) -> str:
    signs = fill.glyphs
    match step.tried:
        case Tried.NEVER:
            return signs.never
        case Tried.RUNNING:
            return signs.running
        case Tried.FAILED:
            return signs.failed
        case Tried.DONE:
            return signs.never if step.ttft_ns is None else fine_seconds(step.ttft_ns)
