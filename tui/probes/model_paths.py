"""Where the model of a process may lie: the files it has mapped and the words of its command line."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from tui.probes.kept import read_once

_LIBRARY = re.compile(r"\.so(\.|$)")


def linux(pid: int, proc: Path = Path("/proc")) -> Iterator[str]:
    """By /proc. What belongs to another user can be told by its command line alone."""
    folder = proc / str(pid)
    root = folder / "root"
    within = str(root) if os.access(root, os.R_OK | os.X_OK) else ""  # a container has its own folders
    for path in dict.fromkeys(_mapped(read_once(folder / "maps"))):
        yield within + path
    words = read_once(folder / "cmdline").decode(errors="replace").split("\0")
    for path in _words(words):
        yield within + path if os.path.isabs(path) else f"{folder}/cwd/{path}"


def portable(pid: int) -> Iterator[str]:
    """By psutil, on systems without /proc."""
    import psutil

    try:
        process = psutil.Process(pid)
        words = process.cmdline()
        folder = process.cwd()
    except psutil.Error:
        return
    for path in _words(words):
        yield os.path.join(folder, path)


def _words(words: Sequence[str]) -> Iterator[str]:
    for word in words:
        path = word.partition("=")[2] if word.startswith("-") else word
        if os.path.isabs(path) or path.endswith(".gguf"):
            yield path


def _mapped(maps: bytes) -> Iterator[str]:
    for line in maps.decode(errors="replace").splitlines():
        columns = line.split(maxsplit=5)
        if len(columns) > 5 and columns[5].startswith("/") and not _LIBRARY.search(columns[5]):
            yield columns[5]
