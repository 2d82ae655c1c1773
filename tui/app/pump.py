"""The one frame tick: take in what came, look once, and hand the scene to the panels that are due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.app.expectation import Estimates
from tui.app.feed import Feed, live, playback
from tui.app.history import History
from tui.app.insights import Insights
from tui.app.panels.panel import Panel
from tui.app.scene import Scene, gather
from tui.domain.knobs import Knobs, fitted
from tui.domain.shelf import Ghost
from tui.domain.view import View
from tui.plot.numbers import count
from tui.settings.keys import KEYS, Key

if TYPE_CHECKING:
    from tui.app.tour.tour import Tour


class Pump:
    """Holds what only the screen knows (knobs, pause, ghost); `tick` costs next to nothing without news.

    notice: what was done to the knobs and why, to be said once.
    """

    def __init__(self, feed: Feed, knobs: Knobs, panels: Sequence[Panel], keys: Sequence[Key] = KEYS) -> None:
        self.feed = feed
        self.knobs = knobs
        self.ghost = True
        self.again = False
        self.paused = False
        self.notice = ""
        self.tour: Tour | None = None
        self.scene = Scene(knobs=knobs)
        self._panels = panels
        self._keys = {key.action: key.shown for key in keys}
        self._estimates = Estimates()
        self._insights = Insights()
        self._history = History()
        self._view = View()
        self._ghost: Ghost | None = None
        self._frame = 0
        self._turned = False
        self._fresh = True  # something was done on the screen: every panel looks at once
        self._stale: set[Panel] = set()
        self._jumps = 0

    def change(self, feed: Feed, knobs: Knobs | None = None) -> None:
        """Show another feed from now on; without `knobs` those of before stay."""
        self.feed = feed
        self.knobs = knobs or self.knobs
        self.again = self.paused = self._turned = False
        self._view, self._ghost = View(), None
        self._forget()

    def _forget(self) -> None:
        """Time has jumped: what was learned from frame to frame begins anew."""
        self._estimates, self._insights, self._history = Estimates(), Insights(), History()
        player = playback(self.feed)
        self._jumps = player.jumps if player else 0
        self._fresh = True

    def turn(self, knobs: Knobs) -> None:
        """Take over turned knobs; in auto mode they are sent with the next frame, however many turns came."""
        if knobs != self.knobs:
            self._turned = self._turned or (knobs.auto and knobs != replace(self.knobs, auto=True))
            self.knobs = knobs
            self._fresh = True
            self._fit()

    def touch(self) -> None:
        """Something that is shown was changed on the screen."""
        self._fresh = True

    def send(self) -> None:
        """Send with the knobs as they are; the view goes on, so that what was sent is seen."""
        self._turned = self.again = self.paused = False
        self.feed.send(self.knobs)
        self._fresh = True

    def tick(self, draw: bool = True) -> None:
        """One frame. `draw` False takes in what came and leaves the screen to a later one."""
        self._frame += 1
        if self._turned:
            self.send()
        was_running = self.feed.running
        news = self.feed.drain()
        player = playback(self.feed)
        if player is not None and player.jumps != self._jumps:
            self._forget()
        self._fit()
        if was_running and not self.feed.running:
            self._ended()
        if not draw:
            self._fresh = self._fresh or news
            return
        if not (news or self._fresh or self.feed.running):
            self._catch_up()
            return
        if not self.paused:
            self._view = self.feed.view()
        self._show()

    def _fit(self) -> None:
        """What the context can't hold is never sent: the knobs give way as soon as it is known."""
        engine = live(self.feed)
        context = engine.context if engine else None
        if context is None or self.knobs.prompt_tokens + self.knobs.answer_limit <= context:
            return
        knobs = fitted(self.knobs, context)
        if knobs == self.knobs:
            return
        self.knobs = knobs
        told = f"prompt {count(self.knobs.prompt_tokens)} and answer {count(self.knobs.answer_limit)} tokens"
        self.notice = f"the context holds {count(context)} tokens: {told} are sent"
        self._fresh = True

    def _ended(self) -> None:
        self._fresh = True
        if self.again:
            self.send()

    def _show(self) -> None:
        before, self.scene = self.scene, self._look()
        urgent = self._fresh or _turning_point(before, self.scene)
        self._fresh = False
        slowest = max((panel.every for panel in self._panels if panel.plan.shows(panel.id or "")), default=1)
        if not (urgent or self._frame % slowest == 0) and self.scene.view.running:
            self.scene = replace(self.scene, calm=before.written)
        for panel in self._panels:
            if urgent or self._frame % panel.every == 0:
                panel.show(self.scene)
                self._stale.discard(panel)
            else:
                self._stale.add(panel)

    def _catch_up(self) -> None:
        """Nothing is new: only panels whose beat had not come yet still have to look at the scene."""
        for panel in self._panels if self._stale else ():
            if panel in self._stale and self._frame % panel.every == 0:
                panel.show(self.scene)
                self._stale.discard(panel)

    def _earlier(self) -> Ghost | None:
        """The run before the one that is shown: a run is never its own ghost."""
        latest = self.feed.shelf.ghost
        run = None if self.tour is not None and self.tour.unsent else self.feed.run
        if latest is not None and (run is None or latest.number != run.number):
            self._ghost = latest
        return self._ghost

    def _look(self) -> Scene:
        scene = gather(
            self.feed,
            self._view,
            self.knobs,
            ghost=self._earlier() if self.ghost else None,
            paused=self.paused,
            again=self.again,
        )
        scene = self.tour.alone(scene) if self.tour else scene
        # a recording that was seen to its end must not foretell itself
        last_ttft_s = None if scene.replay else scene.ttft_s.get(scene.asked)
        expectation = self._estimates.follow(scene.run_number, scene.view, last_ttft_s)
        return replace(
            scene,
            keys=self._keys,
            told=self._insights.follow(scene.run_number, scene.view),
            history=self._history.live(scene.pressure)
            if scene.replay is None
            else self._history.played(scene.view.samples),
            remaining=expectation.remaining,
            expected_ns=expectation.expected_ns,
            expectation=expectation.labels,
            tour=self.tour.shown(scene, self.feed, self.knobs) if self.tour else None,
        )


def _turning_point(before: Scene, now: Scene) -> bool:
    """Whether something changed that every panel has to say at once."""
    return (
        before.view.stage is not now.view.stage
        or before.activity != now.activity
        or before.running != now.running
        or before.run_number != now.run_number
        or before.tour != now.tour
    )
