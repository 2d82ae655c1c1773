"""The command line: what may be typed, and the one-line answers when it is wrong."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NoReturn

from tui.settings import manual
from tui.settings.options import BY_NAME, OPTIONS
from tui.settings.usage import WrongUsage

COMMANDS: Mapping[str, str] = {
    "run": "one request, no screen",
    "replay": "a recording or a capture, on the screen or as numbers",
    "doctor": "what was found, which phases can be measured here, and why not",
    "serve": "the monitor in a browser on this machine, beginning with recordings",
    "model": "where the built-in model lies; fetches it",
    "keys": "all keys",
    "themes": "all themes",
    "completions": "what the tab key completes in bash, zsh or fish",
}
SHELLS = ("bash", "zsh", "fish")
WRONG_USAGE = 2
_MONITOR = "watch one LLM request live: where the time goes, and every token as it lands"
_SCREEN_ONLY = ("auto", "theme", "stage")
_TARGET = ("url", "model", "embedded", "api_key_env", "api_key_file", "ca_file", "insecure", "gguf")


class _Version(argparse.Action):
    """Looks the version up only when asked: importing what knows it takes longer than the whole parser."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:

        from importlib.metadata import PackageNotFoundError, version

        try:
            number = version("toklane")
        except PackageNotFoundError:
            number = "(not installed)"
        sys.stdout.write(f"toklane {number} ({Path(__file__).parent})\n")
        parser.exit()


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise WrongUsage(f"{message}; see `{self.prog} --help`")

    def format_help(self) -> str:
        command = self.prog.partition(" ")[2]
        about = COMMANDS.get(command, _MONITOR)
        return manual.page(command, about, self.entries(), {} if command else COMMANDS)

    def entries(self) -> list[manual.Entry]:
        """What may be typed: plain words first, --help and --version last."""
        last = {"help", "version"}
        told = sorted(self._actions, key=lambda action: (bool(action.option_strings), action.dest in last))
        return [_entry(action) for action in told]


def entries(command: str) -> list[manual.Entry]:
    """What a command ("" is the monitor) takes."""
    return _parser(command).entries()


def _entry(action: argparse.Action) -> manual.Entry:
    takes = action.metavar if isinstance(action.metavar, str) else ""
    flag = action.option_strings[-1] if action.option_strings else ""
    return manual.Entry(flag, takes, action.help or "", tuple(action.choices or ()))


def parse(words: Sequence[str]) -> argparse.Namespace:
    """The options of one call: `command` ("" is the monitor), and `flags`, the settings that were typed.

    Raises WrongUsage; SystemExit after --help and --version.
    """
    rest = list(words)
    command = rest.pop(0) if rest and rest[0] in COMMANDS else ""
    if not command and rest and not rest[0].startswith("-"):
        raise WrongUsage(f"there is no command {rest[0]!r}; there are {', '.join(COMMANDS)}")
    options = _parser(command).parse_args(rest)
    if not command and options.freeze and not options.demo:
        raise WrongUsage("--freeze is for recordings: --demo, or `toklane replay FILE`")
    options.command = command
    if options.plain and getattr(options, "json", False):
        raise WrongUsage("--plain and --json can't be given together")
    if getattr(options, "calibrate", False) and (options.record or options.repeat > 1 or options.plain):
        raise WrongUsage("--calibrate sends its own prompts: without --record, --repeat and --plain")
    options.flags = {n: raw for n, raw in vars(options).items() if n in BY_NAME and raw is not None}
    return options


def _parser(command: str) -> _Parser:
    parser = _Parser(prog=f"toklane {command}".strip(), allow_abbrev=False, add_help=False)
    parser.add_argument("-h", "--help", action="help", help="this page")
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="the version, and the folder it runs from"
    )
    if command in ("", "run", "serve"):
        _settings(parser, skip=_SCREEN_ONLY if command == "run" else ())
    if command in ("", "run"):
        parser.add_argument(
            "--engine", metavar="NAME", help="take this engine of those found (default: the first)"
        )
        parser.add_argument(
            "--timeout", type=_seconds, metavar="S", help="give up after so long (default: never)"
        )
    if command == "doctor":
        _settings(parser, skip=[option.name for option in OPTIONS if option.name not in _TARGET])
        parser.add_argument("--engine", metavar="NAME", help="only engines of this name")
        parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
        parser.add_argument(
            "--clear", action="store_true", help="delete all recorded runs and what they taught; nothing else"
        )
    narrated = "no screen: a line for each change and each second, then the numbers"
    if command in ("", "run", "replay"):
        parser.add_argument("--plain", action="store_true", help=narrated)
    else:
        parser.set_defaults(plain=False)
    if not command:
        parser.add_argument(
            "--demo", action="store_true", help="recordings of real requests; needs no engine and no network"
        )
    if command in ("", "replay"):
        parser.add_argument(
            "--freeze", action="store_true", help="a recording stops at each change of phase, space goes on"
        )
    if command == "run":
        parser.add_argument("--json", action="store_true", help="one JSON object on stdout")
        where = "where the recording goes; with --repeat FILE-1, FILE-2 …"
        parser.add_argument("--record", type=Path, metavar="FILE", help=where)
        parser.add_argument("--repeat", type=_positive, default=1, metavar="N", help="so many requests")
        trials = (
            "send a few prompts of different lengths to an engine that tells nothing, keep what they teach"
        )
        parser.add_argument("--calibrate", action="store_true", help=trials)
    if command == "replay":
        parser.add_argument("file", type=Path, metavar="FILE", help="what was recorded or captured")
        parser.add_argument("--json", action="store_true", help="the run as one JSON object; never waits")
        parser.add_argument("--speed", type=_seconds, default=1.0, metavar="X", help="times the true speed")
        parser.add_argument("--theme", metavar="NAME", help=BY_NAME["theme"].does)
        parser.add_argument("--stage", action="store_true", default=None, help=BY_NAME["stage"].does)
    if command == "serve":
        parser.add_argument(
            "--port", type=_port, default=0, metavar="N", help="the port on 127.0.0.1 (default: a free one)"
        )
    if command == "completions":
        parser.add_argument("shell", choices=SHELLS, metavar="SHELL", help="bash, zsh or fish")
    if command == "model":
        parser.add_argument(
            "--fetch", action="store_true", help="fetch it when it is not there (93 MB, once)"
        )
    return parser


def _settings(parser: _Parser, skip: Sequence[str]) -> None:
    for option in OPTIONS:
        if option.name in skip:
            continue
        if option.takes:
            parser.add_argument(option.flag, metavar=option.takes, help=option.does)
        else:
            parser.add_argument(option.flag, action="store_true", default=None, help=option.does)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text) < 65_536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port from 1 to 65535")
    return int(text)


def _seconds(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return number


def complain(message: str) -> None:
    """One line on stderr."""
    sys.stderr.write(f"toklane: {message}\n")
