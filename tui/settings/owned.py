"""Files and folders that only this user may read, whatever the umask says."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

_FILE, _FOLDER = 0o600, 0o700
_BYTES = getattr(os, "O_BINARY", 0)  # Windows would change line ends
AS_IT_IS: int = _BYTES | getattr(os, "O_NOFOLLOW", 0)
"""How to open: bytes stay what they are, and a link in the name's place is refused (not on Windows)."""


def folder(path: Path) -> Path:
    """Make the folder, and each one above it that is missing. Raises OSError."""
    for missing in [each for each in (*reversed(path.parents), path) if not each.exists()]:
        with contextlib.suppress(FileExistsError):  # another program was faster, or a link leads nowhere
            missing.mkdir(mode=_FOLDER)
    path.mkdir(exist_ok=True)  # says what is in the way, if something is
    return path


def new(path: str | Path) -> int:
    """The descriptor of a file that was not there before, to be written. Raises OSError."""
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BYTES, _FILE)


def plain(path: str | Path, flags: int) -> int:
    """The descriptor of a file that is made when missing; `flags`: O_WRONLY and the like. Raises OSError.

    A link, or what is no plain file with one name, is refused: what is written must not land elsewhere.
    """
    descriptor = os.open(path, flags | os.O_CREAT | AS_IT_IS, _FILE)
    seen = os.fstat(descriptor)
    if not stat.S_ISREG(seen.st_mode) or seen.st_nlink > 1:
        os.close(descriptor)
        raise FileExistsError("it is no plain file with one name")
    return descriptor


def replaced(path: Path, data: bytes) -> None:
    """Put a file with these bytes in the place of the old one, whole or not at all. Raises OSError."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)  # of a program with this number that was killed
    descriptor = new(draft)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
        draft.replace(path)
    except OSError:
        with contextlib.suppress(OSError):
            draft.unlink()
        raise
