"""The model file of a server on this machine: its header, when it is readable for us; never the weights.

Servers that keep a model in another format have none.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from tui.domain.gguf import Cut, Header, NotGguf, Weight, parse, weights
from tui.domain.gguf_shape import shape_of
from tui.domain.shape import ModelShape

FIRST_BYTES = 4 << 20  # enough for most headers
MOST_BYTES = 64 << 20  # the largest vocabularies take a quarter of it
LEAST_BYTES = 1 << 20  # smaller mappings are no model
MOST_PARTS = 128
_MAGIC = b"GGUF"
# a pipe that somebody calls a model must not hold us up; Windows has neither flag but needs its own
_FLAGS = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PART = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$")
_NO_MODEL = ("clip",)  # eyes and ears of a model lie in a file of their own


@dataclass(frozen=True, slots=True)
class _Seen:
    """One file as it was: another one may take its name."""

    path: str
    size: int
    changed_ns: int


class ModelFile:
    """Remembers what it read: a header is parsed once, however often the server is looked at."""

    def __init__(self, named: Callable[[int], Iterable[str]]) -> None:
        """`named`: paths that may be the model of a process."""
        self._named = named
        self._read: tuple[_Seen, ModelShape | None] | None = None

    def look(self, pids: Iterable[int]) -> ModelShape | None:
        """The shape of the largest model file of these processes, None when there is none to read.

        Takes milliseconds, and some tenths of a second for a file not seen before.
        """
        found = {seen for pid in pids for path in self._named(pid) if (seen := _seen(path)) is not None}
        for seen in sorted(found, key=lambda one: (-one.size, one.path)):
            if self._read is None or self._read[0] != seen:
                self._read = seen, read_shape(Path(seen.path))
            if self._read[1] is not None:
                return self._read[1]
        return None


def read_shape(path: Path) -> ModelShape | None:
    """The shape by the headers of a model file and, when it is one of several parts, of the others."""
    found: list[Weight] = []
    total = 0
    first: Header | None = None
    for part in _parts(path):
        read = _header(part)
        if read is None:
            return None
        header, size = read
        first = first or header
        found += weights(header, size)
        total += size
    if first is None or first.metadata.get("general.architecture") in _NO_MODEL:
        return None
    return shape_of(first.metadata, found, total)


def _parts(path: Path) -> list[Path]:
    told = _PART.search(path.name)
    if told is None or not 0 < int(told[2]) <= MOST_PARTS:
        return [path]
    stem = path.name[: told.start()]
    return [path.with_name(f"{stem}-{i:05}-of-{told[2]}.gguf") for i in range(1, int(told[2]) + 1)]


def _header(path: Path) -> tuple[Header, int] | None:
    """(header, size of the file), None when it is none or can't be read."""
    try:
        with open(os.open(path, _FLAGS), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                return None
            data = file.read(FIRST_BYTES)
            try:
                return parse(data), status.st_size
            except Cut:
                return parse(data + file.read(MOST_BYTES - len(data))), status.st_size
    except (OSError, NotGguf):
        return None


def _seen(path: str) -> _Seen | None:
    """The file if it is a regular one that begins like a model."""
    try:
        fd = os.open(path, _FLAGS)
    except (OSError, ValueError):
        return None
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode) or status.st_size < LEAST_BYTES or os.read(fd, 4) != _MAGIC:
            return None
        return _Seen(path, status.st_size, status.st_mtime_ns)
    except OSError:
        return None
    finally:
        os.close(fd)
