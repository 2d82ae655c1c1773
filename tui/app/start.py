"""Opens the monitor: the reader process first, the screen next, everything else after the first paint."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

from tui import locations
from tui.capture.channel import Child
from tui.settings import last
from tui.settings.config import ConfigError, Settings, load

if TYPE_CHECKING:
    from tui.app.main import Monitor
    from tui.capture.session import Session
    from tui.settings import themes

TERMINATED = 143


def monitor(options: argparse.Namespace) -> int:
    """Plain `toklane` in a terminal; the exit status."""
    child = Child.start()
    try:
        return _monitor(options, child)
    finally:
        child.close()


def _monitor(options: argparse.Namespace, child: Child) -> int:
    remembered, remark = last.recall()
    settings = load(options.flags, os.environ, remembered)
    # the reader process starts up meanwhile; what follows imports Textual
    from tui.app.main import Monitor
    from tui.capture.session import Session
    from tui.capture.shelf import Shelf
    from tui.probes.sampler import Sampler
    from tui.report.start import target_of

    target = target_of(settings)
    theme = _theme(settings.theme)
    sampler = Sampler()
    session = Session(child, sampler, Shelf(locations.state_dir() / "runs"))
    session.timeout_s = options.timeout
    session.download = not settings.no_download
    session.gguf = Path(settings.gguf).absolute() if settings.gguf else None

    def begin() -> None:
        _heed(app)
        sampler.start()
        if remark:
            app.say(remark)
        if settings.embedded:
            session.embed()
        elif target is not None:
            session.aim(target)
        else:
            session.discover(options.engine or "")

    app = Monitor(session, settings.knobs, theme=theme, keys=settings.keys, on_start=begin)
    try:
        app.run()
        _remember(app, session, settings)
    finally:
        session.close()
    return app.return_code or 0


def replay(options: argparse.Namespace) -> int:
    """`toklane replay FILE` in a terminal; the exit status."""
    from tui.app.main import Monitor
    from tui.capture.recording import NotARecording, read
    from tui.capture.replay_session import ReplaySession

    settings = load(options.flags, os.environ, last.recall()[0])
    theme = _theme(settings.theme)
    try:
        recording = read(options.file)
    except OSError as error:
        raise ConfigError(f"{str(options.file)!r} can't be read: {error.strerror}") from None
    except NotARecording as error:
        raise ConfigError(str(error)) from None
    session = ReplaySession(recording, options.file, options.speed)
    app = Monitor(session, session.knobs, theme=theme, keys=settings.keys, on_start=lambda: _heed(app))
    app.run()
    return app.return_code or 0


def _theme(name: str) -> themes.Theme:
    from tui.settings import themes

    try:
        return themes.load(name)
    except themes.ThemeError as error:
        raise ConfigError(str(error)) from None


def _heed(app: Monitor) -> None:
    """End by the loop when a signal says so: only then does Textual put the terminal back."""
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        with contextlib.suppress(NotImplementedError):  # not on Windows
            loop.add_signal_handler(number, app.stop_with, TERMINATED)


def _remember(app: Monitor, session: Session, settings: Settings) -> None:
    """For the next start; a state folder that can't be written costs only this memory."""
    target = session.target
    embedded = session.builtin.engine is not None
    used = last.Last(
        knobs=app.pump.knobs,
        theme=app.look.name,
        url="" if embedded or target is None else target.url,
        model="" if embedded or target is None else target.model,
        embedded=embedded,
        api_key_env="" if embedded else settings.api_key_env,
        ca_file="" if embedded else settings.ca_file,
    )
    with contextlib.suppress(OSError):
        last.save(used)
