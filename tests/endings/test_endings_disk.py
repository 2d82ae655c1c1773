"""Real disks that are full or can only be read, mounted where nobody else sees them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endings.conftest import ended
from tests.endings.server import TOKENS, Engine
from tests.endings.terminal import TOKLANE, Terminal, environment, left_open
from tui.capture.recording import read
from tui.domain.wire import Read

SMALL = "size=12k"  # of a recording that has some 20 KiB
FULL = "size=16k"
MOUNT = """
mount -t tmpfs -o "$0" none "$TOKLANE_HOME/state" || exit 77
if test "$0" = size=16k; then cat /dev/zero >"$TOKLANE_HOME/state/others" 2>/dev/null; fi
"$@"
status=$?
cp -r "$TOKLANE_HOME/state" "$TOKLANE_HOME/kept"
exit $status
"""


def _refusal() -> str:
    """Why no disk can be mounted here; "" where one can."""
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return "no mount namespaces"
    tried = subprocess.run(
        ["unshare", "-m", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, check=False
    )
    return "" if tried.returncode == 0 else "mounting needs root"


pytestmark = pytest.mark.skipif(bool(_refusal()), reason=_refusal() or "it can be done")


def on_disk(options: str, home: Path, *words: str) -> list[str]:
    """The command with such a disk as state folder. Its files are in `kept` afterwards."""
    (home / "state").mkdir()
    return ["unshare", "-m", "sh", "-c", MOUNT, options, *TOKLANE, *words]


def through(engine: Engine) -> None:
    engine.reads.set()
    engine.writes.set()


@pytest.mark.parametrize(
    ("options", "why"),
    [(SMALL, "No space left on device"), (FULL, "No space left on device"), ("ro", "Read-only file system")],
    ids=["fills", "full", "read only"],
)
def test_a_run_goes_on_and_says_once_that_it_is_not_recorded(
    own_home: Path, scripted: Engine, options: str, why: str
) -> None:
    through(scripted)
    told = ended(on_disk(options, own_home, "run", "--url", scripted.url, "--json"), own_home)
    (run,) = json.loads(told.stdout)["runs"]
    assert told.returncode == 0 and run["complete"] and run["tokens"] == TOKENS
    (line,) = told.stderr.splitlines()
    assert line.startswith(f"toklane: not recorded: {own_home / 'state' / 'runs'}") and line.endswith(why)
    if options == SMALL:
        (file,) = (own_home / "kept" / "runs").iterdir()
        kept = read(file)
        assert not kept.ended and kept.damaged_lines <= 1
        assert any(isinstance(record, Read) for record in kept.records), "what fitted is there"


@pytest.mark.parametrize(
    ("options", "why"),
    [(SMALL, "No space left on device"), ("ro", "Read-only file system")],
    ids=["fills", "read only"],
)
def test_the_screen_goes_on_too(own_home: Path, scripted: Engine, options: str, why: str) -> None:
    through(scripted)
    words = on_disk(options, own_home, "--url", scripted.url)
    with Terminal(words, environment(own_home)) as terminal:
        terminal.wait_for("enter sends")
        terminal.press("\r")
        for told in (b"not recorded: ", why.encode()):  # it stands there for some seconds only
            terminal.until(lambda told=told: told in terminal.written)  # type: ignore[misc]
        terminal.wait_for("✔ Finished")
        terminal.press("q")
        assert terminal.end() == 0
        assert not left_open(terminal.written) and b"Traceback" not in terminal.written
