"""How often the screen is drawn: less over a network, and never faster than the terminal takes it."""

from __future__ import annotations

from collections.abc import Mapping

FRAMES_PER_S = 20
FRAMES_PER_S_SSH = 10
_REMOTE = ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT", "MOSH_CONNECTION")


def frames_per_s(environ: Mapping[str, str]) -> int:
    """Fewer over a network."""
    return FRAMES_PER_S_SSH if any(environ.get(name) for name in _REMOTE) else FRAMES_PER_S


def behind(app: object) -> bool:
    """Whether the terminal has yet to take what was drawn before.

    A frame that is drawn now would only be seen after what waits; what is being taken waits no more. Textual
    keeps thirty writes for its writer and then blocks; its queue has no public name, so where there is none
    nothing is ever behind.
    """
    writer = getattr(getattr(app, "_driver", None), "_writer_thread", None)
    queue = getattr(writer, "_queue", None)
    return queue is not None and queue.qsize() > 0
