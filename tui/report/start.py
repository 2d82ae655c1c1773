"""Puts a session together for a run without a screen, and takes it down again whatever happens."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tui import locations
from tui.capture.channel import Child
from tui.capture.session import Session
from tui.capture.shelf import Shelf
from tui.capture.target import Target
from tui.probes.sampler import Sampler
from tui.report.headless import Job
from tui.report.headless import run as send
from tui.settings.config import ConfigError, Settings, load
from tui.settings.credentials import api_key


def run(options: argparse.Namespace) -> int:
    """`toklane run`, and plain `toklane` without a terminal; the exit status."""
    settings = settings_of(options)
    target = target_of(settings)
    record = getattr(options, "record", None)
    if record is not None:
        _writable(record)
    child = Child.start()
    sampler = Sampler()
    sampler.start()
    session = Session(child, sampler, Shelf(locations.state_dir() / "runs"))
    session.timeout_s = options.timeout
    job = Job(
        knobs=settings.knobs,
        target=target,
        engine=options.engine or "",
        embedded=settings.embedded,
        gguf=Path(settings.gguf).absolute() if settings.gguf else None,
        download=not settings.no_download,
        repeat=getattr(options, "repeat", 1),
        record=record,
        as_json=getattr(options, "json", False),
    )
    try:
        return send(session, job, sys.stdout, sys.stderr)
    finally:
        session.close()


def _writable(record: Path) -> None:
    """A recording that was asked for must be possible before anything is sent. Raises ConfigError."""
    folder = record.absolute().parent
    if record.exists():
        raise ConfigError(f"{str(record)!r} is there already; a recording never overwrites a file")
    if not os.access(folder, os.W_OK):
        raise ConfigError(f"{str(folder)!r} can't be written to; choose another place with --record")


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings of this start. Raises ConfigError."""
    return load(options.flags, os.environ)


def target_of(settings: Settings) -> Target | None:
    """The address that was named, with its key; None when none was. Raises ConfigError."""
    if not settings.url:
        return None
    key = api_key(settings, os.environ)
    return Target(settings.url, key, settings.model, settings.ca_file or None, settings.insecure)
