"""The tour as it goes: which scene it is at, how far that is, and what its caption says now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tui.app.feed import live, playback
from tui.app.tour.measured import captioned
from tui.app.tour.shown import Part, Shown
from tui.domain.knobs import Knobs, fitted
from tui.domain.view import Stage, View
from tui.plot.cells import clean
from tui.settings.tour_script import Act

if TYPE_CHECKING:
    from tui.app.feed import Feed, Run
    from tui.app.scene import Scene

NO_RECORDING = "there is no engine, and the script names no recording for this scene"


@dataclass(slots=True)
class Tour:
    """Where it stands. It sends nothing itself; who does so tells it by `send`.

    own: the knobs of before. behind: what a tour of recordings was put over, None for one at an engine.
    awaits: an engine is still looked for.
    """

    acts: Sequence[Act]
    own: Knobs
    behind: Callable[[], tuple[Feed, Knobs]] | None = None
    awaits: bool = False
    at: int = 0
    _sent: bool = False
    _run_before: Run | None = None
    _asked: Knobs = field(default_factory=Knobs)
    _seen: dict[int, View] = field(default_factory=dict)  # what each scene's request came to

    @property
    def act(self) -> Act:
        return self.acts[self.at]

    @property
    def last(self) -> bool:
        return self.at == len(self.acts) - 1

    def go(self, at: int, feed: Feed, knobs: Knobs) -> None:
        """To a scene's beginning; what the one before came to is kept. `knobs`: how they stand now."""
        if self._sent and self._own_run(feed):
            self._seen[self.at] = _outcome(feed)
        self.at = at
        self._sent = False
        self._asked = knobs

    def send(self, feed: Feed, knobs: Knobs) -> None:
        """The scene is sent now, with these knobs."""
        self._sent, self._run_before, self._asked = True, feed.run, replace(knobs, auto=False)

    def ask(self, knobs: Knobs) -> None:
        """These knobs will be sent without another key."""
        self._asked = replace(knobs, auto=False)

    def part(self, feed: Feed) -> Part:
        """How far the scene is."""
        if not self._sent:
            return Part.BEFORE
        return Part.WHILE if feed.running and (self._own_run(feed) or live(feed)) else Part.AFTER

    @property
    def unsent(self) -> bool:
        """Whether the scene is still at its beginning."""
        return not self._sent

    def alone(self, scene: Scene) -> Scene:
        """The screen before the scene is sent: nothing of the one before, whose ghost is enough."""
        if self._sent:
            return scene
        return replace(scene, view=View(), calm=None, run_number=0, run_note="", asked=0, running=False)

    def turned(self, feed: Feed, knobs: Knobs) -> bool:
        """Whether a knob was turned since the scene began, or since it was sent."""
        engine = live(feed)
        if engine is None:
            return False
        return replace(knobs, auto=False) not in (self._asked, fitted(self._asked, engine.context))

    def again(self, feed: Feed, knobs: Knobs) -> bool:
        """Whether enter sends the scene once more: it did not go well, or was sent otherwise."""
        if self.part(feed) is not Part.AFTER:
            return False
        return self.turned(feed, knobs) or (live(feed) is not None and not self._well(feed))

    def shown(self, scene: Scene, feed: Feed, knobs: Knobs) -> Shown:
        """For the screen."""
        return Shown(
            self.at + 1,
            len(self.acts),
            clean(self.act.title),
            clean(self._caption(scene, feed)),
            self.part(feed),
            self.turned(feed, knobs),
            self.again(feed, knobs),
        )

    def _own_run(self, feed: Feed) -> bool:
        """Whether what the feed shows is this scene's request."""
        return feed.run is not self._run_before

    def _well(self, feed: Feed) -> bool:
        return self._own_run(feed) and feed.view().complete

    def _caption(self, scene: Scene, feed: Feed) -> str:
        part = self.part(feed)
        if part is Part.AFTER and (trouble := self._trouble(scene, feed)):
            return trouble
        own = scene.view if self._sent and self._own_run(feed) else View()
        return captioned(self.act.captions.get(part.value, ""), own, self._seen.get(self.at - 1, View()))

    def _trouble(self, scene: Scene, feed: Feed) -> str:
        """What happened to a scene that did not come to its end, "" when it did."""
        if not self._own_run(feed):
            engine = live(feed)
            why = (engine.notice or engine.problem or "it was stopped") if engine else NO_RECORDING
            return f"Not shown: {why}."
        if scene.view.complete or playback(feed) is not None:
            return ""
        from tui.app.words import say

        said = say(scene)
        told = next((part for part in said.parts if part), "")
        trouble = f"{said.word}: {told}" if scene.view.stage is Stage.FAILED else f"{said.word} {told}"
        return f"{trouble.strip()}. The tour goes on."


def _outcome(feed: Feed) -> View:
    """What the request came to; a recording tells it before it is played to its end."""
    from tui.capture.tour_session import TourSession

    return feed.outcome() if isinstance(feed, TourSession) else feed.view()
