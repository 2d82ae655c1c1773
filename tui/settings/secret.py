"""The API key: from an environment variable or a file only, never on a command line, never in a message."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tui.settings.config import ConfigError


def key_of(variable: str, file: str, environ: Mapping[str, str]) -> str:
    """The key that the variable or the file holds; "" when neither is named. Raises ConfigError."""
    if variable:
        key = environ.get(variable, "").strip()
        if not key:
            raise ConfigError(f"the environment variable {variable} is empty or not set")
    elif file:
        try:
            key = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is not text"
            raise ConfigError(f"the key file {file!r} can't be read: {why}") from None
    else:
        return ""
    if not key or not key.isascii() or not key.isprintable() or " " in key:
        raise ConfigError("the API key must be one word of plain ASCII, alone in its variable or file")
    return key
