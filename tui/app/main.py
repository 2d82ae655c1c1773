"""The monitor: the one app, its actions, and how it ends."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from types import ModuleType
from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import App
from textual.binding import Binding

from tui.app.board import EVERYWHERE, Board
from tui.app.feed import Feed, Live, live, playback
from tui.app.layout import PANELS
from tui.app.pump import Pump, frames_per_s
from tui.app.theming import Ink, fill_for, page_theme
from tui.domain import knobs as turning
from tui.domain.knobs import Knobs
from tui.plot.cells import clean
from tui.plot.glyphs import Fill
from tui.settings import themes
from tui.settings.keys import KEYS, Key
from tui.settings.themes import Theme

if TYPE_CHECKING:
    from textual.command import Provider

_SAID_S = 4.0
INTERRUPTED = 130


def _commands() -> type[Provider]:
    from tui.app.commands import Commands

    return Commands


class Monitor(App[None], inherit_bindings=False):
    """Shows a feed and turns keys into requests. `on_start` is called after the first paint."""

    TITLE = "toklane"
    COMMANDS = {_commands}  # noqa: RUF012 - as Textual declares it
    BINDINGS = [  # noqa: RUF012 - as Textual declares it
        Binding(",".join(row.keys), row.action, row.does, show=False, priority=True, id=row.action)
        for row in KEYS
        if row.action in EVERYWHERE
    ]

    def __init__(
        self,
        session: Feed,
        knobs: Knobs | None = None,
        *,
        theme: Theme | None = None,
        keys: Sequence[Key] = KEYS,
        on_start: Callable[[], None] | None = None,
    ) -> None:
        # Textual takes NO_COLOR out of the environment, so it is read before
        self.fill = fill_for(os.environ, sys.stdout.encoding or "")
        self._colourless = bool(os.environ.get("NO_COLOR"))
        super().__init__(ansi_color=True if self._colourless else None)
        self.session = session
        self.keys = keys
        self.look = theme or themes.load("dark")
        self._on_start = on_start
        self._welcomed = False
        self._notice = ""
        self.board = Board(self._ink(), keys)
        self.pump = Pump(session, knobs or Knobs(), self.board.panels)
        self.set_keymap({row.action: ",".join(row.keys) for row in keys if row not in KEYS})

    # -- life -----------------------------------------------------------------------------------------------

    def get_default_screen(self) -> Board:
        return self.board

    def on_mount(self) -> None:
        self._wear(self.look)
        self.set_interval(1 / frames_per_s(os.environ), self._tick)
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        """After the first paint: keep the collector away from what stays, then let the work begin."""
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 20, 100)
        if self._on_start is not None:
            self._on_start()

    def _tick(self) -> None:
        self.pump.tick()
        if (engine := live(self.session)) is not None:
            self._attend(engine)

    def _attend(self, engine: Live) -> None:
        """What an engine's side says to the person: remarks, and that there is none."""
        if engine.notice != self._notice:
            self._notice = engine.notice
            self.say(self._notice)
        nothing_there = engine.discovered == () and engine.found is None and not engine.aiming
        if nothing_there and not self._welcomed and engine.builtin.state == "off":
            self._welcomed = True
            self._pages().welcome_page(self, engine)

    def stop_with(self, code: int) -> None:
        """End with this exit status, the terminal restored. For signal handlers that run in the loop."""
        self.exit(return_code=code)

    def _fatal_error(self) -> None:
        """An error inside: one line instead of a traceback with everybody's variables."""
        error = self._exception
        words = " ".join(str(error).split()) or type(error).__name__
        self.panic(Text(clean(f"toklane: internal error: {type(error).__name__}: {words}")))

    # -- looks ----------------------------------------------------------------------------------------------

    def _ink(self) -> Ink:
        return Ink(self.look, self.fill, self._colourless or self.fill is Fill.MONO)

    def _wear(self, theme: Theme) -> None:
        self.look = theme
        page = page_theme(theme)
        self.register_theme(page)
        self.theme = page.name
        self.board.repaint(self._ink())

    def use_theme(self, name: str) -> None:
        """Take another theme; a damaged one leaves the old and says why."""
        try:
            self._wear(themes.load(name))
        except themes.ThemeError as error:
            self.say(str(error))

    def say(self, words: str) -> None:
        """A word in place of the footer, for a few seconds."""
        self.board.footer.said = words
        self.pump.touch()
        self.set_timer(_SAID_S, lambda: self._unsay(words))

    def _unsay(self, words: str) -> None:
        if self.board.footer.said == words:
            self.board.footer.said = ""
            self.pump.touch()

    # -- requests -------------------------------------------------------------------------------------------

    def action_send(self) -> None:
        engine = live(self.session)
        if self.session.running:
            self.pump.again = True
        elif engine is not None and engine.found is None and engine.builtin.state in ("off", "failed"):
            if not engine.aiming:
                engine.embed()
        elif engine is not None:
            self.pump.send()
        self.pump.touch()

    def action_stop(self) -> None:
        """Stop the request; when none runs, step back from what is maximised."""
        if self.session.running and playback(self.session) is None:
            self._cancel()
        elif self.board.maximised:
            self.board.maximise("")

    def _cancel(self) -> None:
        self.pump.again = False
        if self.session.running:
            self.session.cancel()
            self.pump.touch()

    def action_interrupt(self) -> None:
        if self.session.running and playback(self.session) is None:
            self._cancel()
        else:
            self.stop_with(INTERRUPTED)

    def action_pause(self) -> None:
        player = playback(self.session)
        if player is None:
            self.pump.paused = not self.pump.paused
        elif player.playing:
            player.pause()
        else:
            player.play()
        self.pump.touch()

    # -- knobs ----------------------------------------------------------------------------------------------

    @property
    def _limit(self) -> int | None:
        """Tokens of the model's context."""
        return self.pump.scene.context

    def _turn_prompt(self, direction: int) -> None:
        if self.board.maximised == "time":
            self.board.time.move_cursor(direction)
        else:
            self.pump.turn(turning.turn_prompt(self.pump.knobs, direction, self._limit))

    def _turn_finely(self, tokens: int) -> None:
        knobs = self.pump.knobs
        if self.board.maximised == "time":
            self.board.time.move_cursor(10 if tokens > 0 else -10)
        else:
            self.pump.turn(turning.exact_prompt(knobs, knobs.prompt_tokens + tokens, self._limit))

    def action_shorter(self) -> None:
        self._turn_prompt(-1)

    def action_longer(self) -> None:
        self._turn_prompt(+1)

    def action_finer_shorter(self) -> None:
        self._turn_finely(-turning.FINE)

    def action_finer_longer(self) -> None:
        self._turn_finely(turning.FINE)

    def action_more_answer(self) -> None:
        self.pump.turn(turning.turn_answer(self.pump.knobs, +1, self._limit))

    def action_less_answer(self) -> None:
        self.pump.turn(turning.turn_answer(self.pump.knobs, -1, self._limit))

    def action_cache(self) -> None:
        self.pump.turn(turning.next_cache(self.pump.knobs))

    def action_profile(self) -> None:
        self.pump.turn(turning.next_profile(self.pump.knobs))

    def action_auto(self) -> None:
        self.pump.turn(replace(self.pump.knobs, auto=not self.pump.knobs.auto))

    # -- view -----------------------------------------------------------------------------------------------

    def action_ghost(self) -> None:
        self.pump.ghost = not self.pump.ghost
        self.pump.touch()

    def action_scroll_up(self) -> None:
        self.board.answer.scroll(-1)

    def action_scroll_down(self) -> None:
        self.board.answer.scroll(+1)

    def action_next_panel(self) -> None:
        self.board.select_next()

    def action_maximise(self, number: int) -> None:
        """Panel `number` (from 1) over everything; the same number again goes back."""
        name = PANELS[number - 1]
        self.board.maximise("" if self.board.maximised == name else name)

    def action_zoom_in(self) -> None:
        self.board.time.zoom(+1)

    def action_zoom_out(self) -> None:
        self.board.time.zoom(-1)

    def action_zoom_all(self) -> None:
        self.board.time.zoom(0)

    def action_copy(self) -> None:
        answer = str(self.pump.scene.view.answer)
        if answer:
            self.copy_to_clipboard(answer)
        self.say(f"copied {len(answer):,} characters" if answer else "there is no answer to copy")

    def action_where(self) -> None:
        run = self.session.run
        self.say(str(run.recording) if run and run.recording else "this run is not recorded")

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        name = filename or f"toklane-{datetime.now():%Y%m%d-%H%M%S}.svg"
        try:
            self.say(f"saved {self.save_screenshot(name, path)}")
        except OSError as error:
            self.say(f"no picture: {error.filename or name}: {error.strerror or error}")

    def action_theme(self) -> None:
        names = themes.names()
        at = names.index(self.look.name) if self.look.name in names else -1
        self.use_theme(names[(at + 1) % len(names)])

    # -- pages ----------------------------------------------------------------------------------------------

    def action_help(self) -> None:
        self._pages().help_page(self)

    def action_detail(self) -> None:
        raw = self.session.raw()
        self._pages().detail_page(self, self.pump.scene.view, raw)

    def action_explain(self) -> None:
        self._pages().explain_page(self, self.pump.scene.view, self.board.selected)

    def action_exact(self) -> None:
        if playback(self.session) is None:
            self._pages().exact_page(self, self.pump.knobs, self._limit, self.pump.turn)

    def action_own(self) -> None:
        if playback(self.session) is None:
            self._pages().own_page(self, self.pump.knobs, self.pump.turn)

    def action_engine(self) -> None:
        if (engine := live(self.session)) is not None:
            self._pages().engine_page(self, engine)

    def action_palette(self) -> None:
        self.action_command_palette()

    def _pages(self) -> ModuleType:
        """Imported when a page is first opened: the first paint does not wait for what it needs."""
        from tui.app import pages

        return pages
