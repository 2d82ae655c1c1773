"""What is typed wrong is answered by one line and the right status, before anything is sent or drawn."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, Start
from tests.endings.server import Engine
from tui.engines import model

USAGE, NOBODY = 2, 3
CLOSED = "http://127.0.0.1:9"


def answers(start: Start, cases: Sequence[Sequence[str]]) -> list[tuple[Sequence[str], int, str]]:
    """(words, status, line) of each case; all that run share the machine."""
    told = []
    for at in range(0, len(cases), 4):
        batch = [(words, start(*words)) for words in cases[at : at + 4]]
        told += [(words, *_answer(words, process)) for words, process in batch]
    return told


def _answer(words: Sequence[str], process: subprocess.Popen[str]) -> tuple[int, str]:
    out, line = process.communicate(timeout=20)
    assert out == "", words
    assert line.startswith("toklane: ") and len(line.splitlines()) == 1, (words, line)
    return process.returncode, line


def test_wrong_words(start: Start) -> None:
    cases = [
        ["nosuch"],
        ["run", "extra"],
        ["run", "--nosuch"],
        ["run", "--prompt-tokens", "0"],
        ["run", "--prompt-tokens", "many"],
        ["run", "--cache", "warm"],
        ["run", "--timeout", "0"],
        ["run", "--repeat", "x"],
        ["run", "--embedded", "--url", CLOSED],
        ["replay"],
        ["replay", "x", "--speed", "-1"],
        ["serve", "--port", "0"],
        ["serve", "--theme", "nosuch"],
        ["completions"],
        ["completions", "csh"],
    ]
    for words, status, _ in answers(start, cases):
        assert status == USAGE, words


def test_wrong_addresses_and_keys(start: Start, own_home: Path) -> None:
    binary = own_home / "key"
    binary.write_bytes(bytes(range(256)))
    cases = [
        ["run", "--url", url]
        for url in (
            "http://",
            "ftp://x",
            "http://h:99999",
            "http://h:x",
            "http://[::1",
            "a b",
            f"{CLOSED}/?k=s3cret",
        )
    ] + [
        ["--api-key-env", "NOSUCH"],
        ["--url", CLOSED, "--api-key-env", "sk-s3cret"],
        ["run", "--url", CLOSED, "--api-key-file", str(own_home / "missing")],
        ["run", "--url", CLOSED, "--api-key-file", str(own_home)],
        ["run", "--url", CLOSED, "--api-key-file", str(binary)],
    ]
    for words, status, line in answers(start, cases):
        assert status == USAGE, words
        assert "s3cret" not in line


def test_wrong_files(start: Start, own_home: Path) -> None:
    missing, folder = str(own_home / "missing"), str(own_home)
    binary, empty = own_home / "binary", own_home / "empty"
    binary.write_bytes(bytes(range(256)) * 9)
    empty.touch()
    cases = [
        [*words, file]
        for words in (
            ["run", "--embedded", "--gguf"],
            ["run", "--prompt-file"],
            ["run", "--ca-file"],
            ["replay"],
        )
        for file in (missing, folder, str(binary), str(empty))
    ]
    for words, status, line in answers(start, cases):
        assert status == USAGE, words
        assert words[-1] in line


def test_a_recording_that_can_t_be_written_is_told_before_anything_is_sent(
    start: Start, scripted: Engine, own_home: Path
) -> None:
    there = own_home / "there-2"
    there.touch()
    cases = [
        ["run", "--url", scripted.url, "--record", place]
        for place in (str(there), str(own_home), "/proc/x", str(own_home / "no" / "x"), "/dev/null", "")
    ] + [["run", "--url", scripted.url, "--repeat", "2", "--record", str(own_home / "there")]]
    for words, status, _ in answers(start, cases):
        assert status == USAGE, words
    assert not scripted.asked.is_set()
    assert sorted(path.name for path in own_home.iterdir()) == ["cache", "there-2"]
    assert there.read_bytes() == b""


def test_without_a_place_for_recordings_a_run_works_and_says_so(
    start: Start, scripted: Engine, own_home: Path
) -> None:
    scripted.reads.set()
    scripted.writes.set()
    (own_home / "state").touch()
    process = start("run", "--url", scripted.url)
    line = process.communicate(timeout=20)[1]
    assert process.returncode == 0
    assert line == f"toklane: not recorded: {own_home / 'state' / 'runs'} Not a directory\n"


WRONG = (
    (("run", "--engine", "nosuch"), "--engine needs one of "),
    (("run", "--embedded", "--model", "nosuch"), f"the built-in engine has the model {model.NAME} alone"),
    (("run", "--embedded", "--engine", "vllm"), "--engine and --embedded can't be given together"),
    (("run", "--prompt", "a", "--profile", "agent"), "--prompt and --profile agent can't be given together"),
    (("run", "--prompt-tokens", "99999999999"), "--prompt-tokens needs at most 16,777,216 tokens"),
    (("run", "--record", ""), "argument --record: the path of a file is needed"),
    (("tour", "--script", ""), "argument --script: the path of a file is needed"),
    (("run", "--url", "http:/127.0.0.1:1"), "The URL does not begin with http:// or https://"),
    (("--theme", "nosuch"), "no theme 'nosuch'; `toklane themes` lists all"),
    (("serve", "--theme", "nosuch"), "no theme 'nosuch'"),
)


@pytest.mark.parametrize(("words", "line"), WRONG, ids=lambda told: str(told)[:30])
def test_what_would_be_passed_over_is_refused(start: Start, words: tuple[str, ...], line: str) -> None:
    ((_, status, told),) = answers(start, [list(words)])
    assert (status, told.removeprefix("toklane: ").startswith(line)) == (USAGE, True), told


def test_nobody_there(start: Start, own_home: Path) -> None:
    cases = [
        ["run", "--url", CLOSED],
        ["--url", f"{CLOSED}/v1/"],
        ["run", "--url", "http://nobody.invalid"],
        ["run", "--engine", "deepseek"],  # never at a local port
        ["run", "--embedded", "--no-download"],
    ]
    (own_home / "cache" / "models" / model.FILE).unlink(missing_ok=True)
    remedies = ("Is the server running?", "Check the address", "with --url", "`toklane model --fetch`")
    for words, status, line in answers(start, cases):
        assert status == NOBODY, words
        assert any(remedy in line for remedy in remedies), line


def test_a_longer_prompt_than_the_context_is_fitted_and_told(start: Start, scripted: Engine) -> None:
    scripted.reads.set()
    scripted.writes.set()
    told, line = start("run", "--url", scripted.url, "--prompt-tokens", "100k").communicate(timeout=20)
    assert " (asked 102,400)" in told
    process = start("run", "--url", scripted.url, "--prompt-tokens", "100k", "--json")
    told, line = process.communicate(timeout=20)
    assert process.returncode == 0
    assert json.loads(told)["runs"][0]["conditions"]["prompt_tokens_asked"] == 102_400
    assert line == "toklane: the context holds 8192 tokens: prompt 8128 and answer 64 tokens are sent\n"


def test_what_was_used_last_and_is_gone_stops_nobody(monitor: Monitor, own_home: Path) -> None:
    state = own_home / "state"
    state.mkdir()
    last = {"url": CLOSED, "api_key_env": "NOSUCH", "theme": "mine"}
    (state / "last.json").write_text(json.dumps(last))
    terminal = monitor()
    terminal.wait_for(" not as it was last: ")
    terminal.press("\x03")
    assert terminal.end() == 130


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--theme", "nosuch"], "no theme 'nosuch'; `toklane themes` lists all"),
        (["--url", "http://h:x"], "The URL's host or port is wrong"),
        (["--api-key-env", "NOSUCH"], "the environment variable NOSUCH is not set; export the API key in it"),
        (["--embedded", "--gguf", "/dev/null"], "'/dev/null' is not a GGUF model"),
        (["replay", "/"], "'/' can't be read: Is a directory"),
        (["replay", "/dev/null"], "/dev/null is not a recording"),
    ],
    ids=str,
)
def test_in_a_terminal_nothing_is_drawn_first(monitor: Monitor, words: list[str], told: str) -> None:
    terminal = monitor(*words)
    assert terminal.end() == USAGE
    assert terminal.written.startswith(f"toklane: {told}".encode())
    assert terminal.written.count(b"\n") == 1 and b"\x1b" not in terminal.written
    assert terminal.restored
