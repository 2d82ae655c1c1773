"""Without a screen: signals, closed pipes, dumb terminals, and what a poor locale can be told."""

import json
import re
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, Start, ended
from tests.endings.server import Engine
from tests.endings.terminal import PATIENCE_S, ROOT, TOKLANE, Terminal, environment, eventually, living, named

COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:[34][0-8]|9\d|10[0-7])(?:;\d+)*m")
SHOWN = ("prefill", "decode", "first token (TTFT)", "word40")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_amid_the_built_in_engines_work(
    start: Start, own_home: Path, gguf: Path, number: signal.Signals, status: int
) -> None:
    del gguf
    process = start("run", "--embedded", "--prompt-tokens", "4k")
    runs = own_home / "state" / "runs"
    eventually(lambda: runs.exists() and any(file.stat().st_size for file in runs.iterdir()))
    assert named(own_home, "embedded_child")
    process.send_signal(number)
    assert process.communicate(timeout=PATIENCE_S) == ("", "")
    assert process.returncode == status
    eventually(lambda: not living(own_home))


@pytest.mark.skipif(sys.platform != "linux", reason="the moment from which a signal is heard shows in /proc")
def test_a_signal_at_any_moment(start: Start, scripted: Engine) -> None:
    """All at once, each stopped a little later than the one before."""
    started = [start("run", "--url", scripted.url) for _ in range(16)]
    for number, process in enumerate(started):
        eventually(partial(_catches, process.pid, signal.SIGTERM))
        process.send_signal(signal.SIGTERM if number % 2 else signal.SIGINT)
    for number, process in enumerate(started):
        assert process.communicate(timeout=PATIENCE_S) == ("", "")
        assert process.returncode == (143 if number % 2 else 130)


def _catches(pid: int, number: signal.Signals) -> bool:
    caught = Path(f"/proc/{pid}/status").read_text().partition("SigCgt:")[2].split()[0]
    return bool(int(caught, 16) >> number - 1 & 1)


def test_what_was_measured_before_an_interruption_is_told(
    start: Start, scripted: Engine, tmp_path: Path
) -> None:
    scripted.reads.set()
    scripted.writes.set()
    words = ("--repeat", "1000", "--json", "--record", str(tmp_path / "run"))
    process = start("run", "--url", scripted.url, "--prompt", "hi", *words)
    second = tmp_path / "run-2"
    eventually(lambda: second.exists() and second.stat().st_size > 0)
    process.send_signal(signal.SIGINT)
    told = json.loads(process.communicate(timeout=PATIENCE_S)[0])
    assert process.returncode == 130
    assert 0 < len(told["runs"]) == told["summary"]["runs"] < 1000
    assert all(run["complete"] for run in told["runs"])


def test_streams_that_take_nothing(own_home: Path, scripted: Engine) -> None:
    scripted.reads.set()
    scripted.writes.set()
    cases = {
        '"$@" | head -1; true': (0, ""),  # whether anything was left to write is a race
        '"$@" | true': (1, ""),
        '"$@" >/dev/full': (1, "No space left"),
        '"$@" >&-': (0, ""),
        '"$@" <&-': (0, ""),
        '"$@" 2>&-': (0, ""),
    }
    command = [*TOKLANE, "run", "--url", scripted.url]
    started = [
        subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", case, "bash", *command],
            env=environment(own_home),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for case in cases
    ]
    for process, (status, told) in zip(started, cases.values(), strict=True):
        remarks = process.communicate(timeout=PATIENCE_S)[1]
        assert process.returncode == status, process.args
        assert told in remarks and len(remarks.splitlines()) == bool(told), process.args


@pytest.mark.skipif(sys.platform != "linux", reason="/dev/full is Linux's")
@pytest.mark.parametrize("where", ["2>/dev/full", "2> >(true)", "2>&-"])
def test_a_remark_that_nobody_takes_costs_neither_the_result_nor_the_status(
    own_home: Path, scripted: Engine, where: str
) -> None:
    scripted.reads.set()
    scripted.writes.set()
    cases = {("--prompt-tokens", "100k"): 0, ("--nosuch",): 2}  # each of them has something to remark
    for words, status in cases.items():
        command = [*TOKLANE, "run", "--url", scripted.url, "--json", *words]
        done = ended(["bash", "-c", f'"$@" {where}; exit $?', "bash", *command], own_home)
        assert done.returncode == status and done.stderr == "", words
        assert status or json.loads(done.stdout)["runs"][0]["complete"]


def test_both_poor_and_rich_streams_get_a_whole_result(start: Start, scripted: Engine) -> None:
    """Plain `toklane` without a terminal is `toklane run`; ASCII gets signs of its own."""
    scripted.reads.set()
    scripted.writes.set()
    url = ("--url", scripted.url)
    rich = start(*url)
    poor = [start("run", *url, LANG="C"), start("run", *url, PYTHONIOENCODING="ascii")]
    whole = start("run", *url, "--json", LC_ALL="POSIX")
    text, remarks = rich.communicate(timeout=PATIENCE_S)
    assert all(word in text for word in (*SHOWN, "●", "○")) and "\x1b" not in text
    for process in poor:
        told = process.communicate(timeout=PATIENCE_S)
        assert told[0].isascii() and all(word in told[0] for word in SHOWN) and "??" not in told[0]
        assert told[1] == remarks == ""
    assert json.loads(whole.communicate(timeout=PATIENCE_S)[0])["runs"][0]["complete"]
    assert {process.returncode for process in (rich, *poor, whole)} == {0}


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_of_which_nothing_is_known_gets_plain_text(
    monitor: Monitor, scripted: Engine, term: str
) -> None:
    scripted.reads.set()
    scripted.writes.set()
    terminal = monitor("--url", scripted.url, TERM=term)
    assert terminal.end() == 0
    assert b"\x1b" not in terminal.written and b"first token (TTFT)" in terminal.written
    assert terminal.restored


def test_without_colour_the_screen_works(monitor: Monitor, scripted: Engine) -> None:
    terminal = monitor("--url", scripted.url, NO_COLOR="1")
    _through(terminal, scripted, "▓")
    assert not COLOUR.search(terminal.written)


def test_a_poor_locale_gets_an_ascii_screen(monitor: Monitor, scripted: Engine) -> None:
    terminal = monitor("--url", scripted.url, LANG="C")
    _through(terminal, scripted, "####")
    assert terminal.written.isascii() and b"\\u" not in terminal.written


def _through(terminal: Terminal, scripted: Engine, drawn: str) -> None:
    """A request from beginning to end, a page in the middle of it."""
    terminal.wait_for("enter sends")
    terminal.press("\r")
    terminal.wait_for("Reading the prompt")
    scripted.reads.set()
    terminal.wait_for("word20")
    terminal.wait_for(drawn)
    terminal.press("?")
    terminal.wait_for("keys: request")
    assert "???" not in terminal.text
    terminal.press("\x1b")
    scripted.writes.set()
    terminal.wait_for("Finished")
    terminal.press("q")
    assert terminal.end() == 0
    assert terminal.restored


def test_words_from_a_pipe_make_a_terminal_no_screen(own_home: Path, scripted: Engine) -> None:
    """Somebody looks on, but nobody can press a key."""
    scripted.reads.set()
    scripted.writes.set()
    words = ["sh", "-c", 'echo hi | "$@"', "sh", *TOKLANE, "--url", scripted.url]
    with Terminal(words, environment(own_home)) as terminal:
        assert terminal.end() == 0
        assert b"\x1b" not in terminal.written and b"first token (TTFT)" in terminal.written
        assert terminal.restored
