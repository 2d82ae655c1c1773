"""The tables of commands and of what only the command line takes; settings are in the table of options."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from tui.settings.options import OPTIONS, Option

COMMANDS: Mapping[str, str] = {
    "run": "one request, no screen",
    "replay": "a recording or a capture, on the screen or as numbers",
    "tour": "scenes with captions for a room: prefill, decode, the cache, a queue",
    "doctor": "what was found, which phases can be measured here, and why not",
    "selftest": "a scripted server with known times: this machine's error",
    "serve": "the monitor in a browser on this machine, beginning with recordings",
    "model": "where the built-in model lies; fetches it",
    "keys": "all keys",
    "themes": "all themes",
    "completions": "what the tab key completes in bash, zsh or fish",
}
MONITOR = "watch one LLM request live: where the time goes, and every token as it lands"
"""What plain `toklane` does; its name among the commands is ""."""
SHELLS = ("bash", "zsh", "fish")
OWN = "options"
_ENGINE, _SCREEN = "engine", "screen"


@dataclass(frozen=True, slots=True)
class Flag:
    """What is no setting: for which commands, what it takes ("" for a switch), what it does.

    `read` raises ArgumentTypeError. `word`: it is typed without a flag. `part` and `such_as` as of an Option.
    """

    name: str
    commands: tuple[str, ...]
    takes: str
    does: str
    read: Callable[[str], object] = str
    default: object = None
    word: bool = False
    part: str = OWN
    such_as: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        return "" if self.word else "--" + self.name


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def port(text: str) -> int:
    """A TCP port."""
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 1 to 65535")
    return int(text)


def above_zero(text: str) -> float:
    """Seconds, or a factor."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def file(text: str) -> Path:
    """Where a file is or shall be."""
    if not text:
        raise argparse.ArgumentTypeError("the path of a file is needed")
    return Path(text)


FLAGS: tuple[Flag, ...] = (
    Flag("file", ("replay",), "FILE", "a recording or capture, packed by gzip or not", file, word=True),
    Flag("shell", ("completions",), "SHELL", "bash, zsh or fish", word=True, such_as=SHELLS),
    Flag("demo", ("",), "", "recordings of real requests; needs no engine and no network"),
    Flag("demo", ("tour",), "", "from recordings, whatever engine is there"),
    Flag("script", ("tour",), "FILE", "the scenes (default: tour.toml in the settings folder, else what "
                                      "comes along)", file),
    Flag("write-script", ("tour",), "FILE", "write the scenes that come along to a new file, to edit", file),
    Flag("freeze", ("", "replay"), "", "a recording stops at each change of phase, space goes on"),
    Flag("speed", ("replay",), "X", "times the true speed", above_zero, 1.0),
    Flag("plain", ("", "run", "replay"), "", "no screen: a line for each change and each second, then the "
                                             "numbers"),
    Flag("json", ("run", "doctor", "selftest"), "", "one JSON object on stdout"),
    Flag("json", ("replay",), "", "the run as one JSON object; never waits"),
    Flag("record", ("run",), "FILE", "where the recording goes; with --repeat FILE-1, FILE-2 …", file),
    Flag("repeat", ("run",), "N", "so many requests", positive, 1),
    Flag("calibrate", ("run",), "", "send a few prompts of different lengths to an engine that tells "
                                    "nothing, keep what they teach"),
    Flag("clear", ("doctor",), "", "delete all recorded runs and what they taught; nothing else"),
    Flag("port", ("serve",), "N", "the port on 127.0.0.1 (default: a free one)", port, 0),
    Flag("fetch", ("model",), "", "fetch it when it is not there (93 MB, once)"),
)  # fmt: skip


def settings(command: str) -> Iterator[Option]:
    """The settings that a command takes as flags."""
    for option in OPTIONS:
        match command:
            case "" | "serve":
                taken = True
            case "run":
                taken = option.part != _SCREEN
            case "tour":
                taken = option.part == _ENGINE or option.name in ("timeout", "theme", "stage")
            case "doctor":
                taken = option.part == _ENGINE and option.name != "no_download"
            case _:
                taken = command == "replay" and option.name in ("theme", "stage")
        if taken:
            yield option


def flags(command: str) -> Iterator[Flag]:
    """What else it takes."""
    return (flag for flag in FLAGS if command in flag.commands)
