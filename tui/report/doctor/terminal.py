"""What the terminal can do, as far as its variables and streams tell; nothing is asked of it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

_PLAIN = ("", "dumb", "unknown")
_SAFE = frozenset("-_.+/ ")


@dataclass(frozen=True, slots=True)
class Terminal:
    """term: TERM. colours: how many, 0 for none. size: (columns, rows), None without a terminal. inside: the
    multiplexer. screen: the monitor can be opened here.
    """

    term: str
    colours: int
    no_color: bool
    utf8: bool
    encoding: str
    size: tuple[int, int] | None
    inside: str
    ssh: bool
    screen: bool


def terminal(environ: Mapping[str, str], out: TextIO, into: TextIO | None) -> Terminal:
    """By the environment and the standard streams."""
    term = environ.get("TERM", "")
    columns, rows = shutil.get_terminal_size()
    tty = out.isatty() and into is not None and into.isatty()
    encoding = (out.encoding or "ascii").lower()
    return Terminal(
        term=_word(term),
        colours=_colours(term, environ),
        no_color=bool(environ.get("NO_COLOR")),
        utf8=encoding.replace("-", "") in ("utf8", "utf8sig"),
        encoding=encoding,
        size=(columns, rows) if out.isatty() else None,
        inside=_inside(environ),
        ssh=any(environ.get(name) for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")),
        screen=tty and term not in _PLAIN,
    )


def _colours(term: str, environ: Mapping[str, str]) -> int:
    depth = environ.get("COLORTERM", "").lower()
    if environ.get("NO_COLOR") or (term in _PLAIN and os.name != "nt"):
        return 0
    if depth in ("truecolor", "24bit") or term.endswith("-direct"):
        return 1 << 24
    return 256 if "256color" in term else 16


def _inside(environ: Mapping[str, str]) -> str:
    if environ.get("TMUX"):
        return "tmux"
    if environ.get("STY"):
        return "screen"
    return "zellij" if environ.get("ZELLIJ") else ""


def _word(text: str) -> str:
    """A variable may hold anything."""
    return "".join(c for c in text if c.isascii() and (c.isalnum() or c in _SAFE))[:40]
