"""The monitor: the app that paints first and imports afterwards, its looks, and how it ends."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, ClassVar

from rich.text import Text
from textual.actions import ActionParseResult
from textual.app import App
from textual.binding import BindingType
from textual.dom import DOMNode

from tui import locations
from tui.app.bindings import everywhere, keymap
from tui.app.cover import Cover
from tui.app.dress import in_256, in_sixteen, page_theme
from tui.app.keyboard import forgiving
from tui.app.stopped import heed
from tui.app.theming import Ink, fill_for
from tui.plot.glyphs import Fill
from tui.settings import owned, themes
from tui.settings.keys import KEYS, Key
from tui.settings.themes import Theme

if TYPE_CHECKING:
    from tui.app.desk import Desk
    from tui.app.feed import Feed
    from tui.domain.knobs import Knobs

INTERRUPTED = 130
_THEME_LOOK_S = 1.0
_PAGES_AFTER_S = 0.5
Opening = Callable[[], "tuple[Feed, Knobs]"]
"""Makes what is shown: who runs requests, and the knobs to begin with."""


class Monitor(App[None], inherit_bindings=False):
    """Shows a feed and turns keys into requests.

    `opening` is called after the first frame, so whatever it imports delays nothing; `on_start` once the
    board is painted. `staged`: it begins on the stage.
    """

    TITLE = "toklane"
    ENABLE_COMMAND_PALETTE = False  # Textual's own; ours is an action of the key table
    BINDINGS: ClassVar[list[BindingType]] = [*everywhere(KEYS)]

    def __init__(
        self,
        opening: Opening,
        *,
        theme: Theme | None = None,
        keys: Sequence[Key] = KEYS,
        on_start: Callable[[], None] | None = None,
        staged: bool = False,
    ) -> None:
        # Textual takes NO_COLOR out of the environment, so it is read before
        self._colourless = bool(os.environ.get("NO_COLOR"))
        if not self._colourless:
            os.environ.pop("NO_COLOR", None)  # set to nothing is not set; Textual would turn to greys
        self.fill = fill_for(self._colourless, sys.stdout.encoding or "")
        super().__init__(forgiving(self.get_driver_class()), ansi_color=self._colourless or None)
        self.keys = keys
        self.palette = theme or themes.load("dark")
        self._stamp = themes.stamp(self.palette.name)
        self._page_themes = 0
        self.desk: Desk | None = None
        self._broken = False
        self._opening = opening
        self._on_start = on_start
        self._staged = staged
        self.set_keymap(keymap(keys, KEYS))
        self._wear(self.palette)

    # -- life -----------------------------------------------------------------------------------------------

    def get_default_screen(self) -> Cover:
        return Cover(self._ink(), self._staged)

    def on_mount(self) -> None:
        heed(self)
        self.call_after_refresh(self._open)
        self.set_interval(_THEME_LOOK_S, self.look_at_theme)

    async def _open(self) -> None:
        """After the first frame: import and build the rest."""
        from tui.app.desk import Desk

        feed, knobs = self._opening()
        self.desk = Desk(self._ink(), self.keys, feed, knobs)
        self.desk.stage(self._staged)
        self.desk.pump.tick()  # so that the first frame of the board is whole
        await self.push_screen(self.desk)
        self.call_after_refresh(self._settle)

    def _settle(self) -> None:
        """Keep the collector away from what stays, then let the work begin."""
        gc.collect()
        gc.freeze()
        gc.enable()
        gc.set_threshold(50_000, 20, 100)
        if self._on_start is not None:
            self._on_start()
        self.set_timer(_PAGES_AFTER_S, self._fetch_pages)

    def _fetch_pages(self) -> None:
        """Import what the first page would wait for, in a quiet moment and beside the frames that go on."""
        if self.desk is not None and self.desk.feed.running:
            self.set_timer(_PAGES_AFTER_S, self._fetch_pages)
        else:
            with contextlib.suppress(RuntimeError):  # no thread to be had: the first page waits a moment
                Thread(target=import_module, args=("tui.app.pages",), daemon=True, name="pages").start()

    async def run_action(
        self,
        action: str | ActionParseResult,
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Actions without a namespace are the main screen's where it has them, else the app's."""
        if default_namespace is None and self.desk is not None and hasattr(self.desk, f"action_{action}"):
            default_namespace = self.desk
        return await super().run_action(action, default_namespace, namespaces)

    def stop_with(self, code: int) -> None:
        """End with this exit status, the terminal restored."""
        self.exit(return_code=code)

    def action_interrupt(self) -> None:
        """Stop the request; quit when none runs."""
        if self.desk is None or not self.desk.stop():
            self.stop_with(INTERRUPTED)

    @property
    def fault(self) -> Exception | None:
        """What it ends with: the first error, of which those on the way out may come."""
        return self._exception

    def _fatal_error(self) -> None:
        """An error inside: a report in a file, and one line that names it; later ones are silent."""
        if self._broken or self._exception is None:
            return
        self._broken = True
        if self._driver is not None and not self._is_mounted:
            self._driver.stop_application_mode()  # what failed halfway in Textual puts nothing back
        try:
            from tui.report import crash

            line = crash.told(self._exception)
        except Exception:  # nothing left to load it, or what takes keys out of its words
            line = f"internal error: {type(self._exception).__name__}"
        self.panic(Text(f"toklane: {line}"))

    # -- looks ----------------------------------------------------------------------------------------------

    def _ink(self) -> Ink:
        return Ink(self._dressed(self.palette), self.fill, self._colourless or self.fill is Fill.MONO)

    def _dressed(self, theme: Theme) -> Theme:
        """The theme as this terminal can show it."""
        match self.console.color_system:
            case "standard":
                return in_sixteen(theme)
            case "256":
                return in_256(theme)
            case _:
                return theme

    def _wear(self, theme: Theme) -> None:
        self.palette = theme
        self._stamp = themes.stamp(theme.name)
        before, self._page_themes = f"toklane-{self._page_themes}", self._page_themes + 1
        page = page_theme(
            self._dressed(theme), f"toklane-{self._page_themes}"
        )  # Textual looks at new names only
        self.register_theme(page)
        self.theme = page.name
        self.unregister_theme(before)
        if self.desk is not None:
            self.desk.repaint(self._ink())

    def use_theme(self, name: str) -> None:
        """Take another theme; a damaged one leaves the old and says why."""
        from tui.app import gallery

        try:
            self._wear(gallery.load(name))
        except themes.ThemeError as error:
            self.say(str(error))

    def look_at_theme(self) -> None:
        """Take over what was changed in the theme's file since it was read; a fault in it is said once."""
        now = themes.stamp(self.palette.name)
        if now != self._stamp:
            self._stamp = now
            if now is not None:
                self.use_theme(self.palette.name)

    def say(self, words: str) -> None:
        if self.desk is not None:
            self.desk.say(words)

    def action_theme(self) -> None:
        names = themes.names()
        at = names.index(self.palette.name) if self.palette.name in names else -1
        for step in range(1, len(names) + 1):
            before = self.palette
            self.use_theme(names[(at + step) % len(names)])
            if self.palette is before:  # a damaged one says so, and the next one is taken
                continue
            if step == 1:
                self.say(f"theme: {self.palette.title}")
            return

    def action_screenshot(self, filename: str | None = None, path: str | None = None) -> None:
        name = filename or f"toklane-{datetime.now():%Y%m%d-%H%M%S}.svg"
        if self._driver is not None and self._driver.is_web:
            picture = io.StringIO(self.export_screenshot())
            self.deliver_text(picture, save_filename=name, mime_type="image/svg+xml")
            return  # the browser keeps it where it keeps what it loads
        for place in (Path(path or "."), locations.state_dir() / "pictures"):
            try:
                self.say(f"saved {self._picture(place, name)}")
                return
            except OSError as error:
                self.say(f"no picture: {error.filename or name}: {error.strerror or error}")

    def _picture(self, folder: Path, name: str) -> Path:
        """Save one in the folder, for this user alone. Raises OSError."""
        picture = self.export_screenshot()
        file = owned.folder(folder.absolute()) / name
        owned.replaced(file, picture.encode())
        return file

    def action_palette(self) -> None:
        from tui.app.commands import Palette

        self.push_screen(Palette())
