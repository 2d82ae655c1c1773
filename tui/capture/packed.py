"""The lines of a file, also of one that gzip packed; none is longer than a program should hold."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path

LONGEST = 1 << 26  # bytes of a line; far more than a read of any answer
CUT = b"?"
"""Stands for a line that can't be had whole. It is damaged, as what it stands for."""
_GZIP = b"\x1f\x8b"
_OTHERS = ((b"BZh", "bzip2"), (b"\xfd7zXZ\0", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"PK\3\4", "zip"))


class NoLines(ValueError):
    """What is there can't hold lines; the message says what it is and what to do: "it is …"."""


def lines(path: Path) -> Iterator[bytes]:
    """Each line with its end; a cut or damaged package gives what comes before. Raises OSError, NoLines."""
    with path.open("rb") as stream:
        kind = os.fstat(stream.fileno()).st_mode
        if stat.S_ISBLK(kind) or stat.S_ISCHR(kind):  # some never end
            raise NoLines("a device, not a file")
        head = stream.peek(8)
        for mark, packer in _OTHERS:
            if head.startswith(mark):
                raise NoLines(f"packed by {packer}: unpack it first (what gzip packed is read as it is)")
        if not head.startswith(_GZIP):
            yield from _bounded(stream)
            return
        try:
            with gzip.GzipFile(fileobj=stream) as unpacked:
                yield from _bounded(unpacked)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            yield CUT


def _bounded(stream: io.BufferedIOBase) -> Iterator[bytes]:
    while line := stream.readline(LONGEST):
        if len(line) < LONGEST or line.endswith(b"\n"):
            yield line
            continue
        while len(line) == LONGEST and not line.endswith(b"\n"):
            line = stream.readline(LONGEST)
        yield CUT
