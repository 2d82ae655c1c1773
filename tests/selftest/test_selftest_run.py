"""The selftest from one end to the other, with few and short requests."""

from __future__ import annotations

import io
import json
import os
import tempfile
from pathlib import Path

import pytest

from tui.selftest import measure, start
from tui.selftest.script import Script
from tui.selftest.turns import Turn

SHORT = (
    Turn("one", "openai", Script("one", 400, 80)),
    Turn("lump", "openai", Script("lump", 400, 80), hangs=True),
    Turn("queue", "llama.cpp", Script("queue", 400, 80)),
)


@pytest.fixture
def nothing_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the temporary files of this test are."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path / "own"))
    return tmp_path


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="a program can't open a terminal here")
def test_it_draws_into_a_terminal_of_its_own_and_tells_errors(nothing_left: Path) -> None:
    out, err = io.StringIO(), io.StringIO()
    assert start.run(SHORT, True, out, err) == 0
    told = json.loads(out.getvalue())
    assert err.getvalue() == "" and out.getvalue().count("\n") == 1
    assert list(told["shapes"]) == ["one", "lump", "queue"]
    for shape in told["shapes"].values():
        assert shape["problem"] is None
        assert shape["ttft_error_ms"] < 200, "however busy this machine is"
    assert told["rate_error_pct"] is not None and told["gap_error_pct"] is not None
    assert told["queue_error_ms"] is not None
    assert told["frame"]["per_s"] > 0 and told["frame"]["bytes"] > 0
    assert told["reasons"] and told["trusted"] in (True, False)
    assert told["stamps"] in ("kernel", "recv")
    assert not list(nothing_left.rglob("*"))


def test_without_a_terminal_the_plain_command_is_measured(
    nothing_left: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measure, "opens_terminals", lambda: False)
    out, err = io.StringIO(), io.StringIO()
    assert start.run(SHORT[:1], False, out, err) == 0
    assert err.getvalue() == ""
    lines = out.getvalue().splitlines()
    assert "openai: one token per message" in out.getvalue()
    assert max(map(len, lines)) <= 80
    text = " ".join(out.getvalue().split())
    assert "screen: not drawn" in text
    assert "trusted: yes, because " in text or "trusted: no, because " in text
    assert not list(nothing_left.rglob("*"))


def test_what_stops_it_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(*_: object) -> object:
        raise TimeoutError("b'enter sends' was not drawn; the last was b'\\x1b[0m'")

    monkeypatch.setattr(start, "measure", breaks)
    out, err = io.StringIO(), io.StringIO()
    assert start.run(SHORT, True, out, err) == 1
    assert out.getvalue() == ""
    assert err.getvalue() == "toklane: the selftest could not be finished: b'enter sends' was not drawn\n"
