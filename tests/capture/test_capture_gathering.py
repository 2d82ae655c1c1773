"""A program without a screen gathers the tokens of an answer; for everything else it wakes up at once."""

from __future__ import annotations

import time

import pytest

from tests.capture.silent import SilentEngine
from tui.capture.frames import Frame
from tui.capture.session import Session
from tui.capture.target import Target
from tui.domain.knobs import Knobs


class Slow(SilentEngine):
    """What it says comes frame by frame."""

    def drain(self) -> list[Frame]:
        frames, self._frames = self._frames[:1], self._frames[1:]
        return frames


def test_only_tokens_are_gathered(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[str] = []
    session = Session(Slow(lambda tokens: 0.3), clock=lambda: 0)
    monkeypatch.setattr(time, "sleep", lambda seconds: slept.append(session.view().stage.value))
    session.aim(Target("http://127.0.0.1:9"))
    waits = 0
    while session.found is None:
        session.wait(1)
        session.drain()
    session.send(Knobs(prompt_tokens=128))
    while not session.ended:
        waits += 1
        session.wait(1)
        session.drain()
    assert session.view().chunks == 2
    assert slept == ["decoding"] * 2, "behind the first and the second token; the third says that it is over"
    assert waits > 5
