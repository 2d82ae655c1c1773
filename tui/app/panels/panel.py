"""What every panel is: rows made from a scene, of which only the changed ones are painted again."""

from __future__ import annotations

from collections.abc import Sequence

from textual.geometry import NULL_SIZE, Region
from textual.strip import Strip
from textual.widget import Widget

from tui.app.layout import Form, Plan, TimeRows
from tui.app.scene import Scene
from tui.app.theming import Ink
from tui.plot.glyphs import Fill
from tui.plot.rows import Row, Span, row_width

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
        dirty = [
            Region(0, y, last, 1)
            for y in range(height)
            if (last := _changed_until(_row(before, y), _row(self._rows, y), width))
        ]
        for region in dirty:
            self._strips.pop(region.y, None)
        if dirty:
            self.refresh(*dirty)

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
        return [self._strip(line).crop(x, x + width) for line in range(y, y + height)]

    def _strip(self, y: int) -> Strip:
        strip = self._strips.get(y)
        if strip is None:
            strip = self._strips[y] = self.ink.strip(_row(self._rows, y), self._made_for.width)
        return strip


def _row(rows: Sequence[Row], y: int) -> Row:
    return rows[y] if y < len(rows) else ()


def _changed_until(before: Row, after: Row, width: int) -> int:
    """Up to which cell the row has to be painted again; 0 when both are the same."""
    if before == after:
        return 0
    if row_width(before) != row_width(after):
        return width
    same = 0
    for old, new in zip(reversed(before), reversed(after), strict=False):
        if old != new:
            same += _same_blanks(old, new)
            break
        same += row_width((old,))
    return width - same if same < row_width(after) else width


def _same_blanks(before: Span, after: Span) -> int:
    """How many blanks both texts end with, where they look the same."""
    if before[1] != after[1]:
        return 0
    return min(len(text) - len(text.rstrip(" ")) for text, _ in (before, after))
