"""The built-in engine ended by the kernel for want of memory: really, in a control group of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor
from tests.endings.terminal import eventually, named
from tui.capture.recording import read

GROUPS = Path("/sys/fs/cgroup")
LIMIT_BYTES = 24 << 20
# it joins the group and takes more than that has: the kernel then ends the largest process in there
GREEDY = "taken = bytearray(96 << 20)\nfor at in range(0, len(taken), 4096): taken[at] = 1"


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group with little memory, gone afterwards."""
    old, name = GROUPS / "memory", f"toklane-test-{os.getpid()}"
    place, limit = (old / name, "memory.limit_in_bytes") if old.is_dir() else (GROUPS / name, "memory.max")
    try:
        place.mkdir()
    except OSError as error:
        pytest.skip(f"no control group can be made: {error.strerror}")
    try:
        try:
            (place / limit).write_text(str(LIMIT_BYTES))
        except OSError as error:
            pytest.skip(f"the group's memory can't be limited: {error.strerror}")
        yield place
    finally:
        eventually(lambda: not (place / "cgroup.procs").read_text())
        place.rmdir()


@pytest.mark.skipif(sys.platform != "linux", reason="control groups are Linux's")
def test_it_is_told_as_what_it_is_and_what_had_come_stays(
    monitor: Monitor, own_home: Path, gguf: Path, group: Path
) -> None:
    del gguf
    terminal = monitor("--embedded", "--prompt-tokens", "64", "--max-tokens", "4k", "--ignore-eos")
    terminal.wait_for("enter sends", 60)
    terminal.press("\r")
    terminal.wait_for("token 9")
    (group / "cgroup.procs").write_text(str(named(own_home, "embedded_child").pid))
    join = 'echo $$ >"$0" && exec "$@"'
    words = ["sh", "-c", join, str(group / "cgroup.procs"), sys.executable, "-c", GREEDY]
    subprocess.run(words, check=False, capture_output=True, timeout=20)
    terminal.wait_for("✖ Failed  the engine closed the connection after")
    terminal.wait_for("OOM-KILLED")
    terminal.press("3")
    terminal.wait_for("the system ended a program for want of memory, and the server is gone")
    terminal.press("q")
    assert terminal.end() == 0 and terminal.restored
    (file,) = (own_home / "state" / "runs").iterdir()
    kept = read(file)
    assert kept.ended and len(kept.records) > 10
