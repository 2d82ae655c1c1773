"""The command line: what may be typed, and the one-line answers when it is wrong."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tui.settings.flags import COMMANDS, flags, settings
from tui.settings.options import BY_NAME
from tui.settings.usage import WrongUsage

WRONG_USAGE = 2
_LONGEST = 2000  # characters of a complaint; its beginning and its end say most
_KEY_FLAG = re.compile(
    r"(?i)(?:^|\s)--?(?!api-key-(?:env|file)\b)[\w-]*(?:key|token|bearer|password|secret|auth)(?=[=\s:]|$)"
    r"|authorization:|bearer "
)
_KEY = re.compile(r"(?<![\w-])(?!-)[\w+/=.-]{20,}")  # a path or a text is told by what reads it
_IN_SIGHT = (
    "a key does not belong on the command line, which everybody on this machine can read;"
    " --api-key-env VAR names a variable that holds it, --api-key-file FILE a file"
)


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
        if _KEY_FLAG.search(message):
            raise WrongUsage(_IN_SIGHT)
        message = _KEY.sub("…", message)
        raise WrongUsage(f"{message}; see `{self.prog} --help`")

    def format_help(self) -> str:
        from tui.settings import manual  # only who asks for a page waits for it

        return manual.page(self.prog.partition(" ")[2])


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
    parser.add_argument("-h", "--help", action="help")
    parser.add_argument("--version", action=_Version, nargs=0)
    parser.set_defaults(plain=False)
    for flag in flags(command):
        names = [flag.name] if flag.word else [flag.flag]
        if flag.takes:
            taken = flag.such_as if flag.word and flag.such_as else None
            parser.add_argument(
                *names, type=flag.read, default=flag.default, metavar=flag.takes, choices=taken
            )
        else:
            parser.add_argument(*names, action="store_true")
    for option in settings(command):
        if option.takes:
            parser.add_argument(option.flag, metavar=option.takes)
        else:
            parser.add_argument(option.flag, action="store_true", default=None)
    return parser


def complain(message: str) -> None:
    """One line on stderr; what was typed may be in it, and be longer than anybody reads."""
    from tui.plot.cells import clean

    line = clean(message)
    if len(line) > _LONGEST:
        line = f"{line[: _LONGEST // 2]} … {line[-_LONGEST // 2 :]}"
    sys.stderr.write(f"toklane: {line}\n")
