"""What holds wherever hostile text was: it is shown, it does nothing, the program goes when told to."""

from __future__ import annotations

import subprocess
from contextlib import suppress
from pathlib import Path

from tests.endings.hostile import ALL, LINES, SEQUENCES, alien, streamed
from tests.endings.terminal import Terminal

STREAM = streamed(
    "begin ",
    *SEQUENCES.values(),
    "\n" + LINES,
    *ALL,
    " the end",
    reasoning=f"thinks {ALL}",
    tool=f"tool{ALL}",
    finish=f"stop{ALL}",
)
WORD = ALL.replace("\0", "")
LONG = "k" * 200_000
PAGES = "?eiodwn23456\x10"
"""Keys that open a page each."""


def sound(terminal: Terminal) -> None:
    """It goes when it is told to, and sent nothing but text."""
    for _ in range(5):
        terminal.press("q")
        with suppress(AssertionError):
            terminal.end(4)
            break
        terminal.press("\x1b")  # a busy program read an escape and the q as one key: a page is open
        terminal.settle(1)
    assert terminal.process.returncode == 0
    assert terminal.restored
    assert alien(terminal.written) == []


def seen(terminal: Terminal, pages: str) -> None:
    """Open each page and go back."""
    for page in pages:
        terminal.press(page)
        terminal.settle(0.2)
        terminal.press("\x1b")
        terminal.settle(0.15)  # at once with the next key it would be alt


def plain(text: str) -> None:
    """Lines for a pipe: no control but the line's end, nothing that turns or hides text."""
    assert alien(text.encode("utf-8", "surrogateescape")) == []
    assert "\x1b" not in text and "\r" not in text


def told(process: subprocess.Popen[str]) -> tuple[str, str]:
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err
    plain(err)
    return out, err


def one_line(process: subprocess.Popen[str], status: int = 2) -> str:
    """It ended with one line that can be read."""
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (status, ""), errors[:500]
    plain(errors)
    assert errors.count("\n") == 1 and len(errors) < 2100 and "internal error" not in errors, errors[:500]
    return errors


def written(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file
