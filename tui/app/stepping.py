"""What the keys do in a tour: the next step, and the scene before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.app.enter import Enter, enter_does
from tui.app.feed import live, playback
from tui.app.playing import Playing
from tui.app.tour.shown import Part
from tui.settings.keys import first_key

if TYPE_CHECKING:
    from tui.app.feed import Playback
    from tui.app.tour.tour import Tour
    from tui.capture.tour_session import TourSession
    from tui.domain.knobs import Knobs


class Stepping(Playing):
    """A board in a tour, from step to step. Nothing is sent without a key."""

    tour: Tour | None = None

    @property
    def own_knobs(self) -> Knobs:
        """The knobs as the person set them: those of a scene are the script's."""
        return self.tour.own if self.tour else self.pump.knobs

    @property
    def engines_behind(self) -> bool:
        return self.tour is not None or super().engines_behind

    def enter_in_tour(self) -> bool:
        """What enter does in a tour: send the scene, or what was turned in it; when it is over, go on."""
        return self._forward(self._by_enter)

    def step_in_tour(self) -> bool:
        """One key for a presenter: send the scene, then the next scene, whatever was turned meanwhile."""
        return self._forward(self._by_one_key)

    def _forward(self, step: Callable[[Tour, Part], None]) -> bool:
        """A recording that stands still amid its scene goes on first; False outside a tour."""
        tour = self.tour
        if tour is None:
            return False
        part, player = tour.part(self.feed), playback(self.feed)
        if player is not None and part is Part.WHILE and not player.playing:
            player.play()
        else:
            step(tour, part)
        self.pump.touch()
        return True

    def _by_enter(self, tour: Tour, part: Part) -> None:
        if part is Part.BEFORE or tour.again(self.feed, self.pump.knobs):
            self._send_scene(tour)
        elif part is Part.AFTER:
            self._go(tour, tour.at + 1)
        elif tour.turned(self.feed, self.pump.knobs):
            tour.ask(self.pump.knobs)
            self.pump.again = True
        else:
            self.say("this scene is not over yet")

    def _by_one_key(self, tour: Tour, part: Part) -> None:
        if part is Part.BEFORE:
            self._send_scene(tour)
        else:
            self._go(tour, tour.at + 1)

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

    def _go(self, tour: Tour, at: int) -> None:
        if at < 0:
            self.say("this is the first scene")
        elif at == len(tour.acts):
            self.say(f"that was the last scene: {first_key(self.pump.scene.keys['stop'])} leaves the tour")
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
