"""The pages that --help prints: examples first, and every option as the table of options tells it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tui.settings.flags import COMMANDS, MONITOR, OWN, Flag, flags, settings
from tui.settings.options import Option

WIDTH = 80
_INDENT = "  "
_TERM, _EXAMPLE = 26, 42  # columns of what is typed; what is longer takes a line of its own

EXAMPLES: Mapping[str, Sequence[tuple[str, str]]] = {
    "": (
        ("toklane", "the monitor: a local engine, else the built-in one"),
        ("toklane --demo", "recordings of real requests, without any engine"),
        ("toklane --embedded", "the monitor on the built-in engine"),
        ("toklane --url http://127.0.0.1:8080", "the monitor on that engine"),
        ("toklane run --prompt-tokens 2k --json", "one request, no screen"),
        ("toklane replay FILE", "a recording on the screen"),
        ("toklane doctor", "what can be measured here, and why not the rest"),
        ("toklane serve", "the monitor in a browser"),
    ),
    "run": (
        ("toklane run", "one request to a local engine, as text"),
        ("toklane run --prompt-tokens 2k --json", "the same as numbers, for a prompt of 2,048 tokens"),
        ("toklane run --cache same --repeat 2", "the second time the prompt is reused"),
        ("toklane run --prompt-file essay.txt --record run.jsonl", "an own prompt, recorded"),
        ("toklane run --url https://127.0.0.1:8443 --api-key-env MY_KEY", "the key comes from MY_KEY"),
    ),
    "replay": (
        ("toklane replay FILE", "on the screen, as it happened"),
        ("toklane replay FILE --speed 4 --freeze", "faster, and it stops at each change of phase"),
        ("toklane replay FILE --json", "the numbers, at once"),
    ),
    "tour": (
        ("toklane tour", "at the engine that is there, else from recordings"),
        ("toklane tour --stage --theme projector", "for a room"),
        ("toklane tour --write-script my-tour.toml", "the scenes, as a file to edit"),
        ("toklane tour --script my-tour.toml", "your own scenes"),
        ("toklane tour --demo", "from recordings: no engine and no network"),
    ),
    "doctor": (
        ("toklane doctor", "every engine that is found here"),
        ("toklane doctor --url http://127.0.0.1:8080", "one address"),
    ),
    "selftest": (
        ("toklane selftest", "some 15 seconds, then whether the numbers can be trusted here"),
        ("toklane selftest --json", "for scripts; `trusted` is the verdict"),
    ),
    "serve": (
        ("toklane serve", "on a free port; prints the address"),
        ("toklane serve --port 8000 --stage", "huge figures, on this port"),
        ("toklane serve --url http://127.0.0.1:8080", "esc leaves the recordings"),
    ),
    "model": (
        ("toklane model", "where it lies"),
        ("toklane model --fetch", "fetch it (93 MB, once)"),
    ),
    "keys": (("toklane keys", "key, action, what it does"),),
    "themes": (("toklane themes", "all that --theme takes"),),
    "completions": (
        ('eval "$(toklane completions bash)"', "for this shell; in ~/.bashrc for all"),
        ('eval "$(toklane completions zsh)"', "in ~/.zshrc, after compinit"),
        ("toklane completions fish | source", "in ~/.config/fish/config.fish"),
    ),
}
_NOTES: Mapping[str, Sequence[tuple[str, Sequence[tuple[str, str]]]]] = {
    "": (
        (
            "settings",
            (
                ("config.toml", "in the settings folder; engine, request and screen as above, such as "
                                "max_tokens = 64, and under [keys] own keys: `toklane keys`"),
                ("TOKLANE_…", "the same as variables, such as TOKLANE_MAX_TOKENS; they outrank the file, and "
                              "flags outrank both"),
                ("NO_COLOR", "when it is set to anything, no colours"),
            ),
        ),
        (
            "exit status",
            (
                ("0", "complete"),
                ("1", "the request failed or was incomplete"),
                ("2", "wrong usage"),
                ("3", "no engine"),
                ("130, 143", "interrupted, terminated"),
            ),
        ),
    ),
    "serve": (
        (
            "safety",
            (
                ("127.0.0.1 only", "no other address is served, and pages of other origins are refused"),
                ("nothing is sent", "a tab begins with recordings; only a key in it sends a request"),
            ),
        ),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to type: a flag ("" for a plain word), what it takes ("" for a switch), what it does.

    `part`: the section it stands in. `such_as`: what may follow the flag, or stand as the word.
    """

    flag: str
    takes: str
    does: str
    part: str = OWN
    such_as: tuple[str, ...] = ()


HELP = Entry("--help", "", "this page")
VERSION = Entry("--version", "", "the version, and the folder it runs from")


def entries(command: str) -> tuple[Entry, ...]:
    """All that a command ("" is the monitor) takes."""
    return (*_told(flags(command)), HELP, VERSION, *_told(settings(command)))


def _told(rows: Iterable[Flag | Option]) -> Iterator[Entry]:
    return (Entry(row.flag, row.takes, row.does, row.part, row.such_as) for row in rows)


def page(command: str) -> str:
    """The page of a command ("" is the monitor)."""
    return "\n".join(line.rstrip() for line in _lines(command)) + "\n"


def _lines(command: str) -> Iterator[str]:
    about = COMMANDS.get(command, MONITOR)
    yield from textwrap.wrap(f"toklane {command}".strip() + f" - {about}", WIDTH)
    if examples := EXAMPLES.get(command):
        fitting = [len(words) for words, _ in examples if len(words) <= _EXAMPLE]
        yield from _section("examples", examples, max(fitting, default=0) + 4)
    yield from _heading("usage")
    sections = _sections(entries(command))
    words = [row.takes for row in sections[OWN] if not row.flag]
    yield _INDENT + " ".join(filter(None, ["toklane", command, *words, "[options]"]))
    if not command:
        yield f"{_INDENT}toklane COMMAND [options]"
        yield f"{_INDENT}toklane COMMAND --help"
        yield from _section("commands", COMMANDS.items())
    for name, rows in sections.items():
        yield from _section(name, [(f"{row.flag} {row.takes}".strip(), row.does) for row in rows])
    for name, notes in _NOTES.get(command, ()):
        yield from _section(name, notes)


def _sections(rows: Iterable[Entry]) -> dict[str, list[Entry]]:
    """By section, the command's own first, each in the order in which they come."""
    sections: dict[str, list[Entry]] = {OWN: []}
    for row in rows:
        sections.setdefault(row.part, []).append(row)
    return sections


def _heading(name: str) -> Iterator[str]:
    yield ""
    yield name.upper()


def _section(name: str, rows: Iterable[tuple[str, str]], term: int = _TERM) -> Iterator[str]:
    yield from _heading(name)
    for typed, does in rows:
        yield from _row(typed, does, term)


def _row(typed: str, does: str, column: int) -> Iterator[str]:
    """What is typed, and beside it what it does; below it where it is too long."""
    first = _INDENT + typed
    if len(first) + 2 > column:
        yield first
        first = ""
    lines = textwrap.wrap(does, WIDTH - column) or [""]
    yield f"{first:<{column}}{lines[0]}"
    for line in lines[1:]:
        yield " " * column + line
