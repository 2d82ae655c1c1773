"""What every panel is: rows made from a scene, of which only the changed ones are painted again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.geometry import NULL_SIZE, Region
from textual.strip import Strip
from textual.widget import Widget

from tui.app.layout import Form, Plan, TimeRows
from tui.app.painting import Painter
from tui.app.scene import Scene
from tui.app.theming import Ink
from tui.plot.glyphs import Fill
from tui.plot.rows import Row, Span, join, row_width

SLOW = 5  # four times a second; what changes more often can't be read


class Panel(Widget):
    """One area of the monitor. A subclass says in `rows` what it shows; everything else is here.

    `every` frames it looks at a new scene: 1 = every one (20 a second). Slow panels share one beat: the
    screen's cost is that of the box around all that changed.
    """

    every = 1  # or SLOW
    can_focus = False

    def __init__(self, ink: Ink, name: str) -> None:
        super().__init__(id=name)
        self.ink = ink
        self.plan = Plan(Form.LARGE, {}, TimeRows())
        self.selected = False
        self.painter = Painter()
        self._scene: Scene | None = None
        self._rows: Sequence[Row] = ()
        self._made_for = NULL_SIZE
        self._strips: dict[int, Strip] = {}

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        """What is shown of `scene`: at most `height` rows, each at most `width` cells."""
        raise NotImplementedError

    @property
    def fill(self) -> Fill:
        return self.ink.fill

    @property
    def shown(self) -> Scene | None:
        """The scene that is on the screen."""
        return self._scene

    def show(self, scene: Scene) -> None:
        """Take over a scene; rows that look the same as before cost nothing."""
        self._scene = scene
        if not self.plan.shows(self.id or ""):
            self._made_for = NULL_SIZE
            return
        if self._made_for != self.outer_size or not self.outer_size:
            self._made_for = NULL_SIZE
            self.refresh()
            return
        width, height = self.outer_size
        before, self._rows = self._rows, self.rows(scene, width, height)
        changes = {
            y: change
            for y in range(height)
            if (change := _changed(_row(before, y), _row(self._rows, y), width)) is not None
        }
        if changes:
            self._repaint(changes)

    def _repaint(self, changes: Mapping[int, tuple[int, Row]]) -> None:
        """Bring to the screen what changed: by row, from which cell on, and what stands there."""
        for y in changes:
            self._strips.pop(y, None)
        if not self.painter.ready:
            self.refresh(*(Region(0, y, x + row_width(part), 1) for y, (x, part) in changes.items()))
            return
        box = self.plan.boxes[self.id or ""]
        for y, (x, part) in changes.items():
            cells = min(row_width(part), self._made_for.width - x)  # the next panel is another's
            if cells > 0:
                self.painter.put(box.x + x, box.y + y, self.ink.strip(part, cells))

    def again(self, ink: Ink | None = None) -> None:
        """Make and paint everything anew: other colours, another plan."""
        self.ink = ink or self.ink
        self._made_for = NULL_SIZE
        self.refresh()

    def render_lines(self, crop: Region) -> list[Strip]:
        """Each row becomes a strip once: no border or style of the widget lies over it."""
        if self._made_for != self.outer_size:
            self._made_for = self.outer_size
            self._strips.clear()
            self._rows = self.rows(self._scene, *self.outer_size) if self._scene is not None else ()
        x, y, width, height = crop
        strips = [self._strip(line) for line in range(y, y + height)]
        return strips if width == self._made_for.width else [strip.crop(x, x + width) for strip in strips]

    def _strip(self, y: int) -> Strip:
        strip = self._strips.get(y)
        if strip is None:
            strip = self._strips[y] = self.ink.strip(_row(self._rows, y), self._made_for.width)
        return strip


def _row(rows: Sequence[Row], y: int) -> Row:
    return rows[y] if y < len(rows) else ()


def _changed(before: Row, after: Row, width: int) -> tuple[int, Row] | None:
    """From which cell on the row has to be painted again, and with what; None when both are the same."""
    if before == after:
        return None
    same = 0
    for old, new in zip(before, after, strict=False):
        if old != new:
            break
        same += 1
    start, part = row_width(after[:same]), after[same:]
    rest = row_width(part)
    if row_width(before) != start + rest:
        return start, join(part, ((" " * (width - start - rest), "text"),))
    for old, new in zip(reversed(before[same:]), reversed(part), strict=False):
        if old != new:
            blanks = _same_blanks(old, new)
            return start, (*part[:-1], (new[0][: len(new[0]) - blanks], new[1]))
        part = part[:-1]
    return start, part


def _same_blanks(before: Span, after: Span) -> int:
    """How many blanks both texts end with, where they look the same."""
    if before[1] != after[1]:
        return 0
    return min(len(text) - len(text.rstrip(" ")) for text, _ in (before, after))
