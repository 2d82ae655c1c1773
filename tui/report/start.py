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
from tui.engines.nearby import told
from tui.probes.sampler import Sampler
from tui.report.given import check, places
from tui.report.headless import Job
from tui.report.headless import run as send
from tui.settings.config import Settings, load
from tui.settings.credentials import api_key


def run(options: argparse.Namespace) -> int:
    """`toklane run`, and plain `toklane` without a terminal; the exit status."""
    settings = load(options.flags, os.environ)
    check(options, settings)
    target = target_of(settings)
    records = places(getattr(options, "record", None), getattr(options, "repeat", 1))
    child = Child.start()
    sampler = Sampler()
    sampler.start()
    session = Session(child, sampler, Shelf(locations.state_dir() / "runs"))
    session.also_ask(told(os.environ))
    session.timeout_s = options.timeout
    job = Job(
        knobs=settings.knobs,
        target=target,
        engine=options.engine or "",
        embedded=settings.embedded,
        gguf=Path(settings.gguf).absolute() if settings.gguf else None,
        download=not settings.no_download,
        records=records,
        as_json=getattr(options, "json", False),
        narrated=options.plain,
    )
    try:
        return send(session, job, sys.stdout, sys.stderr)
    finally:
        session.close()


def target_of(settings: Settings) -> Target | None:
    """The address that was named, with its key; None when none was. Raises ConfigError."""
    if not settings.url:
        return None
    key = api_key(settings, os.environ)
    ca_file = settings.ca_file or None
    return Target(settings.url, key, settings.model, ca_file, settings.insecure, settings.api_key_env)
