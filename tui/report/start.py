"""Puts a session together for a run without a screen, and takes it down again whatever happens."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tui import locations
from tui.capture.channel import Channel, Child
from tui.capture.experience import Experience
from tui.capture.session import Session
from tui.capture.shelf import Shelf
from tui.engines.nearby import told
from tui.probes.sampler import Sampler
from tui.report.given import check, places, target_of
from tui.report.headless import Job
from tui.report.headless import run as send
from tui.settings.config import load


def run(options: argparse.Namespace) -> int:
    """`toklane run`, and plain `toklane` without a terminal; the exit status."""
    settings = load(options.flags, os.environ)
    check(options, settings)
    target = target_of(settings)
    records = places(getattr(options, "record", None), getattr(options, "repeat", 1))
    channel = _channel()
    sampler = Sampler()
    sampler.start()
    experience = Experience(locations.experience_file())
    session = Session(channel, sampler, Shelf(locations.state_dir() / "runs"), experience=experience)
    session.also_ask(told(os.environ))
    session.timeout_s = settings.timeout
    job = Job(
        knobs=settings.knobs,
        target=target,
        engine=settings.engine,
        model=settings.model,
        embedded=settings.embedded,
        gguf=Path(settings.gguf).absolute() if settings.gguf else None,
        download=not settings.no_download,
        records=records,
        as_json=getattr(options, "json", False),
        narrated=options.plain,
        calibrate=getattr(options, "calibrate", False),
    )
    try:
        return send(session, job, sys.stdout, sys.stderr)
    finally:
        session.close()


def _channel() -> Channel:
    """The reader in a process of its own, where there can be one."""
    try:
        return Child.start()
    except OSError:
        from tui.capture.in_thread import InThread

        return InThread()
