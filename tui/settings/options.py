"""The one table of options: the same names in the settings file, as TOKLANE_ variables and as flags."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from tui.domain.knobs import Cache, Profile
from tui.domain.rivals import MOST_RIVALS
from tui.settings.amounts import MOST, tokens

_NEVER_S = 1e6  # eleven days; no system waits for more than a few weeks at once


@dataclass(frozen=True, slots=True)
class Option:
    """One setting: how a raw value (a TOML value or text) is read, what it takes, what it does.

    `takes` is "" for a switch. `read` raises ValueError, whose message says what is wanted and never
    repeats the value. `part`: the section of the help it stands in; `such_as`: values that a shell offers.
    """

    name: str
    read: Callable[[object], object]
    takes: str
    does: str
    part: str = "request"
    such_as: tuple[str, ...] = ()

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "TOKLANE_" + self.name.upper()


def _text(raw: object) -> str:
    if not isinstance(raw, str) or not raw:
        raise ValueError("a text")
    return raw


def _path(raw: object) -> str:
    text = _text(raw)
    if "\0" in text:
        raise ValueError("the path of a file")
    return text


def _variable(raw: object) -> str:
    """The name of a variable. A key in its place must not come back in any message."""
    if not isinstance(raw, str) or not raw.isidentifier():
        raise ValueError("the name of an environment variable that holds the key, not the key itself")
    return raw


def _switch(raw: object) -> bool:
    if isinstance(raw, bool):
        return raw
    known = {
        "1": True,
        "true": True,
        "yes": True,
        "on": True,
        "0": False,
        "false": False,
        "no": False,
        "off": False,
    }
    if not isinstance(raw, str) or raw.lower() not in known:
        raise ValueError("true or false")
    return known[raw.lower()]


def _tokens(raw: object) -> int:
    if isinstance(raw, bool) or not isinstance(raw, (int, str)):
        raise ValueError("a number of tokens such as 512 or 2k")
    # Python does not write every number that a file may hold
    return tokens(raw if isinstance(raw, str) else str(min(max(raw, -1), MOST + 1)))


def _whole(raw: object) -> int:
    with suppress(ValueError):  # also for more digits than Python reads
        if not isinstance(raw, bool) and isinstance(raw, (int, str)) and str(raw).isdecimal():
            return int(raw)
    raise ValueError("a whole number, 0 or more")


def _rivals(raw: object) -> int:
    try:
        number = _whole(raw)
    except ValueError:
        number = MOST_RIVALS + 1
    if number > MOST_RIVALS:
        raise ValueError(f"a whole number from 0 to {MOST_RIVALS}")
    return number


def _number(raw: object) -> float:
    """NaN for what is none."""
    if isinstance(raw, (int, float, str)) and not isinstance(raw, bool):
        with suppress(ValueError, OverflowError):
            return float(raw)
    return math.nan


def _warmth(raw: object) -> float:
    number = _number(raw)
    if not 0 <= number < math.inf:
        raise ValueError("a number, 0 or more")
    return number


def _seconds(raw: object) -> float:
    number = _number(raw)
    if not 0 < number < math.inf:
        raise ValueError("a number of seconds above 0")
    return min(number, _NEVER_S)


def _profile(raw: object) -> Profile:
    try:
        return Profile(raw)
    except ValueError:
        raise ValueError("plain, agent or own") from None


def _reuse(raw: object) -> tuple[Cache, int | None]:
    """What may be reused, and how many tokens are new in mode tail (None: as many as before)."""
    word, colon, new = raw.partition(":") if isinstance(raw, str) else ("", "", "")
    try:
        cache = Cache(word)
        if bool(colon) > (cache is Cache.TAIL):
            raise ValueError
        return cache, tokens(new) if colon else None
    except ValueError:
        raise ValueError("cold, same, or tail:N with N new tokens at the end") from None


_ENGINE, _SCREEN = "engine", "screen"
OPTIONS: tuple[Option, ...] = (
    Option("url", _text, "URL", "the engine: its root, /v1 or the full path", _ENGINE),
    Option("model", _text, "ID", "the model (default: the engine's first)", _ENGINE),
    Option("engine", _text, "NAME", "of the local engines only those of this name (default: the first)",
           _ENGINE),
    Option("embedded", _switch, "", "use the built-in engine", _ENGINE),
    Option("api_key_env", _variable, "VAR", "name of the environment variable that holds the API key",
           _ENGINE),
    Option("api_key_file", _path, "FILE", "file that holds the API key and nothing else", _ENGINE),
    Option("ca_file", _path, "FILE", "certificates to trust (PEM)", _ENGINE),
    Option("insecure", _switch, "", "take any certificate", _ENGINE),
    Option("gguf", _path, "FILE", "another model for the built-in engine", _ENGINE),
    Option("no_download", _switch, "", "never fetch the built-in model", _ENGINE),
    Option("prompt_tokens", _tokens, "N", "length of the prompt, 2k works",
           such_as=("128", "512", "1k", "2k", "4k", "8k", "16k", "32k")),
    Option("prompt", _text, "TEXT", "an own prompt"),
    Option("prompt_file", _path, "FILE", "a file with an own prompt"),
    Option("profile", _profile, "KIND", "plain, agent or own", such_as=("plain", "agent", "own")),
    Option("max_tokens", _tokens, "N", "the answer's limit",
           such_as=("16", "32", "64", "128", "256", "512", "1k")),
    Option("cache", _reuse, "MODE", "what may be reused: cold, same, or tail:N with N new tokens",
           such_as=("cold", "same", "tail:")),
    Option("rivals", _rivals, "N", f"background requests beside it, 0 to {MOST_RIVALS}",
           such_as=tuple(map(str, range(MOST_RIVALS + 1)))),
    Option("temperature", _warmth, "T", "sampling temperature"),
    Option("seed", _whole, "N", "seed of the sampling"),
    Option("ignore_eos", _switch, "", "write up to the limit even if the model would stop"),
    Option("timeout", _seconds, "S", "give up after so long (default: never)"),
    Option("auto", _switch, "", "every turn of a knob sends at once", _SCREEN),
    Option("theme", _text, "NAME", "colours of the screen", _SCREEN),
    Option("stage", _switch, "", "begin on the stage: huge figures for a room (m goes back)", _SCREEN),
)  # fmt: skip
BY_NAME = {option.name: option for option in OPTIONS}
