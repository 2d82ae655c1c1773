"""Opens the monitor: the reader process first, the screen next, everything else after the first paint."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tui import locations
from tui.app.light import travel_light
from tui.capture.spawn import dismiss, spawn
from tui.report.given import check
from tui.settings import last
from tui.settings.config import ConfigError, Layer, Settings, load

if TYPE_CHECKING:
    from subprocess import Popen

    from tui.app.demo_first import DemoFirst
    from tui.app.tour.first import TourFirst
    from tui.capture.channel import Channel
    from tui.capture.session import Session
    from tui.domain.knobs import Knobs
    from tui.settings import themes
    from tui.settings.tour_script import Act


def monitor(options: argparse.Namespace) -> int:
    """Plain `toklane` in a terminal; the exit status."""
    try:
        reader = spawn()
    except OSError:
        return _monitor(options, None)
    try:
        return _monitor(options, reader)
    finally:
        dismiss(reader)


def _monitor(options: argparse.Namespace, reader: Popen[bytes] | None) -> int:
    travel_light()
    acts = _acts(options)  # what is wrong is said before there is a screen
    settings, theme, kept, remark = _settle(options)
    from tui.app.leaving import show
    from tui.app.main import Monitor

    sitting = Sitting(settings, reader)
    first: DemoFirst | TourFirst | None = None
    if acts:
        from tui.app.tour.first import TourFirst

        first = TourFirst(acts, sitting.open, sitting.begin, settings.knobs, options.demo)
    elif options.demo:
        from tui.app.demo_first import DemoFirst

        first = DemoFirst(sitting.open, sitting.begin, settings.knobs, options.freeze)

    def begin() -> None:
        if reader is None:
            app.say("no process of its own for reading: beside this screen stamps are less exact")
        elif remark:
            app.say(remark)
        if first is None:
            sitting.begin()
        elif app.desk is not None:
            first.begin(app.desk)

    def remember() -> None:
        if app.desk is not None:
            # a theme that was only given with this start is not what was last chosen
            chosen = app.palette.name if app.palette.name != theme.name else kept
            _remember(app.desk.own_knobs, chosen, sitting.session)

    opening = first.open if first else sitting.open
    app = Monitor(opening, theme=theme, keys=settings.keys, on_start=begin, staged=settings.stage)
    try:
        status = show(app, remember)
        remember()
    finally:
        sitting.close()
    return status


def _acts(options: argparse.Namespace) -> Sequence[Act]:
    """The scenes of a tour, none where no tour was asked for. Raises ScriptError."""
    if options.command != "tour":
        return ()
    from tui.app.tour.script import acts

    return acts(options.script, options.demo)


def _settle(options: argparse.Namespace) -> tuple[Settings, themes.Theme, str, str]:
    """Settings, theme, the name of the remembered one ("" for none) and a remark.

    What was used last may be gone: then without. Raises ConfigError.
    """
    remembered, remark = last.recall()
    try:
        settings, theme, doubt = _settled(options, remembered)
        return settings, theme, remembered.get("theme", ""), doubt or remark
    except ConfigError as error:
        if not remembered:
            raise
        settings, theme, _ = _settled(options, {})
        return settings, theme, "", f"not as it was last: {error}"


def _settled(options: argparse.Namespace, remembered: Layer) -> tuple[Settings, themes.Theme, str]:
    settings = load(options.flags, os.environ, remembered)
    check(options, settings)
    return settings, *_theme(settings.theme)


class Sitting:
    """A session for the screen. Built after the first frame: what it imports takes as long as Textual."""

    def __init__(self, settings: Settings, reader: Popen[bytes] | None) -> None:
        self._settings = settings
        self._reader = reader
        self.session: Session | None = None

    def open(self) -> tuple[Session, Knobs]:
        """The session and the knobs to begin with."""
        from tui.capture.channel import Child
        from tui.capture.experience import Experience
        from tui.capture.session import Session
        from tui.capture.shelf import Shelf
        from tui.engines.nearby import told
        from tui.probes.sampler import Sampler

        sampler = Sampler()
        sampler.start()
        channel = _in_thread() if self._reader is None else Child(self._reader)
        experience = Experience(locations.experience_file())
        self.session = session = Session(
            channel, sampler, Shelf(locations.state_dir() / "runs"), experience=experience
        )
        gguf = self._settings.gguf
        session.also_ask(told(os.environ))
        session.timeout_s = self._settings.timeout
        session.download = not self._settings.no_download
        session.gguf = Path(gguf).absolute() if gguf else None
        session.builtin.make_room(self._settings.knobs.rivals)
        return session, self._settings.knobs

    def begin(self) -> None:
        """Turn to the engine that was asked for, else look for one."""
        from tui.report.given import target_of

        session = self.session
        if session is None:
            return
        target = target_of(self._settings)
        if self._settings.embedded:
            session.embed()
        elif target is not None:
            session.aim(target)
        else:
            session.discover(self._settings.engine, self._settings.model)

    def close(self) -> None:
        if self.session is not None:
            self.session.close()


def _in_thread() -> Channel:
    """The reader in this process. What it imports to speak HTTP the child has otherwise."""
    from tui.capture.in_thread import InThread

    return InThread()


def replay(options: argparse.Namespace) -> int:
    """`toklane replay FILE` in a terminal; the exit status."""
    travel_light()
    from tui.app.leaving import show
    from tui.app.main import Monitor
    from tui.capture.recording import NotARecording, read
    from tui.capture.replay_session import ReplaySession

    settings = load(options.flags, os.environ, last.recall()[0])
    theme, remark = _theme(settings.theme)
    try:
        recording = read(options.file)
    except OSError as error:
        raise ConfigError(f"{str(options.file)!r} can't be read: {error.strerror}") from None
    except NotARecording as error:
        raise ConfigError(str(error)) from None
    session = ReplaySession(recording, options.file, options.speed, freeze=options.freeze)

    def begin() -> None:
        session.begin()  # what passed before the first frame was not seen
        if told := " · ".join(filter(None, (recording.remark, remark))):
            app.say(told)

    app = Monitor(
        lambda: (session, session.knobs),
        theme=theme,
        keys=settings.keys,
        on_start=begin,
        staged=settings.stage,
    )
    return show(app)


def _theme(name: str) -> tuple[themes.Theme, str]:
    """The theme and a remark when its file is damaged. Raises ConfigError when there is none."""
    from tui.app import gallery
    from tui.settings import themes

    try:
        return gallery.at_start(name)
    except themes.UnknownTheme as error:
        raise ConfigError(str(error)) from None


def _remember(knobs: Knobs, theme: str, session: Session | None) -> None:
    """For the next start; a state folder that can't be written costs only this memory."""
    if session is None:
        return
    target = session.target
    embedded = session.builtin.chosen
    used = last.Last(
        knobs=knobs,
        theme=theme,
        url="" if embedded or target is None else target.url,
        model="" if embedded or target is None else target.model,
        embedded=embedded,
        api_key_env="" if embedded or target is None else target.key_variable,
        ca_file="" if embedded or target is None else target.ca_file or "",
    )
    with contextlib.suppress(OSError):
        last.save(used)
