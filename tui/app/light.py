"""What the screen's process goes without, so that it is on the terminal soon and stays small."""

from __future__ import annotations

import gc
import sys


def travel_light() -> None:
    """To be called before Textual is imported.

    Nothing of what is imported is ever garbage: the collector, which would look at all of it again and again,
    rests until the board is there (`main` starts it). And asyncio, where Python has `ssl`, loads OpenSSL for
    connections that this process never makes: its HTTP is the capture child's.
    """
    gc.disable()
    if "ssl" not in sys.modules:
        sys.modules["ssl"] = None  # type: ignore[assignment]  # as in a Python that was built without it
        try:
            import asyncio  # noqa: F401
        finally:
            del sys.modules["ssl"]
