"""Files of /proc and /sys: kept open and read again, or read once; and why one can't be read."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_CHUNK = 65536
_WORDS = {
    errno.ENOENT: "not on this system",
    errno.ESRCH: "process gone",
    errno.EACCES: "no permission",
    errno.EPERM: "no permission",
    errno.EOPNOTSUPP: "switched off in this kernel",
}


def why(error: OSError) -> str:
    """The reason of a failed read in plain words."""
    return _WORDS.get(error.errno or 0, (error.strerror or "can't be read").lower())


def read_now(path: Path | str) -> bytes:
    """The first 64 KiB of a file, opened for this one read. Raises OSError."""
    fd = os.open(path, os.O_RDONLY)
    try:
        return os.read(fd, _CHUNK)
    finally:
        os.close(fd)


def read_once(path: Path) -> bytes:
    """The whole file, empty when it can't be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


class Kept:
    """One file kept open. For a dead process it answers with an error, whoever has that pid since."""

    __slots__ = ("_fd", "reason")

    def __init__(self, path: Path) -> None:
        self._fd = -1
        self.reason = ""
        try:
            self._fd = os.open(path, os.O_RDONLY)
        except OSError as error:
            self.reason = why(error)

    def read(self) -> bytes:
        """The text of now; empty, with `reason` set, once it can't be read."""
        if self._fd < 0:
            return b""
        text = b""
        try:
            # The kernel hands out a page at a time: a short answer is not yet the end.
            while part := os.pread(self._fd, _CHUNK, len(text)):
                text += part
        except OSError as error:
            self.reason = why(error)
            self.close()
            return b""
        return text

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def number(text: bytes, key: bytes) -> int | None:
    """The whole number behind `key` in lines such as `key 12` or `Key: 12 kB`; None when it isn't there."""
    start = text.find(b"\n" + key) + 1
    if not start and not text.startswith(key):
        return None
    words = text[start + len(key) : start + len(key) + 40].split(None, 1)
    return int(words[0]) if words and words[0].isdigit() else None
