"""The main screen at work: what every key of the table does."""

from __future__ import annotations

import os
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, cast

from tui.app.enter import Enter, enter_does
from tui.app.feed import Feed, Live, live, playback
from tui.app.layout import PANELS
from tui.app.pacing import behind, frames_per_s
from tui.app.pump import Pump
from tui.app.stage.plan import LEAST
from tui.app.theming import Ink
from tui.app.touring import Touring
from tui.app.turning import Turning
from tui.domain.knobs import Knobs
from tui.settings.keys import Key, first_key

if TYPE_CHECKING:
    from tui.app.main import Monitor

_SAID_S = 4.0


class Desk(Touring, Turning):
    """The board, its pump, and one action for each row of the key table."""

    def __init__(self, ink: Ink, keys: Sequence[Key], feed: Feed, knobs: Knobs) -> None:
        super().__init__(ink, keys)
        self.feed = feed
        self.pump = Pump(feed, knobs, self.panels, keys)
        self._welcomed = False
        self._notices = ("", "")

    @property
    def monitor(self) -> Monitor:
        return cast("Monitor", self.app)

    def on_mount(self) -> None:
        self.set_interval(1 / frames_per_s(os.environ), self._tick)

    def _tick(self) -> None:
        with self.painter.frame(self):
            self.pump.tick(draw=not behind(self.app))
        if (engine := live(self.feed)) is not None:
            self._attend(engine)

    def _attend(self, engine: Live) -> None:
        """What the engine's side says to the person: remarks, and that there is none."""
        before, self._notices = self._notices, (engine.notice, self.pump.notice)
        for told, now in zip(before, self._notices, strict=True):
            if now != told:
                self.say(now)
        if self.tour is not None:
            self.attend_tour(engine)
            return
        nothing_there = engine.discovered == () and engine.found is None and not engine.aiming
        if nothing_there and not self._welcomed and engine.builtin.state == "off" and self.app.screen is self:
            self._welcomed = True
            self._pages().welcome_page(self.monitor, engine)

    def say(self, words: str) -> None:
        """A word in place of the footer, for a few seconds."""
        self.footer.said = words
        self.pump.touch()
        self.set_timer(_SAID_S, lambda: self._unsay(words))

    def _unsay(self, words: str) -> None:
        if self.footer.said == words:
            self.footer.said = ""
            self.pump.touch()

    # -- requests -------------------------------------------------------------------------------------------

    def action_send(self) -> None:
        if self.enter_in_tour():
            return
        engine = live(self.feed)
        if engine is None:
            self.next_reel()
        elif self.feed.running:
            self.pump.again = True
            self.say(f"sends once more when this one is over; {self._stop_key} stops both")
        else:
            self._enter(engine)
        self.pump.touch()

    def _enter(self, engine: Live) -> None:
        match enter_does(self.feed):
            case Enter.SEND:
                self.pump.send()
            case Enter.AGAIN if engine.target is not None:
                engine.aim(engine.target)
            case Enter.CHOOSE if engine.discovered:
                self._pages().engine_page(self.monitor, engine)
            case Enter.CHOOSE:
                self._pages().welcome_page(self.monitor, engine)
            case _:
                pass

    def action_stop(self) -> None:
        """Stop the request; when none runs, step back from what is maximised, or from a demo."""
        if self.stop():
            return
        if self.maximised:
            self.maximise("")
        elif not self.unpoint():
            self.leave()

    def stop(self) -> bool:
        """Cancel what runs; False when nothing does."""
        self.pump.again = False
        if playback(self.feed) is not None or not self.feed.running:
            return False
        self.feed.cancel()
        self.pump.touch()
        return True

    @property
    def _stop_key(self) -> str:
        return first_key(self.pump.scene.keys["stop"])

    def action_calibrate(self) -> None:
        """Trial prompts, so that the wait of an engine that tells nothing can be split by estimate."""
        engine = live(self.feed)
        if engine is None or engine.found is None:
            self.say("there is no engine to calibrate")
            return
        self.pump.again = self.pump.paused = False
        cost = engine.calibrate(self.pump.knobs)
        self.say(f"calibrating: {cost} · {self._stop_key} stops")

    def action_pause(self) -> None:
        if self.step_in_tour():
            return
        player = playback(self.feed)
        if player is None:
            self.pump.paused = not self.pump.paused
        elif player.playing or self.goes_on:
            player.pause()
        else:
            player.play()
        self.pump.touch()

    # -- view -----------------------------------------------------------------------------------------------

    def action_ghost(self) -> None:
        self.pump.ghost = not self.pump.ghost
        self.pump.touch()

    def action_scroll_up(self) -> None:
        if self.maximised == "answer" or not self.back_in_tour():
            self.answer.scroll(-1)

    def action_scroll_down(self) -> None:
        if self.maximised == "answer" or not self.step_in_tour():
            self.answer.scroll(+1)

    def action_next_panel(self) -> None:
        self.select_next()

    def action_maximise(self, number: int = 1) -> None:
        """Panel `number` (from 1) over everything; the same number again goes back."""
        name = PANELS[number - 1]
        if name == "dial" and self.on_stage:  # where the dial is large already
            self.stage(True, not self.planned.answers)
            return
        self.maximise("" if self.maximised == name else name)

    def action_stage(self) -> None:
        """The stage, and back."""
        self.stage(not self.planned.staged)
        if self.planned.staged and not self.on_stage:
            self.say(f"the stage needs {LEAST[0]} x {LEAST[1]} cells")

    def action_zoom_in(self) -> None:
        self.time.zoom(+1)

    def action_zoom_out(self) -> None:
        self.time.zoom(-1)

    def action_zoom_all(self) -> None:
        self.time.zoom(0)

    def action_copy(self) -> None:
        answer = str(self.pump.scene.view.answer)
        if answer:
            self.app.copy_to_clipboard(answer)
        self.say(f"copied {len(answer):,} characters" if answer else "there is no answer to copy")

    def action_where(self) -> None:
        run = self.feed.run
        self.say(str(run.recording) if run and run.recording else "this run is not recorded")

    # -- pages ----------------------------------------------------------------------------------------------

    def action_help(self) -> None:
        self._pages().help_page(self.monitor)

    def action_detail(self) -> None:
        self._pages().detail_page(self.monitor, self.pump.scene.view, self.feed)

    def action_explain(self) -> None:
        at_ns = self.time.window.cursor_ns if self.maximised == "time" else None
        on = self.maximised or self.selected
        self._pages().explain_page(self.monitor, self.pump.scene, on, self.pointed, at_ns)

    def action_exact(self) -> None:
        if self.only_live():
            return
        if self.pump.knobs.own:
            self.say(f"an own prompt has its own length; {self.pump.scene.keys['profile']} goes on from it")
        else:
            self._pages().exact_page(self.monitor, self.pump.knobs, self._limit, self.pump.turn)

    def action_own(self) -> None:
        if not self.only_live():
            self._pages().own_page(self.monitor, self.pump.knobs, self.pump.turn)

    def action_engine(self) -> None:
        engine = live(self.feed) or self.leave()
        if engine is None:
            self.only_live()
        else:
            self._pages().engine_page(self.monitor, engine)

    def _pages(self) -> ModuleType:
        """Imported when a page is first opened: nothing waits for what it needs."""
        from tui.app import pages

        return pages
