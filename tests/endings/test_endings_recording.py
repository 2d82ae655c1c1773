"""Disks and folders that refuse, several programs at once, and a run that somebody looks at in passing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endings.conftest import Start, ended, ending
from tests.endings.server import TOKENS, Engine
from tests.endings.terminal import TOKLANE, Terminal, environment
from tui.capture.recording import read
from tui.domain.wire import Read

LIMIT_KIB = 12  # of a recording that has some 20 KiB


def through(engine: Engine) -> None:
    engine.reads.set()
    engine.writes.set()


def on_a_full_disk(home: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A run whose files may not grow beyond the limit: what a full disk does, and needs no disk for it."""
    script = f'ulimit -f {LIMIT_KIB}; exec "$@"'
    return ended(["bash", "-c", script, "bash", *TOKLANE, "run", *words], home)


@pytest.mark.parametrize("asked", [False, True], ids=["for itself", "asked for"])
def test_a_disk_that_fills_ends_the_recording_and_not_the_run(
    own_home: Path, scripted: Engine, tmp_path: Path, asked: bool
) -> None:
    through(scripted)
    place = tmp_path / "run.jsonl"
    words = ["--url", scripted.url, "--json", *(["--record", str(place)] if asked else [])]
    process = on_a_full_disk(own_home, *words)
    (run,) = json.loads(process.stdout)["runs"]
    assert run["complete"] and run["tokens"] == TOKENS
    assert process.returncode == (1 if asked else 0), "what was asked for and is not there is a failure"
    (file,) = [place] if asked else (own_home / "state" / "runs").iterdir()
    assert process.stderr.splitlines() == [f"toklane: not recorded: {file}: File too large"]
    kept = read(file)
    assert file.stat().st_size <= LIMIT_KIB * 1024
    assert not kept.ended and kept.damaged_lines <= 1
    assert any(isinstance(record, Read) for record in kept.records)


def test_a_home_that_is_none_is_told_and_stops_nothing(start: Start, scripted: Engine) -> None:
    through(scripted)
    nowhere = {"TOKLANE_HOME": "", "XDG_STATE_HOME": "", "XDG_CACHE_HOME": "", "XDG_CONFIG_HOME": ""}
    process = start("run", "--url", scripted.url, HOME="/proc/nobody", **nowhere)
    out, line = process.communicate(timeout=20)
    assert process.returncode == 0 and "first token (TTFT)" in out
    assert line.startswith("toklane: not recorded: /proc/") and line.count("\n") == 1


def test_two_programs_at_once_share_a_state_folder(start: Start, scripted: Engine, own_home: Path) -> None:
    through(scripted)
    processes = [start("run", "--url", scripted.url, "--json") for _ in range(2)]
    for process in processes:
        told, remarks = process.communicate(timeout=20)
        assert process.returncode == 0 and remarks == ""
        assert json.loads(told)["runs"][0]["complete"]
    files = sorted((own_home / "state" / "runs").iterdir())
    assert len(files) == 2
    for file in files:
        assert ending(read(file)) == "eof" and read(file).damaged_lines == 0


# -- in passing ---------------------------------------------------------------------------------------------


def test_a_run_says_how_far_it_is_where_somebody_looks_and_leaves_only_its_result(
    own_home: Path, scripted: Engine, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    words = ["sh", "-c", '"$@" >"$OUT"', "sh", *TOKLANE, "run", "--url", scripted.url, "--json"]
    with Terminal(words, environment(own_home, OUT=str(out))) as terminal:
        terminal.wait_for("reading  256 of 512 tokens")
        scripted.reads.set()
        terminal.wait_for("stalled  nothing for")
        scripted.writes.set()
        assert terminal.end() == 0
        assert terminal.text.strip() == ""
        assert b"\x1b" not in terminal.written and b"\n" not in terminal.written
        assert terminal.restored
    assert json.loads(out.read_text())["runs"][0]["complete"]


def test_the_settings_file_may_name_engine_and_time_limit(
    start: Start, scripted: Engine, own_home: Path
) -> None:
    folder = own_home / "config"
    folder.mkdir()
    (folder / "config.toml").write_text(f'url = "{scripted.url}"\ntimeout = 0.5\n')
    process = start("run", "--json")
    told, line = process.communicate(timeout=20)
    assert process.returncode == 1
    (run,) = json.loads(told)["runs"]
    assert run["error"]["kind"] == "timed_out"
    assert line == "toklane: no end of the reply within 0.5 s. Set a longer --timeout, or none.\n"
    (folder / "config.toml").write_text('engine = "nosuch"')
    process = start("run")
    assert process.communicate(timeout=20)[1].startswith(
        "toklane: no nosuch answers on the usual local ports"
    )
    assert process.returncode == 3


@pytest.mark.skipif(sys.platform != "linux", reason="a locale by its encoding alone")
def test_a_latin_locale_fails_nowhere(start: Start, scripted: Engine) -> None:
    through(scripted)
    process = start("run", "--url", scripted.url, PYTHONIOENCODING="latin-1")
    assert process.stdout is not None and process.stderr is not None
    told = process.stdout.buffer.read().decode("latin-1")
    assert process.wait(20) == 0 and "first token (TTFT)" in told and "??" not in told
