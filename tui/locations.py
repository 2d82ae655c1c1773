"""Where files live: the caches, recordings and settings of this user, and the themes that come along."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

APP = "toklane"
PACKAGE = Path(__file__).resolve().parent


def cache_dir() -> Path:
    """What can be fetched again: the built-in model. Need not exist yet."""
    return _own("cache", "XDG_CACHE_HOME") or platformdirs.user_cache_path(APP, appauthor=False)


def state_dir() -> Path:
    """What toklane itself wrote and would miss: recordings, history, the last knobs. Need not exist yet."""
    return _own("state", "XDG_STATE_HOME") or platformdirs.user_state_path(APP, appauthor=False)


def experience_file() -> Path:
    """What earlier runs taught about each engine. Need not exist yet; it goes when the recordings go."""
    return state_dir() / "experience.jsonl"


def config_dir() -> Path:
    """What the user wrote: settings, themes, keys. Need not exist yet."""
    return _own("config", "XDG_CONFIG_HOME") or platformdirs.user_config_path(APP, appauthor=False)


def themes_dir() -> Path:
    """The themes that come with toklane: inside the package once installed, beside it in a checkout."""
    shipped = PACKAGE / "_themes"
    return shipped if shipped.is_dir() else PACKAGE.parent / "themes"


def demo_dir() -> Path:
    """The recordings that come with toklane."""
    return PACKAGE / "demo"


def tour_dir() -> Path:
    """The script of the tour, and what it plays beside the recordings of the demo."""
    return PACKAGE / "tour"


def _own(room: str, variable: str) -> Path | None:
    """The place the user asked for: a room under TOKLANE_HOME, else the XDG variable when it is absolute."""
    if home := os.environ.get("TOKLANE_HOME"):
        return Path(os.path.expanduser(home)).absolute() / room  # of nobody `~name` stays what it is
    base = os.environ.get(variable, "")
    return Path(base) / APP if os.path.isabs(base) else None
