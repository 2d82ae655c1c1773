"""A key that a server says back is nowhere: not in what is printed or drawn, and in no file or process."""

from __future__ import annotations

import contextlib
import json
import os
import stat
from pathlib import Path

import psutil
import pytest

from tests.endings.conftest import Start
from tests.endings.terminal import ROOT, TOKLANE, Terminal, environment, living
from tests.secrets.echoing import KEY, Echoing, leaks, told

COMPLETE, FAILED = 0, 1


def told_by(start: Start, *words: str, **env: str) -> tuple[int, str]:
    """Exit status, and all that was printed."""
    process = start(*words, **env)
    out, errors = process.communicate(timeout=60)
    return process.returncode, out + errors


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()]


def nothing_is_written(home: Path) -> None:
    """Of the key, in any file; and every one of them is its owner's alone."""
    assert files(home / "state"), "something was to be looked through"
    for path in files(home):
        assert not leaks(path.read_bytes()), path
    for path in (home / "state").rglob("*"):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_the_canary_is_found_where_it_is() -> None:
    for word in told(KEY).split():
        assert leaks(word), word


@pytest.mark.parametrize("status", [200, 401, 403, 404, 429, 500, 503])
def test_a_run_prints_and_records_nothing_of_the_key(
    start: Start, own_home: Path, tmp_path: Path, status: int
) -> None:
    record = tmp_path / "a.jsonl"
    with Echoing(status) as server:
        code, said = told_by(
            start, "run", "--url", server.url, "--api-key-env", "MY_KEY", "--json", "--record", str(record),
            "--prompt-tokens", "128", MY_KEY=KEY,
        )  # fmt: skip
    assert KEY in server.keys, "it was sent"
    assert code == (COMPLETE if status == 200 else FAILED), said
    assert not leaks(said), said
    assert json.loads(said.splitlines()[0])["runs"] or status != 200
    assert not leaks(record.read_bytes())
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    code, said = told_by(start, "replay", str(record), "--json")
    assert not leaks(said)
    code, said = told_by(start, "replay", str(record), "--plain", "--speed", "1000")
    assert not leaks(said)


def test_lines_and_the_usual_place_hold_nothing_either(start: Start, own_home: Path, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(KEY + "\n")
    with Echoing() as server:
        code, said = told_by(
            start,
            "run",
            "--url",
            server.url,
            "--api-key-file",
            str(file),
            "--plain",
            "--prompt-tokens",
            "128",
        )
        assert code == COMPLETE, said
        assert not leaks(said), said
        for more in ([], ["--json"]):
            code, said = told_by(start, "doctor", "--url", server.url, "--api-key-file", str(file), *more)
            assert code == COMPLETE and not leaks(said), said
    nothing_is_written(own_home)


def test_a_key_in_the_place_of_its_variables_name_is_not_said_back(start: Start) -> None:
    for words in (["--api-key-env", KEY], ["--api-key", KEY], [f"--api-key={KEY}"], ["--api-key-env=" + KEY]):
        code, said = told_by(start, "run", *words)
        assert code == 2 and not leaks(said.replace(f"--api-key={KEY}", "")), said


@pytest.mark.parametrize("status", [200, 401, 500])
def test_a_sitting_shows_and_keeps_nothing_of_the_key(own_home: Path, tmp_path: Path, status: int) -> None:
    """Its picture is written where the program was started."""
    old = os.umask(0)
    environ = environment(own_home, MY_KEY=KEY, PYTHONPATH=str(ROOT))
    command = ["env", "-C", str(tmp_path), *TOKLANE, "--api-key-env", "MY_KEY", "--prompt-tokens", "128"]
    try:
        with Echoing(status) as server, Terminal([*command, "--url", server.url], environ) as terminal:
            terminal.wait_for("enter send")
            nobody_has(own_home, terminal.process.pid)
            terminal.press("\r")
            terminal.wait_for("your key is" if status == 200 else str(status))
            nobody_has(own_home, terminal.process.pid)
            terminal.press("d")
            terminal.wait_for("raw detail")
            terminal.press("\x1b")
            terminal.until(lambda: "raw detail" not in terminal.text)
            for keys, shown in (("e", "engine"), ("\x1b", ""), ("\x13", "saved ")):
                terminal.press(keys)
                terminal.wait_for(shown)
                terminal.settle(0.3)
            terminal.press("q")
            assert terminal.end() == 0
    finally:
        os.umask(old)
    (picture,) = tmp_path.glob("toklane-*.svg")
    assert not leaks(picture.read_bytes())
    assert stat.S_IMODE(picture.stat().st_mode) == 0o600
    assert not leaks(terminal.written)
    assert not leaks(terminal.text)
    nothing_is_written(own_home)
    remembered = json.loads((own_home / "state" / "last.json").read_text())
    assert remembered["api_key_env"] == "MY_KEY" and remembered["url"] == server.url


def nobody_has(home: Path, shell: int) -> None:
    """No command line holds the key, and no environment but that of the program which was given it."""
    for process in living(home):
        with contextlib.suppress(psutil.NoSuchProcess):
            assert not leaks(" ".join(process.cmdline()))
            child = any(part in word for word in process.cmdline() for part in ("tui.capture", "tui.probes"))
            assert not child or not leaks(repr(process.environ())), process.cmdline()


@pytest.mark.parametrize(
    "url",
    [
        f"http://me:{KEY.replace('/', '%2F')}@127.0.0.1:9",
        f"http://127.0.0.1:9/v1?api_key={KEY}",
        f"me:{KEY}@[::1",
    ],
)
def test_a_key_inside_an_address_is_refused_and_not_said_back(start: Start, url: str) -> None:
    for command in ("run", "doctor"):
        code, said = told_by(start, command, "--url", url)
        assert code == 2 and said.count("\n") == 1
        assert not leaks(said), said
    assert "api-key-env" in said or "[::1" in url


def test_a_password_in_the_variable_of_the_address_is_used_and_kept_nowhere(
    start: Start, own_home: Path
) -> None:
    password = KEY.replace("/", "%2F")
    with Echoing() as server:
        url = server.url.replace("http://", f"http://me:{password}@")
        code, said = told_by(start, "run", "--json", "--prompt-tokens", "128", TOKLANE_URL=url)
    assert code == COMPLETE, said
    assert any(key != "none" for key in server.keys)
    assert not leaks(said), said
    nothing_is_written(own_home)
