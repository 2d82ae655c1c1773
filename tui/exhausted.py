"""What the system has no more of: an error that is nobody's fault, as one line with a remedy."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator

_THREADS = "can't start new thread"  # Python says no more than that, and not as an OSError
_PROCESSES = "end other programs, or raise the limit (`ulimit -u`)"
_REMEDIES = {
    errno.EMFILE: "raise the limit (`ulimit -n`)",
    errno.ENFILE: "end other programs",
    errno.ENOMEM: "end other programs, or raise the limit (`ulimit -v`)",
    errno.EAGAIN: _PROCESSES,
    errno.ENOSPC: "make room",
    errno.EDQUOT: "make room",
    errno.EROFS: "set TOKLANE_HOME to another folder",
}


def exhausted(error: BaseException) -> str:
    """The line, also where an error on the way out hides the one it came of; "" for anything else."""
    return next(filter(None, map(_told, chain(error))), "")


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error, the one it came of, and so on."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        yield link
        seen.add(id(link))
        link = link.__cause__ or link.__context__


def _told(error: BaseException) -> str:
    if isinstance(error, MemoryError):
        return f"{os.strerror(errno.ENOMEM)}; {_REMEDIES[errno.ENOMEM]}"
    if isinstance(error, RuntimeError) and str(error) == _THREADS:
        return f"{_THREADS}; {_PROCESSES}"
    if isinstance(error, OSError) and error.errno in _REMEDIES:
        where = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return f"{where}{error.strerror}; {_REMEDIES[error.errno]}"
    return ""
