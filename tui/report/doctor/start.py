"""`toklane doctor`: asks everybody at once, tells what came, and says so by its exit status."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from subprocess import Popen
from typing import TYPE_CHECKING

from tui.capture.spawn import dismiss, spawn
from tui.plot.cells import clean
from tui.probes.sampler import Sampler
from tui.report.given import check, target_of
from tui.settings.config import Settings, load

if TYPE_CHECKING:
    from tui.capture.target import Target
    from tui.report.doctor.findings import Findings
    from tui.report.doctor.program import BuiltIn
    from tui.report.doctor.search import Seen

USABLE, FAILED, NO_ENGINE = 0, 1, 3
PROXIES = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY")


def doctor(options: argparse.Namespace) -> int:
    """The command; its exit status."""
    if options.clear:
        return _clear(options.json)
    settings = load(options.flags, os.environ)
    check(options, settings)
    target = target_of(settings)
    told = _findings(settings, target, _seen(target, settings, settings.engine), settings.engine)
    if options.json:
        from tui.report.doctor.objects import findings_object

        sys.stdout.write(json.dumps(findings_object(told), allow_nan=False) + "\n")
    elif told.usable or target is None:
        from tui.report.doctor.lines import lines

        sys.stdout.write("\n".join(lines(told)) + "\n")
    if told.usable:
        return USABLE
    sys.stderr.write(f"toklane: {clean(told.problem)}\n")
    return NO_ENGINE


def _clear(as_json: bool) -> int:
    from tui.report.doctor import places
    from tui.report.doctor.lines import cleared_line
    from tui.report.doctor.objects import cleared_object

    shelf = places.runs_shelf()
    cleared = places.clear(shelf, places.learned())
    told = json.dumps(cleared_object(cleared)) if as_json else cleared_line(cleared, shelf.directory)
    sys.stdout.write(told + "\n")
    if cleared.problem:
        sys.stderr.write(f"toklane: {clean(cleared.problem)}\n")
    return FAILED if cleared.problem else USABLE


def _seen(target: Target | None, settings: Settings, engine: str) -> Seen:
    """The processes are started first: they get ready while this one still imports what it needs."""
    sampler = Sampler()
    sampler.start()
    reader: Popen[bytes] | None = None
    try:
        try:
            reader = spawn()
        except OSError:
            reader = None
        return _asked(reader, sampler, target, settings, engine)
    finally:
        sampler.close()
        if reader is not None:
            dismiss(reader)


def _asked(
    reader: Popen[bytes] | None, sampler: Sampler, target: Target | None, settings: Settings, engine: str
) -> Seen:
    from tui.capture.channel import Channel, Child
    from tui.engines import nearby
    from tui.report.doctor.search import Search

    bases = () if settings.embedded else nearby.bases(nearby.told(os.environ))
    if reader is not None:
        return Search(Child(reader), sampler, target, bases, engine).run()
    from tui.capture.in_thread import InThread

    channel: Channel = InThread()
    try:
        return Search(channel, sampler, target, bases, engine).run()
    finally:
        channel.close()


def _findings(settings: Settings, target: Target | None, seen: Seen, engine: str) -> Findings:
    from tui.report.doctor.findings import Findings, engine_of
    from tui.report.doctor.places import places
    from tui.report.doctor.probed import groups
    from tui.report.doctor.program import built_in, program
    from tui.report.doctor.terminal import terminal

    inside = built_in(Path(settings.gguf).absolute() if settings.gguf else None)
    host: Mapping[str, str] = seen.reading.host if seen.reading is not None else {}
    return Findings(
        program=program(),
        engines=tuple(engine_of(found, target) for found in seen.engines),
        slow=seen.slow,
        built_in=inside,
        machine=groups(seen.reading),
        host=host,
        terminal=terminal(os.environ, sys.stdout, sys.stdin),
        places=places(),
        problem=_problem(settings, seen, inside, engine),
        proxies=tuple(name for name in PROXIES if os.environ.get(name)),
    )


def _problem(settings: Settings, seen: Seen, inside: BuiltIn, engine: str) -> str:
    """Why no request can be sent anywhere; a model that can still be fetched is no reason."""
    if seen.engines:
        return ""
    if settings.url:
        return seen.problem
    if engine and not settings.embedded:
        late = f" (no answer in time at {', '.join(seen.slow)})" if seen.slow else ""
        return f"no {engine} answers on the usual local ports{late}; name its address with --url"
    if not inside.library:
        return f"no engine was found, and the built-in one is not installed: {inside.remedy}"
    if not inside.fetched and (settings.no_download or settings.gguf):
        return f"no engine was found, and the built-in one lacks its model: {inside.remedy}"
    return seen.problem
