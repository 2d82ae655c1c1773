"""A key stays in the processes that send it: in no command's words, no child's surroundings, no core file."""

from __future__ import annotations

import contextlib
import resource
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests.endings.conftest import Monitor, Start
from tests.endings.terminal import ROOT, TOKLANE, Terminal, environment, living
from tests.secrets.echoing import KEY, Echoing, leaks
from tui.report import crash
from tui.selftest.monitor import home
from tui.settings import credentials

NAMES = ("MY_KEY", "OPENAI_API_KEY", "HF_TOKEN", "DB_PASSWORD")
EVERYWHERE = dict.fromkeys(NAMES, KEY) | {"TOKLANE_API_KEY_ENV": "MY_KEY"}
BROKEN = """
import sys
from tui.__main__ import main
from tui.capture import session
def fail(*_):
    raise RuntimeError("the key was %s and " % __import__("os").environ["MY_KEY"] + "long " * 10_000)
session.Session.send = fail
main()
"""


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("--version",),
        ("keys",),
        ("themes",),
        ("model",),
        ("completions", "bash"),
        ("completions", "fish"),
        ("doctor",),
        ("doctor", "--json"),
        ("run",),
        ("--demo",),
        ("tour",),
        ("replay", "none.jsonl"),
        ("serve", "--port", "99999"),
    ],
    ids=" ".join,
)
def test_no_command_says_what_its_variables_hold(
    start: Start, own_home: Path, words: tuple[str, ...]
) -> None:
    with Echoing() as server:
        out, errors = start(*words, **EVERYWHERE, TOKLANE_URL=server.url).communicate(timeout=60)
    assert not leaks(out + errors)
    for path in own_home.rglob("*"):
        assert path.is_dir() or path.is_symlink() or not leaks(path.read_bytes()), path


@pytest.mark.parametrize("words", [("--demo",), ("tour", "--demo"), ()], ids=" ".join)
def test_what_was_started_has_it_neither_in_its_words_nor_around_it(
    monitor: Monitor, own_home: Path, words: tuple[str, ...]
) -> None:
    with Echoing() as server:
        terminal = monitor(*words, "--url", server.url, **EVERYWHERE)
        terminal.until(lambda: len(living(own_home)) > 1)
        terminal.settle(0.5)
        seen = 0
        for process in living(own_home):
            with contextlib.suppress(psutil.NoSuchProcess):
                told = " ".join(process.cmdline())
                assert not leaks(told)
                if "tui.capture" in told or "tui.probes" in told:
                    assert not leaks(repr(process.environ())), told
                    assert process.rlimit(psutil.RLIMIT_CORE)[0] == 0
                    seen += 1
        assert seen
        terminal.press("\x1b")
        terminal.settle(0.3)
        terminal.press("q")
        terminal.end()
    assert not leaks(terminal.written)


def test_the_self_test_starts_nothing_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in EVERYWHERE.items():
        monkeypatch.setenv(name, value)
    with home() as surroundings:
        assert not leaks(repr(surroundings)) and "PATH" in surroundings


def test_a_reader_that_falls_over_leaves_no_core_and_no_words(own_home: Path, tmp_path: Path) -> None:
    """The limit of whoever starts it would allow one."""
    if resource.getrlimit(resource.RLIMIT_CORE)[1] == 0:
        pytest.skip("no core file may be made here")
    large = ["sh", "-c", 'ulimit -c unlimited 2>/dev/null; cd "$0"; exec "$@"', str(tmp_path), *TOKLANE]
    with Echoing() as server:
        words = [*large, "--url", server.url, "--api-key-env", "MY_KEY"]
        env = environment(own_home, MY_KEY=KEY, PYTHONPATH=str(ROOT))
        with Terminal(words, env) as terminal:
            terminal.wait_for("enter send")
            (reader,) = [p for p in living(own_home) if "tui.capture.child" in p.cmdline()]
            reader.send_signal(signal.SIGSEGV)
            terminal.wait_for("the capture process ended")
            terminal.press("q")
            terminal.end()
    assert not leaks(terminal.written)
    assert not [path for path in (*tmp_path.iterdir(), *ROOT.iterdir()) if path.name.startswith("core")]


def test_an_error_whose_words_hold_it_is_told_without_it(own_home: Path) -> None:
    with Echoing() as server:
        words = [sys.executable, "-c", BROKEN, "run", "--url", server.url, "--api-key-env", "MY_KEY"]
        told = subprocess.run(
            words,
            env=environment(own_home, MY_KEY=KEY),
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert told.returncode == 1 and "internal error: RuntimeError: the key was (removed)" in told.stderr
    assert not leaks(told.stderr) and len(told.stderr) < 1000 and told.stderr.count("\n") == 1
    (report,) = (own_home / "state" / "crashes").iterdir()
    assert not leaks(report.read_bytes())


def test_a_report_is_cut_when_the_keys_are_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Half of a key at the end would not be known for one."""
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    monkeypatch.setattr(credentials, "READ", {KEY})
    for end in range(0, 600, 7):
        monkeypatch.setattr(crash, "_LONGEST", 400 + end)
        crash.told(RuntimeError(f"{KEY} " * 40))
    for report in (tmp_path / "state" / "crashes").iterdir():
        assert not leaks(report.read_bytes()), report
        report.unlink()
