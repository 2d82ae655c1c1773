"""The API key: read from where the settings say it is, and kept out of every message."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from tui.settings.config import ConfigError, Settings

_LONGEST = 8192  # characters; more fits in no header
_NAME = re.compile(r"[A-Z]{1,12}(?:_[A-Z]{1,12})*_?\d{0,2}")  # as names are written, and keys never
READ: set[str] = set()
"""Every key that was read, so that what is written about an error can leave it out."""


def api_key(settings: Settings, environ: Mapping[str, str]) -> str:
    """The key to send, "" when none is set. Raises ConfigError, whose message holds no part of it."""
    if settings.api_key_env:
        return from_variable(settings.api_key_env, environ)
    if not settings.api_key_file:
        return ""
    try:
        text = Path(os.path.expanduser(settings.api_key_file)).read_text(encoding="utf-8-sig")
    except OSError as error:  # its name may be the key itself
        why = error.strerror or "no reason given"
        raise ConfigError(f"the file that api_key_file names can't be read: {why}") from None
    except UnicodeDecodeError:
        raise ConfigError("the file that api_key_file names can't be read: it is not UTF-8 text") from None
    return _sendable(text, "the key file")


def from_variable(name: str, environ: Mapping[str, str]) -> str:
    """The key that the variable `name` holds. Raises ConfigError."""
    if name not in environ:
        raise ConfigError(f"the environment variable {_shown(name)} is not set; export the API key in it")
    return _sendable(environ[name], f"the environment variable {_shown(name)}")


def _shown(name: str) -> str:
    """The name, unless it could be a key that was typed in its place."""
    return name if _NAME.fullmatch(name) else "that --api-key-env names"


def _sendable(text: str, source: str) -> str:
    key = text.strip()
    if not key or len(key) > _LONGEST or not key.isascii() or not key.isprintable():
        raise ConfigError(f"{source} holds no key that can be sent: one line of plain characters is needed")
    READ.add(key)
    return key
