"""Rows: what every function of this room returns, and the few operations on them.

A style is `FG[ on BG][ bold][ dim][ reverse]` with roles for colours (`text`, `prefill`, `track`, …); what a
role looks like is the business of the one who paints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tui.plot.cells import clusters, width

Span = tuple[str, str]
"""(text, style)"""
Row = tuple[Span, ...]
"""Spans of one terminal row from left to right; neighbours differ in style."""


def merge(spans: Iterable[Span]) -> Row:
    """The same row with as few spans as possible."""
    merged: list[Span] = []
    pieces: list[str] = []
    current = ""
    for text, style in spans:
        if not text:
            continue
        if pieces and style != current:
            merged.append(("".join(pieces), current))
            pieces = []
        pieces.append(text)
        current = style
    if pieces:
        merged.append(("".join(pieces), current))
    return tuple(merged)


def plain(row: Row) -> str:
    """The row's text alone."""
    return "".join(text for text, _ in row)


def row_width(row: Row) -> int:
    """Cells of the row."""
    cells = 0
    for text, _ in row:
        cells += len(text) if text.isascii() else width(text)
    return cells


def join(*rows: Sequence[Span]) -> Row:
    """Rows side by side."""
    return merge(span for row in rows for span in row)


def cut(row: Sequence[Span], start: int, stop: int) -> Row:
    """Cells `start` to `stop` of the row; half of a wide character becomes a space."""
    taken: list[Span] = []
    column = 0
    for text, style in row:
        for cluster, cells in clusters(text):
            inside = min(stop, column + cells) - max(start, column)
            if inside == cells and start <= column <= stop:
                taken.append((cluster, style))
            elif inside > 0:
                taken.append((" " * inside, style))
            column += cells
    return merge(taken)


def overlay(row: Sequence[Span], column: int, spans: Sequence[Span]) -> Row:
    """`spans` laid over the row from `column` on; the row keeps its width."""
    total = row_width(tuple(row))
    if column < 0:
        spans, column = cut(spans, -column, row_width(tuple(spans))), 0
    shown = cut(spans, 0, max(0, total - column))
    return join(cut(row, 0, column), shown, cut(row, column + row_width(shown), total))


class Canvas:
    """One row under construction: cells that are painted over each other, then read once."""

    __slots__ = ("_glyphs", "_styles", "width")

    def __init__(self, cells: int, glyph: str = " ", style: str = "text") -> None:
        self.width = cells
        self._glyphs = [glyph] * cells
        self._styles = [style] * cells

    def fill(self, start: int, stop: int, glyph: str, style: str) -> None:
        """Every cell from `start` up to `stop`, as far as it lies on the canvas."""
        start, stop = max(0, start), min(self.width, stop)
        if stop > start:
            self._glyphs[start:stop] = [glyph] * (stop - start)
            self._styles[start:stop] = [style] * (stop - start)

    def dot(self, column: int, glyph: str, style: str) -> None:
        """One cell that lies on the canvas, with a glyph one cell wide: `put` without its care, for bars."""
        self._glyphs[column] = glyph
        self._styles[column] = style

    def put(self, column: int, text: str, style: str) -> None:
        """Text from `column` on; whole clusters only, nothing outside the canvas."""
        cells = len(text)
        if 0 <= column <= self.width - cells and cells and text.isascii() and text.isprintable():
            self._free(column, cells)
            self._glyphs[column : column + cells] = text
            self._styles[column : column + cells] = [style] * cells
            return
        for cluster, cells in clusters(text):
            if cells and 0 <= column <= self.width - cells:
                self._free(column, cells)
                self._glyphs[column] = cluster
                self._styles[column : column + cells] = [style] * cells
                self._glyphs[column + 1 : column + cells] = [""] * (cells - 1)
            column += cells

    def _free(self, column: int, cells: int) -> None:
        """Half a wide character that would be left at either side becomes a space."""
        if column and not self._glyphs[column]:
            self._glyphs[column - 1] = " "
        after = column + cells
        if after < self.width and not self._glyphs[after]:
            self._glyphs[after] = " "

    def blank(self, start: int, stop: int) -> bool:
        """Whether these cells lie on the canvas and hold nothing but spaces."""
        return 0 <= start <= stop <= self.width and all(glyph == " " for glyph in self._glyphs[start:stop])

    def longest(self, start: int, stop: int, span: Span) -> range:
        """The longest stretch from `start` up to `stop` that shows nothing but this cell."""
        best = range(start, start)
        begin = start
        for column in range(start, stop + 1):
            if column == stop or (self._glyphs[column], self._styles[column]) != span:
                if column - begin > len(best):
                    best = range(begin, column)
                begin = column + 1
        return best

    def row(self) -> Row:
        """The same as `merge` makes of all cells, run by run: every frame reads many rows."""
        glyphs, styles = self._glyphs, self._styles
        spans: list[Span] = []
        start, current = 0, styles[0] if styles else ""
        for column, style in enumerate(styles):
            if style != current:
                spans.append(("".join(glyphs[start:column]), current))
                start, current = column, style
        spans.append(("".join(glyphs[start:]), current))
        return tuple(span for span in spans if span[0])
