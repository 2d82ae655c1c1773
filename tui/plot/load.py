"""The load of the machine under the lane: 0 to 100 %, one neutral bar per column."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tui.plot.glyphs import Fill
from tui.plot.lane import Lane
from tui.plot.rows import Canvas, Row


def load_columns(lane: Lane, samples: Iterable[tuple[int, int, float]]) -> list[float | None]:
    """Mean load of the samples that touch each column, in percent; None where there is none.

    A sample is (start of its window, end of its window, percent), ns since sent; it is drawn as wide as its
    window.
    """
    sums = [0.0] * lane.width
    counts = [0] * lane.width
    before_ns, place = lane.start_ns, 0.0  # a sample begins where the one before it ended, nearly always
    for start_ns, end_ns, load_percent in samples:
        if end_ns <= lane.start_ns or start_ns >= lane.end_ns:
            continue
        first = min(int(place if start_ns == before_ns else lane.column(start_ns)), lane.width - 1)
        before_ns, place = end_ns, lane.column(end_ns)
        for column in range(first, max(first + 1, lane.cell(place))):
            sums[column] += load_percent
            counts[column] += 1
    return [total / n if n else None for total, n in zip(sums, counts, strict=True)]


def load_rows(
    values: Sequence[float | None], rows: int, fill: Fill, now: int | None = None
) -> tuple[Row, ...]:
    """Bars from 0 to 100 % over `rows` rows; None stays blank, 0 % is a thin line. now: the cell of `┃`.

    100 % ends an eighth below the top: what stands above it would melt into it without colours.
    """
    bars = fill.glyphs.bars
    canvases = [Canvas(len(values)) for _ in range(rows)]
    upwards = canvases[::-1]
    for column, value in enumerate(values):
        if value is None:
            continue
        eighths = max(1, round((8 * rows - 1) * min(1.0, max(0.0, value / 100))))
        for canvas in upwards:
            canvas.dot(column, bars[min(8, eighths)], "secondary")
            eighths -= 8
            if eighths <= 0:
                break
    if now is not None:
        for canvas in canvases:
            canvas.put(now, fill.glyphs.now, "text")
    return tuple(canvas.row() for canvas in canvases)
