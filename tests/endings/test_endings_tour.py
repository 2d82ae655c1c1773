"""`toklane tour` as somebody starts it: with nothing at all, at the built-in engine, with a broken script."""

from __future__ import annotations

import re
from pathlib import Path

from tests.endings.conftest import Monitor, Start
from tests.endings.nearby import leave_the_recordings
from tests.endings.terminal import ROOT, TOKLANE, Terminal, environment, eventually, living
from tui.settings import tour_script

NO_NETWORK = {name: "http://127.0.0.1:9" for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")}
SMALL = """
[[scene]]
title = "short"
before = "A short one."
after = "Read {prompt} after {ttft}."
prompt_tokens = 64
max_tokens = 8

[[scene]]
title = "long"
before = "A long one."
after = "Read {prompt} after {ttft}, before {before.ttft}."
prompt_tokens = 192
max_tokens = 8

[[scene]]
title = "again"
before = "The same."
after = "Reused {cached} of {prompt}."
prompt_tokens = 192
max_tokens = 8
cache = "same"

[[scene]]
title = "rivals"
before = "Two rivals."
after = "Queued {queue}, then {ttft}."
prompt_tokens = 64
max_tokens = 8
rivals = 2

[[scene]]
title = "deep"
before = "A long answer."
after = "From {decode_first} to {decode_last}."
prompt_tokens = 64
max_tokens = 32
ignore_eos = true
"""


def test_without_engine_and_network_it_plays_recordings(tmp_path: Path) -> None:
    home = tmp_path / "empty"
    terminal = Terminal([*TOKLANE, "tour", "--demo"], environment(home, **NO_NETWORK))
    try:
        terminal.wait_for("1/5  A model works in two parts")
        terminal.wait_for("tour 1 of 5 · recording")
        terminal.press("\r")
        terminal.wait_for("Recorded · Reading the prompt")
        terminal.press(" ")
        terminal.wait_for("2/5  Now a much longer prompt")
        terminal.press("\x7f")
        terminal.wait_for("1/5  A model works in two parts")
        assert not (home / "state" / "runs").exists(), "nothing was sent"
        leave_the_recordings(terminal)
        terminal.press("q")
        terminal.until(lambda: terminal.process.poll() is not None)
    finally:
        terminal.close()
    eventually(lambda: not living(home))


def test_it_goes_from_start_to_end_at_the_built_in_engine(monitor: Monitor, tmp_path: Path) -> None:
    script = tmp_path / "small.toml"
    script.write_text(SMALL, encoding="utf-8")
    terminal = monitor("tour", "--embedded", "--script", str(script))
    terminal.wait_for("enter sends a prompt of 64 tokens")
    told = []
    for number, act in enumerate(tour_script.load(script), start=1):
        terminal.wait_for(f"{number}/5  {act.captions['before']}")
        terminal.press(" ")
        begins = re.match(r"\w+ ", act.captions["after"])
        assert begins
        terminal.wait_for(f"{number}/5  {begins[0]}", 40)
        told.append(next(line for line in terminal.text.splitlines() if f"{number}/5" in line))
        terminal.press("\r")
    short, long, again, rivals, deep = told
    number = r"[\d.]+ (?:ms|s)"
    assert re.search(rf"Read 6\d after {number}\.", short)
    assert re.search(rf"Read 19\d after {number}, before {number}\.", long)
    reused = re.search(r"Reused (\d+) of (\d+)\.", again)
    assert reused and int(reused[1]) > 0.9 * int(reused[2]), "the prompt of the scene before"
    assert re.search(rf"Queued ≈ {number}, then {number}\.", rivals)
    assert re.search(r"From [\d.]+ tok/s to [\d.]+ tok/s\.", deep)
    terminal.press("\x1b")
    terminal.until(lambda: "tour" not in terminal.text)
    terminal.press("q")
    assert terminal.end() == 0


def test_what_is_wrong_is_one_line(start: Start, tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('[[scene]]\ntitle = "x"\nrivals = 9\n', encoding="utf-8")
    written = tmp_path / "new.toml"
    cases = [
        (("tour",), 2, "the tour needs a screen"),
        (("tour", "--write-script", str(broken)), 2, "is there already"),
        (("tour", "--freeze"), 2, "--freeze"),
    ]
    for words, status, said in cases:
        process = start(*words)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out) == (status, "")
        assert said in err and err.count("\n") == 1
    out, err = start("tour", "--write-script", str(written)).communicate(timeout=20)
    assert err == "" and str(written) in out
    assert written.read_bytes() == (ROOT / "tui" / "tour" / "tour.toml").read_bytes()


def test_a_broken_script_is_told_before_there_is_a_screen(monitor: Monitor, tmp_path: Path) -> None:
    broken = tmp_path / "broken.toml"
    broken.write_text('[[scene]]\ntitle = "x"\nrivals = 9\n', encoding="utf-8")
    terminal = monitor("tour", "--script", str(broken))
    terminal.until(lambda: terminal.process.poll() is not None)
    assert terminal.process.returncode == 2
    assert "toklane: broken.toml, line 3: rivals needs a whole number from 0 to 4" in terminal.text
    assert b"?1049h" not in terminal.written
