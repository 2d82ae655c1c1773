"""What was typed and can't be right, said before anything is started: addresses, keys and files."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path

from tui.capture.target import Target
from tui.domain.knobs import Profile
from tui.engines import model
from tui.engines.urls import BadUrl, Base, normalised
from tui.settings.config import ConfigError, Settings
from tui.settings.credentials import api_key
from tui.settings.options import BY_NAME

_GGUF = b"GGUF"
_IN_SIGHT = (
    "--url holds a name or password, and everybody on this machine can read a command line;"
    " put the whole URL into the variable TOKLANE_URL, or give a key by --api-key-env VAR"
)
_KEYS = {"api_key_env", "api_key_file"}


def check(options: argparse.Namespace, settings: Settings) -> None:
    """Raises ConfigError. What stands in a file or was used before is looked at only when it is needed."""
    typed = options.flags.keys()
    if settings.url or typed & _KEYS:
        api_key(settings, os.environ)
    if "profile" in typed and settings.profile is Profile.OWN and not settings.prompt:
        raise ConfigError("--profile own needs its text: --prompt TEXT or --prompt-file FILE")
    if options.command == "run" and "profile" in typed and settings.profile not in (None, Profile.OWN):
        for flag in (BY_NAME[name].flag for name in ("prompt", "prompt_file") if name in typed):
            raise ConfigError(f"{flag} and --profile {settings.profile.value} can't be given together")
    if "engine" in typed and settings.engine not in (known := _engines()):
        raise ConfigError(f"--engine needs one of {', '.join(known)}")
    if settings.embedded and "model" in typed:
        _own_model(settings)
    if "url" in typed:
        _address(settings.url)
    elif settings.url and options.command in ("run", "doctor"):  # on screen another can be typed
        _base(settings.url)
    if "gguf" in typed:
        _model(Path(settings.gguf))
    if "ca_file" in typed:
        _certificates(settings.ca_file)


def _own_model(settings: Settings) -> None:
    """The built-in engine has one model, which may be named."""
    name = Path(settings.gguf).name.removesuffix(".gguf") if settings.gguf else model.NAME
    if settings.model not in (name, model.FILE.removesuffix(".gguf")):
        raise ConfigError(f"the built-in engine has the model {name} alone; --gguf FILE takes another one")


def _engines() -> tuple[str, ...]:
    from tui.engines import registry  # all that is known of all engines: only for who names one

    return registry.names()


def target_of(settings: Settings) -> Target | None:
    """The address that was named, with its key; None when none was. Raises ConfigError."""
    if not settings.url:
        return None
    key = api_key(settings, os.environ)
    ca_file = settings.ca_file or None
    return Target(settings.url, key, settings.model, ca_file, settings.insecure, settings.api_key_env)


def places(record: Path | None, repeat: int) -> list[Path | None]:
    """Where the recording of each request goes. Raises ConfigError when it can't be written there."""
    if record is None:
        return [None] * repeat
    files = [record] if repeat == 1 else [Path(f"{record}-{number}") for number in range(1, repeat + 1)]
    _writable(files)
    return list(files)


def _writable(files: Iterable[Path]) -> None:
    """Only to create the file proves that it can be; nothing is left of it."""
    for file in files:
        try:
            file.open("x").close()
            file.unlink()
        except FileExistsError:
            raise ConfigError(
                f"{str(file)!r} is there already; a recording never overwrites a file"
            ) from None
        except OSError as error:
            raise ConfigError(
                f"{str(file)!r} can't be written: {error.strerror}; choose another place with --record"
            ) from None


def _address(url: str) -> None:
    if any(name == "Authorization" for name, _ in _base(url).headers):
        raise ConfigError(_IN_SIGHT)


def _base(url: str) -> Base:
    try:
        return normalised(url)
    except BadUrl as error:
        raise ConfigError(str(error)) from None


def _model(file: Path) -> None:
    try:
        # a pipe would be waited for, and what was read of it would be gone
        whole = not file.is_fifo() and _begins_as_model(file)
    except OSError as error:
        raise ConfigError(f"{str(file)!r} can't be read: {error.strerror}; give a GGUF model") from None
    if not whole:
        raise ConfigError(f"{str(file)!r} is not a GGUF model; give the path of one")


def _begins_as_model(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(len(_GGUF)) == _GGUF


def _certificates(file: str) -> None:
    import ssl  # takes longer than all the rest here

    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(file)
    except ssl.SSLError:
        raise ConfigError(f"{file!r} holds no certificates (PEM)") from None
    except OSError as error:
        raise ConfigError(f"{file!r} can't be read: {error.strerror}") from None
