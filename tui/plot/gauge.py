"""Gauges of one thin line, and small histories."""

from __future__ import annotations

from collections.abc import Sequence

from tui.plot.glyphs import SPARKS, Fill
from tui.plot.rows import Row, merge


def gauge(share: float | None, width: int, fill: Fill, role: str = "gauge") -> Row:
    """A part of a whole, 0 to 1, in half cells. More than nothing is seen; only the whole is full."""
    signs = fill.glyphs
    halves = _halves(share or 0.0, width)
    full, half = divmod(halves, 2)
    return merge(
        (
            (signs.gauge * full, role),
            (signs.gauge_half * half, role),
            (signs.gauge_rest * (width - full - half), "rule"),
        )
    )


def pool_gauge(width: int, fill: Fill, used: float, part: float, budget: float | None = None) -> Row:
    """One memory for two: of the `used` share the `part` is the GPU's, drawn first and whole; then the rest
    of what is used, dashed. `budget`: a tick at the most that the part may be. Shares of the whole, 0 to 1.
    """
    signs = fill.glyphs
    stop = round(width * min(1.0, max(0.0, used)))
    own = min(stop, round(width * max(0.0, part)))
    if own == stop > 1 and used - part > 0.5 / width:
        own -= 1  # what is used beside the part is seen
    cells = [(signs.gauge, "text")] * own + [(signs.guessed, "gauge")] * (stop - own)
    cells += [(signs.gauge_rest, "rule")] * (width - stop)
    if budget is not None and width:
        cells[min(width - 1, max(0, round(width * budget)))] = (signs.limit, "text bold")
    return merge(cells)


def _halves(share: float, width: int) -> int:
    if share <= 0:
        return 0
    return 2 * width if share >= 1 else min(2 * width - 1, max(1, int(2 * width * share + 1e-9)))


def progress(
    width: int, fill: Fill, total: float, *, reused: float = 0, reported: float = 0, guessed: float = 0
) -> Row:
    """How far the prompt is read, in tokens: reused at the left, reported, guessed since, and the rest.

    The three parts add up; what is not told is 0. A part that happened has at least one cell.
    """
    signs = fill.glyphs
    parts = ((reused, signs.reused), (reported, signs.gauge), (guessed, signs.guessed))
    spans: list[tuple[str, str]] = []
    used, so_far = 0, 0.0
    after = sum(part > 0 for part, _ in parts) + (sum(part for part, _ in parts) < total)
    for part, sign in parts:
        if part <= 0:
            continue
        so_far += part
        after -= 1
        stop = round(width * min(1.0, so_far / total)) if total else 0
        cells = max(1, min(stop, width - after) - used)
        spans.append((sign * min(cells, width - used), "prefill"))
        used = min(width, used + cells)
    return merge((*spans, (signs.gauge_rest * (width - used), "rule")))


def sparkline(
    values: Sequence[float | None], width: int, fill: Fill, top: float | None = None, role: str = "gauge"
) -> Row:
    """The last `width` values from 0 to `top` (default: the largest), right-aligned; None is a gap."""
    signs = SPARKS[fill]
    shown = values[-width:] if width else ()
    known = [value for value in shown if value is not None]
    high = top or max(known, default=0.0) or 1.0
    text = "".join(" " if value is None else signs[_level(value / high, len(signs))] for value in shown)
    return merge(((text.rjust(width), role),))


def _level(share: float, levels: int) -> int:
    return min(levels - 1, max(0, round(share * (levels - 1))))
