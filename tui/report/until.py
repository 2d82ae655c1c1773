"""Waiting for a session where there is no screen."""

from __future__ import annotations

from collections.abc import Callable

from tui.capture.session import Session

_LOOK_S = 0.1


def until(session: Session, done: Callable[[], bool]) -> None:
    """Take in what comes until it is so."""
    session.drain()
    while not done():
        session.wait(_LOOK_S)
        session.drain()
