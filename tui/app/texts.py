"""Reasoning, answer and tool calls of one run as wrapped lines, and which message each sign came with."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable

from tui.app.wrapping import Wrapped
from tui.domain.pieces import Pieces
from tui.domain.text import Snapshot
from tui.domain.view import View
from tui.plot.cells import clusters, width
from tui.plot.rows import Row, Span, join, merge

Paint = Callable[[int, str], str]
"""(number of a message, the usual style of its text) → its style"""
_MOST_KEPT = 400  # lines
_FRESH = 3  # lines at the end: what is in them may still belong to the newest read


class Texts:
    """Wrapped one after the other and told apart; what was wrapped stays as it is."""

    def __init__(self) -> None:
        self._run: object = None
        self._width = 0
        self._parts: dict[str, Wrapped] = {}
        self._read: dict[str, int] = {}
        self._pieces: dict[str, Pieces] = {}
        self._kept: dict[tuple[str, int], list[tuple[str, int]]] = {}
        self._rows: dict[tuple[str, int], Row] = {}
        self._look: object = None

    def follow(self, view: View, width: int) -> bool:
        """Take in what is new; another run or width starts from nothing. True for another run."""
        run = view.track.columns
        other = run is not self._run
        if other or width != self._width:
            self._run, self._width = run, width
            self._parts, self._read, self._pieces = {}, {}, {}
            self._kept, self._rows = {}, {}
        self._take("reasoning", view.reasoning, "secondary")
        self._take("answer", view.answer, "text")
        for n, tool in enumerate(view.tools):
            key = f"tool {n}"
            text = f"{tool.name}({tool.arguments})"
            if self._read.get(key) != len(text):
                self._parts[key] = Wrapped(self._width, "tokenize", "calls ")
                self._parts[key].add(text)
                self._read[key] = len(text)
        return other

    def _take(self, key: str, text: Snapshot, style: str) -> None:
        read = self._read.get(key, 0)
        if text.length > read:
            label = "thinks " if key == "reasoning" else ""
            part = self._parts.setdefault(key, Wrapped(self._width, style, label))
            ends = text.pieces.ends
            news = ends[part.pieces : bisect_right(ends, text.length)]
            part.extend(text.since(read), [end - read for end in news])
            self._read[key] = text.length
            self._pieces[key] = text.pieces

    @property
    def count(self) -> int:
        return sum(len(part) for part in self._parts.values())

    @property
    def blank_end(self) -> int:
        """Empty lines that the text ends with: where it is over they say nothing."""
        part = next(reversed(self._parts.values()), None)
        return part.blank_end if part else 0

    def lines(self, start: int, stop: int) -> list[Row]:
        """Lines `start` up to `stop` of everything."""
        rows: list[Row] = []
        for part in self._parts.values():
            rows += part.rows(max(0, start), max(0, stop))
            start, stop = start - len(part), stop - len(part)
        return rows

    def painted(self, start: int, stop: int, paint: Paint, look: object = None) -> list[Row]:
        """The same lines, each message's text in a style of its own; tool calls stay as they are.

        As long as `look` is the same (and not None) lines that can't change any more are painted once.
        """
        if look is None or look != self._look:
            self._rows.clear()
        self._look = look
        rows: list[Row] = []
        for key, part in self._parts.items():
            own = part.rows(max(0, start), max(0, stop))
            if key in self._pieces:
                first = max(0, start)
                own = [self._painted(key, first + n, row, paint) for n, row in enumerate(own)]
            rows += own
            start, stop = start - len(part), stop - len(part)
        return rows

    def _painted(self, key: str, line: int, row: Row, paint: Paint) -> Row:
        known = self._rows.get((key, line))
        if known is None:
            known = self._painted_anew(key, line, row, paint)
            if line < len(self._parts[key]) - _FRESH:
                if len(self._rows) >= _MOST_KEPT:
                    self._rows.clear()
                self._rows[key, line] = known
        return known

    def _painted_anew(self, key: str, line: int, row: Row, paint: Paint) -> Row:
        usual = row[-1][1] if row else "text"
        spans: list[Span] = [(text, paint(message, usual)) for text, message in self._runs(key, line)]
        label = self._parts[key].label(line)
        return join(((label, "secondary bold"),), spans) if label else merge(spans)

    def _runs(self, key: str, line: int) -> list[tuple[str, int]]:
        """(text, message) along a line; those of lines that can't change any more are kept."""
        known = self._kept.get((key, line))
        if known is None:
            part, pieces = self._parts[key], self._pieces[key]
            known = [(text, pieces.number(piece)) for text, piece in _runs(part, line)]
            if line < len(part) - 1:
                if len(self._kept) >= _MOST_KEPT:
                    self._kept.clear()
                self._kept[key, line] = known
        return known

    def message_at(self, line: int, cell: int) -> int | None:
        """The message whose text stands in a cell of a line, else the nearest one before it in the line."""
        for key, part in self._parts.items():
            if 0 <= line < len(part) and key in self._pieces:
                left, found = width(part.label(line)), None
                for text, message in self._runs(key, line):
                    found = message if found is None or left <= cell else found
                    left += width(text)
                return found
            line -= len(part)
        return None

    def place_of(self, message: int) -> tuple[int, int] | None:
        """(line, cell) where the text of a message begins; None when it has none on the screen."""
        above = 0
        for key, part in self._parts.items():
            index = self._pieces[key].index(message) if key in self._pieces else None
            if index is not None and index < part.pieces:
                line = part.line_of(index)
                cell = width(part.label(line))
                for text, brought in self._runs(key, line):
                    if brought >= message:
                        break
                    cell += width(text)
                return above + line, cell
            above += len(part)
        return None

    def unseen(self, message: int) -> bool:
        """Whether its text is nothing but a line's end, so that no cell shows it."""
        place = self.place_of(message)
        if place is None:
            return False
        line, _ = place
        for key, part in self._parts.items():
            if line < len(part):
                return key not in self._pieces or all(m != message for _, m in self._runs(key, line))
            line -= len(part)
        return False

    def last(self, cells: int) -> str:
        """The end of the text in one line."""
        part = next(reversed(self._parts.values()), None)
        return part.last(cells) if part else ""


def _runs(part: Wrapped, line: int) -> list[tuple[str, int]]:
    """(text, index of its piece) along a line. Blanks belong to what follows them, as in most tokens.

    A piece of blanks alone has the blanks that stand where it came, if there are any.
    """
    text, sign = part.line(line)
    runs: list[tuple[str, int]] = []
    blanks = ""
    for cluster, _ in clusters(text):
        if cluster == " ":
            blanks += cluster
            continue
        piece = part.piece_at(sign)
        sign += len(cluster) - cluster.count(" ")
        if runs and runs[-1][1] == piece:
            runs[-1] = (runs[-1][0] + blanks + cluster, piece)
        elif blanks and (alone := part.blank_before(piece)) is not None:
            runs += [(blanks, alone), (cluster, piece)]
        else:
            runs.append((blanks + cluster, piece))
        blanks = ""
    if blanks and part.pieces:
        runs.append((blanks, min(part.piece_at(sign), part.pieces - 1)))
    return runs
