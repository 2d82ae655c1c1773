"""The settings of one start: defaults < what was used last < settings file < environment < flags."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from tui import locations
from tui.domain.knobs import Cache, Knobs, Profile
from tui.settings import keymap, toml
from tui.settings.keys import KEYS, Key
from tui.settings.options import BY_NAME, OPTIONS, Option
from tui.settings.usage import WrongUsage

Layer = Mapping[str, Any]
"""The settings of one source by option name, read and checked; `keys` may be among them."""

_FILE = "config.toml"
_PREFIX = "TOKLANE_"
_NO_OPTION = {"TOKLANE_HOME", "TOKLANE_TEST_GGUF", "TOKLANE_BROWSER_TEST"}  # the files' place; for tests
_EITHER = (
    {"url", "embedded"},
    {"engine", "embedded"},
    {"prompt", "prompt_file"},
    {"api_key_env", "api_key_file"},
)
_TARGET = {"url", "embedded"}
# they belong to the address they were given with: a key must never be sent to another one
_COMPANIONS = {"model", "api_key_env", "api_key_file", "ca_file", "insecure"}
_KNOBS = Knobs()


class ConfigError(WrongUsage):
    """A setting that can't be used; the message is one line and names it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Every option by its name; "" and None mean not set."""

    url: str = ""
    model: str = ""
    engine: str = ""
    embedded: bool = False
    api_key_env: str = ""
    api_key_file: str = ""
    ca_file: str = ""
    insecure: bool = False
    gguf: str = ""
    no_download: bool = False
    prompt_tokens: int = _KNOBS.prompt_tokens
    prompt: str = ""
    prompt_file: str = ""
    profile: Profile | None = None
    max_tokens: int = _KNOBS.answer_limit
    cache: tuple[Cache, int | None] = (_KNOBS.cache, None)
    rivals: int = _KNOBS.rivals
    temperature: float = _KNOBS.temperature
    seed: int | None = None
    ignore_eos: bool = False
    timeout: float | None = None
    auto: bool = False
    theme: str = "dark"
    stage: bool = False
    keys: tuple[Key, ...] = KEYS

    @property
    def knobs(self) -> Knobs:
        """How the knobs stand. A given prompt is used unless another profile is asked for."""
        profile = self.profile or (Profile.OWN if self.prompt else Profile.PLAIN)
        if profile is Profile.OWN and not self.prompt:
            profile = Profile.PLAIN
        cache, tail = self.cache
        return Knobs(
            prompt_tokens=self.prompt_tokens,
            answer_limit=self.max_tokens,
            cache=cache,
            tail_tokens=_KNOBS.tail_tokens if tail is None else tail,
            profile=profile,
            own_text=self.prompt,
            rivals=self.rivals,
            temperature=self.temperature,
            seed=self.seed,
            ignore_eos=self.ignore_eos,
            auto=self.auto,
        )


def path() -> Path:
    """Where the settings file is looked for. It need not exist."""
    return locations.config_dir() / _FILE


def load(flags: Mapping[str, object], environ: Mapping[str, str], last: Layer | None = None) -> Settings:
    """The settings of this start. `flags`: what the command line gave, by option name, as text or True.

    Reads the settings file and the prompt file. Raises ConfigError.
    """
    given = read({BY_NAME[name]: raw for name, raw in flags.items()}, lambda option: option.flag)
    settings = merged([last or {}, parse_file(_contents(path()) or ""), parse_environment(environ), given])
    if not settings.prompt_file:
        return settings
    text = _contents(Path(settings.prompt_file))
    if not text:
        raise ConfigError(f"the prompt file {settings.prompt_file!r} is missing or empty")
    return replace(settings, prompt=text)


def parse_file(text: str) -> Layer:
    """The settings file: options by name, and under [keys] `action = "key"`. Raises ConfigError."""
    try:
        told = toml.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{_FILE} is not TOML: {' '.join(str(error).split())}") from error
    wishes = told.pop("keys", {})
    for name in told.keys() - BY_NAME.keys():
        raise ConfigError(f"{_FILE}: unknown setting {name!r}{_hint(name)}")
    layer = dict(read({BY_NAME[n]: raw for n, raw in told.items()}, lambda option: f"{_FILE}: {option.name}"))
    if wishes:
        try:
            layer["keys"] = keymap.apply(wishes if isinstance(wishes, dict) else {"keys": wishes})
        except keymap.KeymapError as error:
            raise ConfigError(f"{_FILE}: [keys] {error}") from error
    return layer


def parse_environment(environ: Mapping[str, str]) -> Layer:
    """The TOKLANE_ variables, empty ones left out. Raises ConfigError."""
    known = {option.variable: option for option in OPTIONS}
    ours = {name: raw for name, raw in environ.items() if name.startswith(_PREFIX) and raw}
    for name in ours.keys() - known.keys() - _NO_OPTION:
        raise ConfigError(f"unknown variable {name}{_hint(name.removeprefix(_PREFIX).lower(), _PREFIX)}")
    return read({known[name]: raw for name, raw in ours.items() if name in known}, lambda o: o.variable)


def read(raw: Mapping[Option, object], name: Callable[[Option], str]) -> Layer:
    """One source's raw values, each read by its option; `name` says how a message calls it."""
    layer: dict[str, Any] = {}
    for option, value in raw.items():
        try:
            layer[option.name] = option.read(value)
        except ValueError as error:
            raise ConfigError(f"{name(option)} needs {error}") from None
    for pair in _EITHER:
        both = [name(option) for option in raw if option.name in pair and layer[option.name]]
        if len(both) > 1:
            raise ConfigError(f"{both[0]} and {both[1]} can't be given together")
    return layer


def merged(layers: Iterable[Layer]) -> Settings:
    """All layers, later ones over earlier ones.

    Where a later one names another target, what an earlier one gave along with its own target is dropped.
    """
    values: dict[str, Any] = {}
    tied: set[str] = set()
    for layer in layers:
        for pair in _EITHER:
            if any(layer.get(name) for name in pair):
                values = {name: value for name, value in values.items() if name not in pair or name in layer}
        if any((layer.get(name) or None) != (values.get(name) or None) for name in _TARGET & layer.keys()):
            values = {name: value for name, value in values.items() if name not in tied}
        tied = _COMPANIONS & layer.keys() if _TARGET & layer.keys() else tied - layer.keys()
        values.update(layer)
    return replace(Settings(), **values)


def _hint(name: str, prefix: str = "") -> str:
    """What was probably meant."""
    if name.endswith("key"):
        return "; a key belongs in a variable or a file of its own: see api_key_env and api_key_file"
    near = get_close_matches(name, BY_NAME, 1)
    if not near:
        return ""
    return f"; did you mean {BY_NAME[near[0]].variable if prefix else near[0]}?"


def _contents(file: Path) -> str | None:
    """The text of a file, None when it is not there. Raises ConfigError when it can't be read."""
    try:
        return file.read_text(encoding="utf-8-sig")  # some editors mark it
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(f"{str(file)!r} can't be read: {error.strerror or 'no reason given'}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{str(file)!r} is not UTF-8 text") from error
