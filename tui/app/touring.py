"""How a tour begins, at the engine that is there or from recordings, and how it is left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tui.app.feed import live
from tui.app.stepping import Stepping

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.app.feed import Live
    from tui.app.playing import Behind
    from tui.domain.knobs import Knobs
    from tui.settings.tour_script import Act

_BUSY = ("fetching", "starting", "ready")


class Touring(Stepping):
    """A board that can be led through a tour, and out of it."""

    def action_tour(self, script: Path | None = None) -> None:
        """The tour, at the engine that is there; without one from recordings."""
        from tui.settings import tour_script

        if self.tour is not None:
            self.say("the tour is on already")
        elif live(self.feed) is not None and self.feed.running:
            self.say("a request is running: stop it first")
        else:
            try:
                acts = tour_script.load(script)
            except tour_script.ScriptError as error:
                self.say(str(error))
                return
            engine = live(self.feed)
            self.begin_tour(acts, recorded=engine is None or engine.found is None)

    def begin_tour(
        self,
        acts: Sequence[Act],
        recorded: bool = False,
        behind: Behind | None = None,
        own: Knobs | None = None,
        awaits: bool = False,
    ) -> None:
        """The first scene. `behind`, `own`: what is there when it is left, by default what is there now.

        awaits: an engine is still looked for; where none is found it turns to recordings.
        """
        from tui.app.tour.tour import Tour  # the board does not wait for it

        self.tour = self.pump.tour = Tour(acts, own or self.pump.knobs, behind, awaits)
        if recorded:
            self._play_recordings()
        else:
            self._open(0)

    def leave_tour(self) -> Live | None:
        """Back to the monitor, with the runs on its dial; the engine's side there, None without a tour."""
        tour = self.tour
        if tour is None:
            return None
        self.tour = self.pump.tour = None
        if tour.behind is not None:
            feed, _ = tour.behind()
            self.change(feed, tour.own)
        self.pump.knobs = tour.own
        self.pump.touch()
        return live(self.feed)

    def leave(self) -> Live | None:
        """One step back: from a tour, else from a demo; the engine's side there, None where there is none."""
        return self.leave_demo() if self.tour is None else self.leave_tour()

    def _play_recordings(self, why: str = "") -> None:
        """The same tour without an engine; one line where it has no recordings."""
        from tui.capture.tour_session import TourSession

        tour = self.tour
        if tour is None:
            return
        tour.awaits = False
        try:
            recordings = TourSession([(act.title, act.recording) for act in tour.acts])
        except (OSError, ValueError) as error:
            self.leave_tour()
            self.say(f"no engine, and no recordings for the tour: {error}")
            return
        before = self.feed
        if tour.behind is None:
            tour.behind = lambda: (before, tour.own)
        self.change(recordings)
        self._open(tour.at)
        if why:
            self.say(why)

    def attend_tour(self, engine: Live) -> None:
        """While an engine is looked for: the built-in one where it can be had at once, else recordings."""
        tour = self.tour
        if tour is None or not tour.awaits:
            return
        if engine.found is not None:
            tour.awaits = False
        if engine.found is not None or engine.aiming or engine.builtin.state in _BUSY:
            return
        if engine.problem or engine.builtin.state == "failed":
            why = engine.problem or engine.builtin.why
            self._play_recordings(f"{why}; the tour plays recordings")
        elif engine.discovered is not None:
            from tui.app.pages import builtin

            there = builtin()
            if there.there and not there.obstacle:
                engine.embed()
            else:
                self._play_recordings("no engine answers here: the tour plays recordings")

    def action_demo(self) -> None:
        if self.tour is not None:
            self.say("leave the tour first")
        else:
            super().action_demo()
