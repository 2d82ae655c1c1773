"""What the desk answers when the system lets it start nothing."""

from threading import Thread
from typing import Any

import pytest

from tui.capture import desk as desks
from tui.capture.desk import Desk
from tui.capture.frames import Frame, Item
from tui.capture.orders import StreamOrder
from tui.domain.wire import End, Note


def test_a_run_without_a_thread_fails_and_leaves_nothing_running(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(**told: Any) -> Thread:
        thread = Thread(**told)
        monkeypatch.setattr(thread, "start", no_thread)
        return thread

    def no_thread() -> None:
        raise RuntimeError("can't start new thread")

    frames: list[Frame] = []
    busy: list[bool] = []
    desk = Desk(frames.append, busy.append)
    monkeypatch.setattr(desks, "Thread", refused)
    desk.do(StreamOrder(1, "http://127.0.0.1:9/"))
    records = [frame.record for frame in frames if isinstance(frame, Item)]
    (failed,) = [it for it in records if isinstance(it, Note) and it.name == "failed"]
    assert "can't start new thread" in str(failed.fields["message"])
    assert isinstance(records[-1], End) and records[-1].how == "error"
    assert busy == [True, False]
    desk.close()
