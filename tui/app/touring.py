"""What the keys do in a tour: the next step, the scene before, and the way out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tui.app.enter import Enter, enter_does
from tui.app.feed import live, playback
from tui.app.playing import Behind, Playing
from tui.app.tour.shown import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tui.app.feed import Live, Playback
    from tui.app.tour.tour import Tour
    from tui.capture.tour_session import TourSession
    from tui.domain.knobs import Knobs
    from tui.settings.tour_script import Act

_BUSY = ("fetching", "starting", "ready")


class Touring(Playing):
    """A board that can be led through a tour. Nothing is sent without a key."""

    tour: Tour | None = None

    @property
    def own_knobs(self) -> Knobs:
        """The knobs as the person set them: those of a scene are the script's."""
        return self.tour.own if self.tour else self.pump.knobs

    @property
    def engines_behind(self) -> bool:
        return self.tour is not None or super().engines_behind

    # -- begin and end --------------------------------------------------------------------------------------

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

    # -- steps ----------------------------------------------------------------------------------------------

    def enter_in_tour(self) -> bool:
        """What enter does in a tour: send the scene, or what was turned in it; when it is over, go on."""
        tour = self.tour
        if tour is None:
            return False
        part = tour.part(self.feed)
        if self._plays_on(part):
            return True
        if part is Part.BEFORE or tour.again(self.feed, self.pump.knobs):
            self._send_scene(tour)
        elif part is Part.AFTER:
            self._go(tour, tour.at + 1)
        elif tour.turned(self.feed, self.pump.knobs):
            tour.ask(self.pump.knobs)
            self.pump.again = True
        else:
            self.say("this scene is not over yet")
        self.pump.touch()
        return True

    def step_in_tour(self) -> bool:
        """One key for a presenter: send the scene, then the next scene, whatever was turned meanwhile."""
        tour = self.tour
        if tour is None:
            return False
        part = tour.part(self.feed)
        if self._plays_on(part):
            return True
        if part is Part.BEFORE:
            self._send_scene(tour)
        else:
            self._go(tour, tour.at + 1)
        self.pump.touch()
        return True

    def _plays_on(self, part: Part) -> bool:
        """Goes on with a recording that stands still amid its scene; False when none does."""
        player = playback(self.feed)
        if player is None or part is not Part.WHILE or player.playing:
            return False
        player.play()
        self.pump.touch()
        return True

    def back_in_tour(self) -> bool:
        """To the beginning of this scene; from there to the scene before."""
        tour = self.tour
        if tour is None:
            return False
        self._go(tour, tour.at - (tour.part(self.feed) is Part.BEFORE))
        return True

    def action_scene_back(self) -> None:
        if not self.back_in_tour():
            self.say("that key is for the tour: toklane tour")

    def action_demo(self) -> None:
        if self.tour is not None:
            self.say("leave the tour first")
        else:
            super().action_demo()

    def _go(self, tour: Tour, at: int) -> None:
        if at < 0:
            self.say("this is the first scene")
        elif at == len(tour.acts):
            self.say("that was the last scene: esc leaves the tour")
        else:
            self._open(at)

    def _open(self, at: int) -> None:
        """A scene's beginning: its knobs are turned, nothing is sent."""
        tour = self.tour
        if tour is None:
            return
        knobs = tour.acts[at].knobs
        tour.go(at, self.feed, knobs)
        if (recordings := self._recordings()) is not None:
            recordings.clear()
        elif self.feed.running:
            self.feed.cancel()
        self.pump.again = self.pump.paused = False
        self.pump.knobs = replace(knobs, auto=False)
        staged = tour.act.stage
        if staged is not None:
            self.stage(staged)
        self.pump.touch()

    def _send_scene(self, tour: Tour) -> None:
        if live(self.feed) is not None and enter_does(self.feed) is not Enter.SEND:
            self._wait_for_engine()
            return
        tour.send(self.feed, self.pump.knobs)
        if playback(self.feed) is not None:
            self._play_scene(tour)
        else:
            self.pump.send()

    def _play_scene(self, tour: Tour) -> None:
        recordings = self._recordings()
        assert recordings is not None
        recordings.at = tour.at
        try:
            self.pump.send()
        except (OSError, ValueError) as error:
            self.say(f"the recording of this scene can't be played: {error}")

    def _recordings(self) -> TourSession | None:
        """What a tour without an engine plays."""
        if playback(self.feed) is None:
            return None
        from tui.capture.tour_session import TourSession

        return self.feed if isinstance(self.feed, TourSession) else None

    def _player(self) -> Playback | None:
        """As usual; before a scene there is nothing to move in."""
        if self.tour is None or playback(self.feed) is None or self.tour.part(self.feed) is not Part.BEFORE:
            return super()._player()
        self.say("this scene was not played yet")
        return None

    def _wait_for_engine(self) -> None:
        engine = live(self.feed)
        if engine is not None and enter_does(self.feed) is Enter.AGAIN and engine.target is not None:
            engine.aim(engine.target)
            self.say("asking the engine again")
        else:
            self.say("there is no engine yet")
