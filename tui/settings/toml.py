"""TOML that people wrote: whatever is wrong with it is one kind of error."""

from __future__ import annotations

import tomllib
from typing import Any


def loads(text: str) -> dict[str, Any]:
    """What a file holds. Raises TOMLDecodeError, also for what is nested too deep or has endless digits."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except RecursionError:
        raise tomllib.TOMLDecodeError("a value is nested too deep") from None
    except ValueError:
        raise tomllib.TOMLDecodeError("a number has too many digits") from None
