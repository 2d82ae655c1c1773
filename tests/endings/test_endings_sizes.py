"""Every size of terminal, and sizes that change amid a stream."""

import time
from itertools import cycle
from pathlib import Path

from tests.endings.conftest import Monitor
from tests.endings.server import TOKENS, Engine
from tests.endings.terminal import PATIENCE_S, eventually
from tui.capture.recording import read
from tui.domain.wire import Read

ANSWER = "".join(f" word{k}" for k in range(1, TOKENS + 1))


def test_the_design_size_shows_everything_and_forty_columns_a_sentence(
    monitor: Monitor, scripted: Engine
) -> None:
    terminal = monitor("--url", scripted.url, columns=80, rows=24)
    terminal.wait_for("enter sends")
    terminal.press("\r")
    terminal.wait_for("256 of 512")
    scripted.reads.set()
    terminal.wait_for("word20")
    terminal.wait_for("Stalled")
    for told in ("20/64", "prefill", "decode", "TTFT", "tok/s", "prompt ←", " mem ", "cpu ", "q quit"):
        assert told in terminal.text, terminal.text
    terminal.resize(40, 10)
    terminal.until(lambda: max(map(len, terminal.text.splitlines())) <= 40)
    terminal.wait_for("● Stalled  no token for")
    terminal.wait_for("decode 0.00 tok/s ○")
    scripted.writes.set()
    terminal.wait_for("Finished")
    terminal.press("q")
    assert terminal.end() == 0
    assert terminal.restored


def test_no_size_is_too_small_and_all_comes_back(monitor: Monitor, scripted: Engine, own_home: Path) -> None:
    """Through every form while the tokens come: no token is lost, none is counted twice."""
    terminal = monitor("--url", scripted.url, columns=1, rows=1)
    terminal.wait_for("○")
    terminal.resize(10, 3)
    terminal.wait_for("○ Ready")
    terminal.resize(20, 5)
    terminal.wait_for("tokens")
    terminal.press("\r")
    assert scripted.asked.wait(PATIENCE_S)
    scripted.reads.set()
    scripted.writes.set()
    sizes = cycle([(200, 60), (40, 10), (1, 1), (120, 36), (80, 24), (20, 5), (150, 40), (10, 3)])
    until = time.monotonic() + 1
    while time.monotonic() < until:
        terminal.resize(*next(sizes))
        terminal.settle(0.05)
    terminal.resize(120, 36)
    terminal.until(lambda: "q quit" in "".join(terminal.text.split("\n")[35:]))  # drawn for the last size
    terminal.wait_for("first token (TTFT)")
    terminal.wait_for("✔ Finished")
    terminal.wait_for(" word40")
    for word in ANSWER.split():
        assert terminal.text.split().count(word) == 1, word
    terminal.press("q")
    assert terminal.end() == 0
    assert terminal.restored
    (file,) = (own_home / "state" / "runs").iterdir()
    eventually(lambda: read(file).ended)
    told = b"".join(record.data for record in read(file).records if isinstance(record, Read))
    assert all(told.count(b'" %b"' % word.encode()) == 1 for word in ANSWER.split())


def test_ctrl_c_quits_at_any_size(monitor: Monitor, scripted: Engine) -> None:
    sizes = [(10, 3), (1, 1), (300, 100)]
    for terminal in [monitor("--url", scripted.url, columns=wide, rows=high) for wide, high in sizes]:
        terminal.wait_for("○")
        terminal.press("\x03")
        assert terminal.end() == 130
        assert terminal.restored
