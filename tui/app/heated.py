"""How each piece of the answer looks: coloured by its gap, and the one under the cursor on top of it."""

from __future__ import annotations

from tui.app.pointer import Pointer
from tui.app.texts import Texts
from tui.domain.spans import messages_of, read_of
from tui.domain.view import View
from tui.plot import heat
from tui.plot.rows import Row, join

_ON = "background on selected bold"
_SPAN = "background on secondary"


class Heat:
    """The looks of one moment's text. `colourless`: what the cursor is on is turned round."""

    def __init__(self, view: View, pointer: Pointer, by_gaps: bool, colourless: bool) -> None:
        self._view = view
        self._pointer = pointer
        self._by_gaps = by_gaps
        self._colourless = colourless
        self._scale = heat.scale(view.gaps.p50_ns)
        self._known: dict[int, tuple[int, bool]] = {}

    @property
    def look(self) -> object:
        """Equal as long as every piece that has come looks the same."""
        pointer = self._pointer
        return self._scale, self._by_gaps, self._colourless, pointer.at, pointer.anchor

    def legend(self, cells: int) -> Row:
        """What the steps mean, within so many cells."""
        return heat.legend(self._scale, cells)

    def style(self, message: int, usual: str) -> str:
        """The style of a message's text; `usual` where it is nothing special."""
        style = self._by_gap(message, usual) if self._by_gaps else usual
        if not self._pointer.first <= message <= self._pointer.last:
            return style
        if self._colourless:
            turned = style.replace(" reverse", "") if "reverse" in style else f"{style} reverse"
            return f"{turned} underline"
        return _ON if message == self._pointer.at else _SPAN

    def _by_gap(self, message: int, usual: str) -> str:
        read = read_of(self._view, message)
        if read is None:
            return usual
        known = self._known.get(read)
        if known is None:
            columns = self._view.track.columns
            gap_ns = columns.gap[read] if read else None
            known = self._known[read] = (
                self._scale.step(gap_ns),
                len(messages_of(columns, read)) > 1,
            )
        step, together = known
        if not step:
            return f"{usual} {heat.TOGETHER}" if together else usual
        return heat.style(step, together)

    def marked(self, texts: Texts, top: int, rows: list[Row]) -> list[Row]:
        """The rows with a cell for the cursor where the piece under it has no sign of its own."""
        place = texts.place_of(self._pointer.at) if self._pointer.at else None
        if place is None or not 0 <= place[0] - top < len(rows):
            return rows
        line = place[0] - top
        if texts.unseen(self._pointer.at):
            rows[line] = join(rows[line], ((" ", "text reverse underline" if self._colourless else _ON),))
        return rows
