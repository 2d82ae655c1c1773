"""The script of the tour: scenes with captions and knobs, read from a TOML file that a speaker can edit."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tui import locations
from tui.domain.knobs import Knobs
from tui.settings import owned, toml
from tui.settings.config import Settings
from tui.settings.options import BY_NAME
from tui.settings.tour_lines import Lines
from tui.settings.usage import WrongUsage

FILE = "tour.toml"
CAPTIONS = ("before", "while", "after")
KNOBS = (
    "prompt_tokens", "max_tokens", "cache", "rivals", "profile", "prompt", "ignore_eos", "temperature",
    "seed",
)  # fmt: skip
PLACEHOLDERS: Mapping[str, str] = {
    "ttft": "time to the first token",
    "queue": "time in the engine's queue",
    "prefill_time": "time of reading the prompt",
    "total": "time of the whole request",
    "prefill": "speed of reading, tok/s",
    "decode": "speed of writing, tok/s",
    "decode_first": "the same of the first quarter of the answer",
    "decode_last": "the same of the last quarter",
    "prompt": "tokens of the prompt",
    "cached": "tokens of it that were reused",
    "tokens": "tokens of the answer",
}
"""What a caption may hold in braces, and what it becomes; behind `before.` that of the scene before."""
BEFORE = "before."
_BRACES = re.compile(r"\{([^{}]*)\}")


class ScriptError(WrongUsage):
    """A script that can't be played; the message is one line: which file, which line, what would be right."""


@dataclass(frozen=True, slots=True)
class Act:
    """One scene of the script.

    captions: by `CAPTIONS`, with placeholders. recording: what is played where there is no engine. stage:
    whether it is shown on the stage; both None when the script leaves it open.
    """

    title: str
    captions: Mapping[str, str] = field(default_factory=dict)
    knobs: Knobs = field(default_factory=Knobs)
    recording: Path | None = None
    stage: bool | None = None


def own_file() -> Path:
    """The speaker's own script. It need not exist."""
    return locations.config_dir() / FILE


def load(file: Path | None = None) -> tuple[Act, ...]:
    """The scenes of `file`, else of the own script if there is one, else of what comes along.

    Raises ScriptError.
    """
    chosen = file or (own_file() if os.path.exists(own_file()) else locations.tour_dir() / FILE)
    try:
        text = chosen.read_text(encoding="utf-8-sig")
    except OSError as error:
        remedy = "`toklane tour --write-script FILE` makes one"
        raise ScriptError(
            f"the script {str(chosen)!r} can't be read: {error.strerror or 'no reason given'}; {remedy}"
        ) from None
    except UnicodeDecodeError:
        raise ScriptError(f"the script {str(chosen)!r} is not UTF-8 text; save it as such") from None
    return parse(text, chosen)


def write(file: Path) -> None:
    """The script that comes along, as a file to edit. It overwrites nothing; raises ScriptError."""
    text = (locations.tour_dir() / FILE).read_text(encoding="utf-8")
    try:
        owned.folder(file.absolute().parent)
        with open(owned.new(file), "w", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        if file.exists():
            raise ScriptError(
                f"{str(file)!r} is there already and is left as it is; name another file"
            ) from None
        raise ScriptError(f"{str(file)!r} can't be written: {error.strerror}; name another file") from None


def parse(text: str, file: Path) -> tuple[Act, ...]:
    """The scenes of a script; `file` names it in messages, and recordings are looked for beside it.

    Raises ScriptError.
    """
    lines = Lines(text, file.name)
    try:
        told = toml.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(lines.of_syntax(error)) from None
    for name in told.keys() - {"scene"}:
        raise ScriptError(
            f"{lines.at(None, name)}: {name!r} stands outside of the scenes; each begins with [[scene]]"
        )
    scenes = told.get("scene")
    if not isinstance(scenes, list) or not scenes or not all(isinstance(each, dict) for each in scenes):
        raise ScriptError(f"{lines.at(None, 'scene')}: a script needs scenes; each begins with [[scene]]")
    return tuple(_Scene(lines, n, each, file.parent).act() for n, each in enumerate(scenes))


class _Scene:
    """One scene as it was read; `number` from 0."""

    def __init__(self, lines: Lines, number: int, told: Mapping[str, Any], folder: Path) -> None:
        self._lines = lines
        self._number = number
        self._told = told
        self._folder = folder

    def act(self) -> Act:
        known = ("title", *CAPTIONS, *KNOBS, "recording", "stage")
        for name in self._told:
            if name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(known)}"
                raise self._wrong(name, f"a scene has no {name!r}; {hint}")
        if "title" not in self._told:
            raise self._wrong("", 'a scene needs a title, such as title = "a short prompt"')
        return Act(
            title=self._text("title"),
            captions={name: self._caption(name) for name in CAPTIONS if name in self._told},
            knobs=self._knobs(),
            recording=self._recording(),
            stage=self._stage(),
        )

    def _wrong(self, name: str, why: str) -> ScriptError:
        return ScriptError(f"{self._lines.at(self._number, name)}: {why}")

    def _text(self, name: str) -> str:
        told = self._told[name]
        if not isinstance(told, str) or not told.strip():
            raise self._wrong(name, f'{name} needs a text in quotes, such as {name} = "…"')
        return " ".join(told.split())

    def _caption(self, name: str) -> str:
        text = self._text(name)
        for wanted in placeholders(text):
            bare = wanted.removeprefix(BEFORE)
            if bare not in PLACEHOLDERS:
                near = get_close_matches(bare, PLACEHOLDERS, 1)
                hint = f"did you mean {{{near[0]}}}?" if near else f"there are {', '.join(PLACEHOLDERS)}"
                raise self._wrong(name, f"nothing is known as {{{wanted}}}; {hint}")
        return text

    def _knobs(self) -> Knobs:
        values: dict[str, Any] = {}
        for name in KNOBS:
            if name in self._told:
                try:
                    values[name] = BY_NAME[name].read(self._told[name])
                except ValueError as error:
                    raise self._wrong(name, f"{name} needs {error}") from None
        return replace(Settings(), **values).knobs

    def _recording(self) -> Path | None:
        if "recording" not in self._told:
            return None
        name = self._text("recording")
        found = next((place for place in _places(name, self._folder) if os.path.isfile(place)), None)
        if found is None:
            raise self._wrong(
                "recording",
                f"there is no file {name!r}, neither beside the script nor among those that come along",
            )
        return found

    def _stage(self) -> bool | None:
        told = self._told.get("stage")
        if told is not None and not isinstance(told, bool):
            raise self._wrong("stage", "stage needs true or false")
        return told


def placeholders(text: str) -> Iterator[str]:
    """What stands in braces."""
    return (found[1] for found in _BRACES.finditer(text))


def filled(text: str, values: Mapping[str, str]) -> str:
    """The caption with a value in the place of each placeholder."""
    return _BRACES.sub(lambda found: values.get(found[1], found[0]), text)


def _places(name: str, folder: Path) -> Iterator[Path]:
    """Where a recording may lie."""
    yield folder / name
    if Path(name).name == name:
        yield locations.tour_dir() / name
        yield locations.demo_dir() / name
