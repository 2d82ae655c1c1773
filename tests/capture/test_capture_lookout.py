"""Which engine is talked to: the latest choice wins, and the built-in engine leaves when it is not wanted."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tui.capture.channel import Child
from tui.capture.session import Session
from tui.capture.target import Target
from tui.engines.embedded import EmbeddedEngine

PATIENCE_S = 60


def until(session: Session, done: Callable[[], bool]) -> None:
    limit = time.monotonic() + PATIENCE_S
    session.drain()
    while not done():
        assert time.monotonic() < limit, (session.problem, session.builtin.state)
        session.wait(0.05)
        session.drain()


@pytest.fixture
def session() -> object:
    session = Session(Child.start())
    yield session
    session.close()


def test_the_built_in_engine_and_back_to_a_chosen_one(session: Session, engine: EmbeddedEngine) -> None:
    session.embed()
    until(session, lambda: session.found is not None)
    own = session.builtin.engine
    assert own is not None and session.found is not None
    assert session.found.base.root == own.base_url
    assert str(session.found.conditions["engine_version"]).startswith("xllamacpp")
    session.aim(Target(engine.base_url, engine.api_key))
    until(session, lambda: session.found is not None)
    assert session.found.base.root == engine.base_url
    assert session.builtin.state == "off"
    session.embed()
    until(session, lambda: session.found is not None)
    assert session.builtin.engine is not None
    assert session.found.base.root == session.builtin.engine.base_url


def test_a_choice_made_while_the_built_in_engine_starts_stands(
    session: Session, engine: EmbeddedEngine
) -> None:
    session.embed()
    session.aim(Target(engine.base_url, engine.api_key))
    until(session, lambda: session.found is not None)
    for _ in range(40):
        session.wait(0.02)
        session.drain()
    assert session.found is not None
    assert session.found.base.root == engine.base_url
