"""What the standard streams can take: closed ones, poor encodings, and remarks that nobody reads."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Mapping

_STREAMS = ("stdin", "stdout", "stderr")
_COERCED = ("C.UTF-8", "C.utf8", "UTF-8")  # what Python itself makes of LC_CTYPE where the locale is C
_TO_ASCII = "tui.to_ascii"


class _Remarks(io.TextIOWrapper):
    """Stderr. One that takes nothing (full, or its reader has gone) costs the remark and not the result."""

    def write(self, text: str, /) -> int:
        with contextlib.suppress(OSError):
            super().write(text)
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            super().flush()


def prepare(environ: Mapping[str, str]) -> None:
    """A closed stream is one to nobody. What a stream's encoding lacks is written in ASCII; no text fails."""
    codecs.register_error(_TO_ASCII, _in_ascii)
    taken = getattr(sys.stdout, "encoding", "") or ""
    encoding = "ascii" if _wants_ascii(environ, taken) else None
    for stream in (sys.stdout, sys.stderr):  # Textual draws to the original ones
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding=encoding or stream.encoding, errors=_TO_ASCII)
    if isinstance(sys.stderr, io.TextIOWrapper):
        out = open(sys.stderr.fileno(), "wb", closefd=False)  # noqa: SIM115
        sys.stderr = _Remarks(out, sys.stderr.encoding, _TO_ASCII, line_buffering=True)
    for name in _STREAMS:
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r" if name == "stdin" else "w"))  # noqa: SIM115


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    from tui.plot.glyphs import to_ascii

    assert isinstance(error, UnicodeEncodeError)
    return to_ascii(error.object[error.start : error.end]), error.end


def _wants_ascii(environ: Mapping[str, str], taken: str) -> bool:
    """The C locale was asked for by name, or one that is not UTF-8 and not installed here.

    Python writes UTF-8 there (`taken` is what it chose); such a terminal may not read it.
    """
    if environ.get("PYTHONIOENCODING") or environ.get("PYTHONUTF8"):
        return False
    kind = environ.get("LC_CTYPE")
    chosen = environ.get("LC_ALL") or (kind if kind not in _COERCED else "") or environ.get("LANG")
    codes = (chosen or "").partition(".")[2].partition("@")[0].lower().replace("-", "")
    foreign = codes not in ("", "utf8") and taken.lower().replace("-", "") == "utf8"
    return foreign or chosen in ("C", "POSIX")
