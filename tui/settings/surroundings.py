"""The environment that a process of ours gets: what sounds like a key stays with its parent."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SECRET = re.compile(r"(?i)key|token|secret|passw|credential|auth|cookie|session_?id")
_OURS = re.compile(r"TOKLANE_|PYTHON")


def without_keys(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables without those whose names say that they hold a secret.

    A reader, a sampler and the built-in engine need none: a key reaches them by their input, if at all.
    """
    return {name: value for name, value in environ.items() if _OURS.match(name) or not _SECRET.search(name)}
