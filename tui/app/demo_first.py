"""`toklane --demo`: the recordings at once; what talks to engines is made when they are left."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.app.desk import Desk
    from tui.app.feed import Feed
    from tui.capture.demo import DemoSession
    from tui.domain.knobs import Knobs


class DemoFirst:
    """Opens a demo in the place of a session. Nothing is asked of any address before it is left."""

    def __init__(
        self,
        session: Callable[[], tuple[Feed, Knobs]],
        begin: Callable[[], None],
        knobs: Knobs,
        freeze: bool = False,
    ) -> None:
        """`session` makes the real one, `begin` lets it look for its engine; `knobs` are for it."""
        self._session = session
        self._begin = begin
        self._knobs = knobs
        self._freeze = freeze
        self._demo: DemoSession | None = None

    def open(self) -> tuple[Feed, Knobs]:
        """The demo, and the knobs that it leaves alone."""
        from tui.capture.demo import DemoSession

        self._demo = DemoSession(freeze=self._freeze)
        return self._demo, self._knobs

    def begin(self, desk: Desk) -> None:
        """The board is painted: play from the first moment on."""
        desk.behind = self._behind
        if self._demo is not None:
            self._demo.begin()

    def _behind(self) -> tuple[Feed, Knobs]:
        opened = self._session()
        self._begin()
        return opened
