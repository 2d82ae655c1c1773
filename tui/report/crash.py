"""An error inside toklane: a report for this user alone, without secrets, and the one line that names it."""

from __future__ import annotations

import os
import platform
import re
import sys
import traceback
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

from tui import locations
from tui.engines.failures import without_secrets
from tui.exhausted import exhausted
from tui.plot.cells import clean
from tui.settings import credentials, owned

KEPT = 10
"""So many reports stay; the oldest go."""
_LONGEST_LINE = 500  # characters of the error's own words
_LONGEST = 200_000  # characters; an error that repeats itself a thousand times is understood before
_SHORTEST = 6  # a shorter value is no secret, and would tear holes into the text
_REMOVED = "(removed)"
_NAMES = re.compile(r"key|token|secret|passw|credential|auth", re.IGNORECASE)
_QUERY = re.compile(
    r"([?&][^=&\s]*(?:key|token|secret|passw|auth|sig|credential)[^=&\s]*=)[^&\s'\"#)]+", re.I
)
_USER = re.compile(r"(?<=://)[^/\s@'\"]+(?=@)")


def folder() -> Path:
    """Where the reports lie. Need not exist yet."""
    return locations.state_dir() / "crashes"


def told(error: BaseException, where: str = "") -> str:
    """Keep a report of it; one line for people, which names the report where it could be kept.

    The report holds the lines of our source that were passed, never what their variables held. What the
    system has no more of is no fault of ours: it gets a line with a remedy, and no report.
    """
    if ours_not := exhausted(error):
        return clean(ours_not)
    words = bare(f"{type(error).__name__}: {' '.join(str(error).split())}", os.environ)
    line = f"internal error: {words[:_LONGEST_LINE]}{where}"
    try:
        line += f"; the report is {_kept(error)}"
    except OSError as refused:
        line += f"; no report could be kept ({refused.strerror or refused})"
    return clean(bare(line, os.environ))


def bare(text: str, environ: Mapping[str, str]) -> str:
    """The text without keys: what was read as one, of the environment, in URLs, and what looks like one."""
    known = {value for name, value in environ.items() if _NAMES.search(name)} | credentials.READ
    for secret in sorted((each for each in known if len(each) >= _SHORTEST), key=len, reverse=True):
        text = text.replace(secret, _REMOVED)
    return without_secrets(_QUERY.sub(rf"\1{_REMOVED}", _USER.sub(_REMOVED, text)))


def _kept(error: BaseException) -> Path:
    place = owned.folder(folder())
    _drop(sorted(place.glob("*.txt"))[: -(KEPT - 1)])
    file = place / f"{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}.txt"
    # cut when the keys are out: half of one is not known for one
    text = bare("\n".join((*_circumstances(), "", *_trace(error))), os.environ)[:_LONGEST]
    owned.replaced(file, "".join(clean(line) + "\n" for line in text.split("\n")).encode())
    return file


def _circumstances() -> Iterable[str]:
    from importlib.metadata import PackageNotFoundError, version

    try:
        number = version("toklane")
    except PackageNotFoundError:
        number = "(not installed)"
    yield f"toklane {number}, Python {platform.python_version()}, {sys.platform} {platform.machine()}"
    yield f"{datetime.now().astimezone().isoformat(timespec='seconds')}, TERM={os.environ.get('TERM', '')}"


def _trace(error: BaseException) -> Iterable[str]:
    for part in traceback.TracebackException.from_exception(error, capture_locals=False).format():
        yield from part.rstrip("\n").split("\n")


def _drop(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)
