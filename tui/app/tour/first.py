"""`toklane tour`: the tour as the first thing on the screen, at whatever engine is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.app.desk import Desk
    from tui.app.feed import Feed
    from tui.domain.knobs import Knobs
    from tui.settings.tour_script import Act


class TourFirst:
    """Opens a tour. Played from recordings, nothing is asked of any address before it is left."""

    def __init__(
        self,
        acts: Sequence[Act],
        session: Callable[[], tuple[Feed, Knobs]],
        begin: Callable[[], None],
        knobs: Knobs,
        recorded: bool = False,
    ) -> None:
        """`session` makes the real one, `begin` lets it look for its engine; `knobs` are for it."""
        self._acts = acts
        self._session = session
        self._begin = begin
        self._knobs = knobs
        self._recorded = recorded

    def open(self) -> tuple[Feed, Knobs]:
        """What is on the screen at first. Raises ValueError when there is nothing to play."""
        if not self._recorded:
            return self._session()
        from tui.capture.tour_session import TourSession

        return TourSession([(act.title, act.recording) for act in self._acts]), self._knobs

    def begin(self, desk: Desk) -> None:
        """The board is painted: the first scene."""
        if self._recorded:
            desk.begin_tour(self._acts, behind=self._behind, own=self._knobs)
        else:
            self._begin()
            desk.begin_tour(self._acts, own=self._knobs, awaits=True)

    def _behind(self) -> tuple[Feed, Knobs]:
        opened = self._session()
        self._begin()
        return opened
