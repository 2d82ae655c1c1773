"""The built-in engine when its model, its library, its port or its file is not what it should be."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, ended
from tests.endings.terminal import TOKLANE, Terminal, environment, eventually, living, named
from tui.engines import model

ENGINE = ["run", "--embedded", "--max-tokens", "4", "--prompt-tokens", "64"]
TAKEN = """
import socket
from tui.__main__ import main
from tui.engines import embedded

other = socket.create_server(("127.0.0.1", 0))
free, ports = embedded._free_port, [other.getsockname()[1]]
embedded._free_port = lambda: ports.pop() if ports else free()
main()
"""


def test_a_model_that_was_damaged_is_named_with_what_to_do(own_home: Path) -> None:
    """Of the right size: its hash was checked when it came, and is not again at every start."""
    place = own_home / "cache" / "models" / model.FILE
    place.unlink(missing_ok=True)
    with place.open("wb") as file:
        file.truncate(model.MODEL_BYTES)
    done = ended([*TOKLANE, *ENGINE], own_home)
    assert done.returncode == 3 and done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert "could not load the model" in line
    assert line.endswith(f"; the file is damaged: delete {place}, then try again")


@pytest.mark.parametrize("kind", ["shorter", "folder", "dangling"])
def test_what_is_not_the_model_is_not_taken_for_it(own_home: Path, kind: str) -> None:
    place = own_home / "cache" / "models" / model.FILE
    place.unlink(missing_ok=True)
    match kind:
        case "shorter":
            place.write_bytes(b"GGUF")
        case "folder":
            place.mkdir()
        case _:
            place.symlink_to(own_home / "nowhere")
    done = ended([*TOKLANE, *ENGINE, "--no-download"], own_home)
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.startswith(
        "toklane: the built-in model is not here; `toklane model --fetch` fetches it"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="no such pipes")
def test_a_pipe_is_no_model_and_is_not_waited_for(own_home: Path) -> None:
    pipe = own_home / "model.gguf"
    os.mkfifo(pipe)
    done = ended([*TOKLANE, "run", "--embedded", "--gguf", str(pipe)], own_home)
    assert done.returncode == 2
    assert done.stderr == f"toklane: '{pipe}' is not a GGUF model; give the path of one\n"


@pytest.mark.parametrize(
    ("library", "line"),
    [
        (
            "raise OSError('libomp.so.5: cannot open it')",
            "could not load the model: libomp.so.5: cannot open it",
        ),
        (
            "import os; os.abort()",
            "has ended (signal 6); is there memory enough? `--url` takes another engine",
        ),
    ],
    ids=["lacks something", "crashes"],
)
def test_a_library_that_fails_is_one_line(own_home: Path, gguf: Path, library: str, line: str) -> None:
    del gguf
    folder = own_home / "library"
    folder.mkdir()
    (folder / "xllamacpp.py").write_text(library)
    done = ended([*TOKLANE, *ENGINE], own_home, PYTHONPATH=str(folder))
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == f"toklane: the built-in engine {line}\n"


def test_a_port_that_somebody_takes_meanwhile_is_changed_for_another(own_home: Path, gguf: Path) -> None:
    del gguf
    done = ended([sys.executable, "-c", TAKEN, *ENGINE], own_home)
    assert (done.returncode, done.stderr) == (0, "")
    assert "first token (TTFT)" in done.stdout


def test_without_any_temporary_folder_it_says_so(own_home: Path, gguf: Path) -> None:
    del gguf
    script = "import tempfile\ndef fail(): raise FileNotFoundError(2, 'No usable temporary directory')\n"
    script += "tempfile.TemporaryFile = fail\nfrom tui.__main__ import main\nmain()"
    done = ended([sys.executable, "-c", script, *ENGINE], own_home)
    assert (done.returncode, done.stdout) == (3, "")
    why = "No usable temporary directory; see to that, then try again"
    assert done.stderr == f"toklane: the built-in engine can't be started: {why}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is stopped there")
def test_an_engine_that_stands_still_is_a_stall_and_then_goes_on(own_home: Path, gguf: Path) -> None:
    """As a machine that sleeps does it; and nobody waits for it at the end."""
    del gguf
    words = [*TOKLANE, "--embedded", "--prompt-tokens", "64", "--max-tokens", "4k", "--ignore-eos"]
    with Terminal(words, environment(own_home)) as terminal:
        terminal.wait_for("enter sends", 60)
        terminal.press("\r")
        terminal.wait_for("token 2")
        engine = named(own_home, "embedded_child")
        engine.suspend()
        terminal.wait_for("Stalled")
        engine.resume()
        terminal.wait_for("Writing the answer")
        engine.suspend()
        terminal.wait_for("Stalled")
        terminal.press("q")
        assert terminal.end() == 0 and terminal.restored
    eventually(lambda: not living(own_home))


def test_one_that_is_killed_amid_a_request_is_remembered_as_the_built_in_one(
    own_home: Path, gguf: Path
) -> None:
    """And not as the address that it had; the theme of this start was for this start alone."""
    del gguf
    words = [*TOKLANE, "--embedded", "--prompt-tokens", "64", "--max-tokens", "4k", "--ignore-eos"]
    with Terminal([*words, "--theme", "light"], environment(own_home)) as terminal:
        terminal.wait_for("enter sends", 60)
        terminal.press("\r")
        terminal.wait_for("token 2")
        named(own_home, "embedded_child").kill()
        terminal.wait_for("choose an engine")
        terminal.press("q")
        assert terminal.end() == 0
    last = json.loads((own_home / "state" / "last.json").read_text())
    assert last["embedded"] and not last.keys() & {"url", "model", "theme"}


def test_a_theme_that_was_typed_is_not_kept_but_a_chosen_one_is(monitor: Monitor, own_home: Path) -> None:
    def kept(*keys: str) -> str | None:
        terminal = monitor("--url", "http://127.0.0.1:9", "--theme", "light")
        terminal.wait_for("enter tries again, e picks another")
        terminal.press("".join(keys) + "q")
        assert terminal.end() == 0
        theme = json.loads((own_home / "state" / "last.json").read_text()).get("theme")
        assert theme is None or isinstance(theme, str)
        return theme

    assert kept() is None
    chosen = kept("t")
    assert chosen not in (None, "light")
    assert kept() == chosen
