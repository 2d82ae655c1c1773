"""Gaps between tokens: one bar per column of the lane, as high as the largest gap in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from itertools import chain
from operator import sub

from tui.plot.cells import width
from tui.plot.glyphs import Fill
from tui.plot.lane import Lane
from tui.plot.numbers import duration
from tui.plot.rows import Canvas, Row

NO_TOKEN, NONE_CAME = "no token yet", "no token came"


def reads_by_column(lane: Lane, at_ns: Sequence[int], reads: int | None = None) -> list[range]:
    """Which of the first `reads` reads (default: all) fall into each column, as ranges of their indices.

    `at_ns` ascends. The cost goes by columns, not by reads.
    """
    total = len(at_ns) if reads is None else reads
    columns: list[range] = []
    start = bisect_left(at_ns, lane.start_ns, 0, total)
    *edges, end_ns = lane.edges()
    for edge_ns in edges:
        if start == total:  # nothing has come for the rest of the lane
            break
        stop = bisect_left(at_ns, edge_ns, start, total)
        columns.append(range(start, stop))
        start = stop
    columns += [range(start, start)] * (len(edges) - len(columns))
    return [*columns, range(start, bisect_right(at_ns, end_ns, start, total))]


def gap_peaks(
    columns: Sequence[range],
    at_ns: Sequence[int],
    largest_gap: Callable[[int, int], int],
    late_ns: Sequence[int] = (),
) -> list[int | None]:
    """The largest gap in each column, ns; None where nothing arrived.

    `largest_gap(start, stop)` tells the largest gap before the reads of an index range. Reads that ended a
    stall, at `late_ns`, are left out: their gap is drawn as a hole.
    """
    peaks: list[int | None] = [largest_gap(c.start, c.stop) if c else None for c in columns]
    for late in late_ns:
        index = bisect_left(at_ns, late)
        at = next((n for n, c in enumerate(columns) if index in c), None)
        if at is not None:
            parts = (range(columns[at].start, index), range(index + 1, columns[at].stop))
            peaks[at] = max((largest_gap(c.start, c.stop) for c in parts if c), default=None)
    return peaks


def largest_reads(columns: Sequence[range], running: Sequence[int]) -> list[int]:
    """The most tokens one read brought in each column, from their running count; 0 for an empty one."""
    return [_largest_read(column, running) for column in columns]


def _largest_read(column: range, running: Sequence[int]) -> int:
    if not column:
        return 0
    before = running[column.start - 1] if column.start else 0
    if running[column.stop - 1] - before == len(column):
        return 1
    counts = running[column.start : column.stop]
    most: int = max(map(sub, counts, chain((before,), counts)))
    return most


def stall_labels(gap_ns: int, token: int, counted: bool = True) -> tuple[str, str]:
    """Names a stall after the token (not `counted`: the message) that came late; and how long it was."""
    unit = "token" if counted else "message"
    return f"stall {duration(gap_ns)} at {unit} {token:,}", duration(gap_ns)


def gap_rows(
    peaks: Sequence[int | None],
    rows: int,
    top_ns: int,
    fill: Fill,
    *,
    holes: Sequence[range] = (),
    reads: Sequence[int] = (),
    labels: Sequence[tuple[range, Sequence[str]]] = (),
    name: str = "",
    none: str = NO_TOKEN,
    now: int | None = None,
) -> tuple[Row, ...]:
    """Bars from 0 to `top_ns` over `rows` rows, one column per peak; higher ones stand at full height.

    holes: columns of stalls, hatched over all rows · labels: what is said beside which hole, else in it, from
    long to short; the most important hole first · reads: tokens per read, written above the bar where it is
    more than one · name: of all of it, written where no bar stands · none: said where there is nothing ·
    now: the cell of `┃`.
    """
    canvases = [Canvas(len(peaks)) for _ in range(rows)]
    if all(peak is None for peak in peaks) and not holes:
        canvases[min(1, rows - 1)].put(0, none, "secondary")
        return tuple(canvas.row() for canvas in canvases)
    bars = fill.glyphs.bars
    upwards = canvases[::-1]
    for column, peak in enumerate(peaks):
        if peak is not None:
            _bar(upwards, column, max(1, round(8 * rows * min(1.0, peak / top_ns))), bars)
    for column, tokens in enumerate(reads):
        if tokens > 1:
            _count(canvases, column, tokens)
    for canvas in canvases:
        for hole in holes:
            canvas.fill(hole.start, hole.stop, fill.glyphs.stall, "stall")
        if now is not None:
            canvas.put(now, fill.glyphs.now, "text")
    for hole, texts in labels:
        _label(canvases[0], hole, texts)
    if name:
        _name(canvases, name)
    return tuple(canvas.row() for canvas in canvases)


def _bar(upwards: Sequence[Canvas], column: int, eighths: int, bars: str) -> None:
    for canvas in upwards:
        canvas.dot(column, bars[min(8, eighths)], "decode")
        eighths -= 8
        if eighths <= 0:
            return


def _count(canvases: Sequence[Canvas], column: int, tokens: int) -> None:
    """The number in the lowest free cell above its bar; `+` says ten or more."""
    for canvas in reversed(canvases):
        if canvas.blank(column, column + 1):
            canvas.put(column, str(tokens) if tokens < 10 else "+", "secondary")
            return


def _name(canvases: Sequence[Canvas], name: str) -> None:
    """In the middle row before or behind the bars, else above them; not at all where all is full."""
    cells = width(name)
    for canvas in (canvases[len(canvases) // 2], canvases[0]):
        for column in (0, canvas.width - cells):
            if canvas.blank(max(0, column - 1), min(canvas.width, column + cells + 1)):
                canvas.put(column, name, "secondary")
                return


def _label(canvas: Canvas, hole: range, texts: Sequence[str]) -> None:
    """Right of the hole, else left of it, where no bar is in the way, else in its middle."""
    for text in texts:
        cells = width(text)
        for column in (hole.stop + 2, hole.start - 2 - cells):
            if canvas.blank(column - 1, column + cells + 1) or (
                column + cells == canvas.width and canvas.blank(column - 1, canvas.width)
            ):
                canvas.put(column, text, "stall bold")
                return
        if cells + 4 <= len(hole):
            canvas.put(hole.start + (len(hole) - cells - 2) // 2, f" {text} ", "stall bold")
            return
