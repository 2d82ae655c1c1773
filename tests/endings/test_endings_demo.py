"""`toklane --demo` as somebody starts it who has nothing yet: no engine, no model, no network."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.endings.conftest import Start
from tests.endings.nearby import leave_the_recordings
from tests.endings.terminal import ROOT, TOKLANE, Terminal, environment, eventually, living

CAPTURE = ROOT / "tests" / "data" / "captures" / "llamacpp" / "01-chat-short-cold.jsonl"
NO_NETWORK = {name: "http://127.0.0.1:9" for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")}


def test_it_moves_at_once_and_esc_leads_to_the_monitor(tmp_path: Path) -> None:
    home = tmp_path / "empty"
    terminal = Terminal([*TOKLANE, "--demo"], environment(home, **NO_NETWORK))
    try:
        terminal.wait_for("recording 1 of 5")
        terminal.wait_for("Recorded · Reading the prompt")
        terminal.wait_for("Recorded · Writing the answer")
        terminal.press("\r")
        terminal.wait_for("recording 2 of 5")
        assert not (home / "state" / "runs").exists(), "nothing was sent"
        leave_the_recordings(terminal)
        terminal.press("q")
        terminal.until(lambda: terminal.process.poll() is not None)
        assert terminal.process.returncode == 0
    finally:
        terminal.close()
    eventually(lambda: not living(home))


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--demo",), "--demo needs a screen"), (("--freeze",), "--freeze is for recordings: --demo, or")],
)
def test_what_it_needs_is_said_in_one_line(start: Start, words: tuple[str, ...], said: str) -> None:
    process: subprocess.Popen[str] = start(*words)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (2, "")
    assert said in err and err.count("\n") == 1


def test_a_damaged_recording_says_so_on_the_screen_and_stops_at_each_phase_when_asked(tmp_path: Path) -> None:
    file = tmp_path / "torn.jsonl"
    file.write_bytes(CAPTURE.read_bytes() + b'{"t": 9, "b": "torn')
    terminal = Terminal([*TOKLANE, "replay", str(file), "--freeze"], environment(tmp_path / "home"))
    try:
        terminal.wait_for("1 damaged line skipped")
        terminal.wait_for("space goes on")
        terminal.press("q")
        terminal.until(lambda: terminal.process.poll() is not None)
    finally:
        terminal.close()
