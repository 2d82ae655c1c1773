"""What was used last (knobs, target, theme), kept for the next start; never a key."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tui import locations
from tui.domain.knobs import Cache, Knobs
from tui.settings import owned
from tui.settings.config import ConfigError, Layer, read
from tui.settings.options import BY_NAME


@dataclass(frozen=True, slots=True)
class Last:
    """What to remember. `api_key_env` is the name of a variable; keys themselves have no place here.

    theme "": none was chosen.
    """

    knobs: Knobs
    theme: str
    url: str = ""
    model: str = ""
    embedded: bool = False
    api_key_env: str = ""
    ca_file: str = ""


def path() -> Path:
    """Where it is kept. Need not exist."""
    return locations.state_dir() / "last.json"


def encode(last: Last) -> str:
    """As JSON, by option name. What a URL may hide (user, password, query) is left out."""
    knobs = last.knobs
    tail = f":{knobs.tail_tokens}" if knobs.cache is Cache.TAIL else ""
    told: dict[str, object] = {
        "url": "" if last.embedded else _bare(last.url),
        "model": last.model,
        "embedded": last.embedded,
        "api_key_env": last.api_key_env,
        "ca_file": last.ca_file,
        "prompt_tokens": knobs.prompt_tokens,
        "max_tokens": knobs.answer_limit,
        "cache": knobs.cache.value + tail,
        "profile": knobs.profile.value,
        "prompt": knobs.own_text,
        "rivals": knobs.rivals,
        "temperature": knobs.temperature,
        "seed": knobs.seed,
        "ignore_eos": knobs.ignore_eos,
        "auto": knobs.auto,
        "theme": last.theme,
    }
    return (
        json.dumps({name: value for name, value in told.items() if value not in ("", None)}, indent=1) + "\n"
    )


def decode(text: str) -> Layer:
    """What `encode` wrote, as a layer of settings. ValueError when it is damaged."""
    told = json.loads(text)
    if not isinstance(told, dict) or told.keys() - BY_NAME.keys():
        raise ValueError("not what was written here")
    try:
        return read({BY_NAME[name]: raw for name, raw in told.items()}, lambda option: option.name)
    except ConfigError as error:
        raise ValueError(str(error)) from error


def recall() -> tuple[Layer, str]:
    """(what was used last, "" or one line about a file that could not be used)."""
    try:
        return decode(path().read_text(encoding="utf-8")), ""
    except FileNotFoundError:
        return {}, ""
    except (OSError, ValueError, RecursionError):
        return {}, f"{path()} could not be used; this start begins with the defaults"


def save(last: Last) -> None:
    """Replace the file at once and whole, readable by its owner only. Raises OSError."""
    file = path()
    owned.folder(file.parent)
    owned.replaced(file, encode(last).encode())


def _bare(url: str) -> str:
    """The address alone."""
    try:
        parts = urlsplit(url if "://" in url else f"//{url}")
    except ValueError:
        return ""
    plain = parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="")
    return urlunsplit(plain).removeprefix("" if "://" in url else "//")
