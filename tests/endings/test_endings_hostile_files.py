"""Files, variables and processes of this machine may hold anything: text, or refused in one line."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, Start
from tests.endings.hostile import ALL, Server, alien, streamed
from tests.endings.terminal import ROOT
from tests.endings.test_endings_hostile import plain, seen, sound
from tui import locations

WORD = ALL.replace("\0", "")
LONG = "k" * 200_000
DEEP, DIGITS = "a = " + "[" * 5000, "a = " + "9" * 5000
NAMED = """
import ctypes, sys, time
from tests.endings.hostile import Server, streamed
ctypes.CDLL(None).prctl(15, b"\\x1b[2J\\xff\\xe2\\x80\\xae[b]\\n")
with Server("m", streamed("a", "b")) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""
NOBODY = ("--url", "http://127.0.0.1:9")
VARIABLES = (
    *(
        "TERM",
        "COLORTERM",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "TMUX",
        "SSH_TTY",
        "TZ",
        "LC_ALL",
        "NO_COLOR",
    ),
    *("HTTP_PROXY", "CUDA_VISIBLE_DEVICES", "OLLAMA_HOST", "LLAMA_ARG_HOST", "VIRTUAL_ENV"),
)
PAGES = "?eiodw23456\x10"


def toml(text: str) -> str:
    """A TOML string of any text."""
    return '"' + "".join(f"\\U{ord(c):08x}" for c in text if not 0xD800 <= ord(c) < 0xE000) + '"'


def written(folder: Path, name: str, text: str | bytes) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def one_line(process: subprocess.Popen[str], status: int = 2) -> str:
    """It ended with one line that can be read."""
    out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (status, ""), errors[:500]
    plain(errors)
    assert errors.count("\n") == 1 and len(errors) < 2100 and "internal error" not in errors, errors[:500]
    return errors


# -- what is asked for --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        DEEP,
        DIGITS,
        f"{LONG} = 1",
        f"[keys]\n{LONG} = 'q'",
        'prompt_file = "a\\u0000b"',
        f"prompt_file = {toml(LONG)}",
        'gguf = "\\u0000"\nembedded = true',
        'api_key_file = "~nobody-of-this-name/key"',
        "temperature = " + "9" * 400,
        "timeout = " + "9" * 400,
        "seed = 0x" + "f" * 5000,
        "prompt_tokens = 0x" + "f" * 5000,
    ],
    ids=lambda text: text[:20].split("\n")[0],
)
def test_settings_that_break_what_reads_them_are_one_line(start: Start, own_home: Path, text: str) -> None:
    written(own_home, "config/config.toml", text)
    one_line(start("run", "--url", "http://127.0.0.1:9"))


@pytest.mark.parametrize("words", [("--timeout", "1e308"), ("--seed", "9" * 300)], ids=str)
def test_numbers_beyond_all_measure_are_taken(start: Start, words: tuple[str, ...]) -> None:
    with Server("m", streamed("a")) as server:
        process = start("run", "--url", server.url, "--json", *words)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and json.loads(out), errors


@pytest.mark.parametrize("text", [DEEP, DIGITS, "\x1b", f"title = {toml(WORD)}"], ids=lambda text: text[:9])
def test_a_theme_that_breaks_what_reads_it_is_left_out(start: Start, own_home: Path, text: str) -> None:
    written(own_home, "config/themes/own.toml", text)
    out, errors = start("themes").communicate(timeout=60)
    plain(out)
    plain(errors)
    assert "dark" in out and "internal error" not in errors


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_names_of_themes_say_nothing_to_a_shell(start: Start, own_home: Path, shell: str) -> None:
    dark = (locations.themes_dir() / "dark.toml").read_bytes()
    for name in ("a$(id)", "a;id", "a`id`", "a'b", 'a"b', "a b", "a\x1b[2J", "\u202ea", "a\nid"):
        written(own_home, f"config/themes/{name}.toml", dark)
    out, _ = start("completions", shell).communicate(timeout=60)
    plain(out)
    assert "dark" in out
    assert not any(part in out for part in ("$(id)", ";id", "`id`", "\nid"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (DEEP, "nested too deep"),
        (DIGITS, "too many digits"),
        ('[[scene]]\ntitle = "a"', "names a recording"),
        (f'[[scene]]\ntitle = "a"\nrecording = "{"r" * 5000}"', "no file"),
        ('[[scene]]\ntitle = "a"\nrecording = "cut.gz"', "can't be played"),
        ('[[scene]]\ntitle = "a"\nrecording = "none.gz"', "can't be read"),
        ('[[scene]]\ntitle = "a"\nrecording = "none.jsonl"', "can't be played"),
        (f'[[scene]]\ntitle = "a"\n{LONG} = 1', "has no"),
        (f'[[scene]]\ntitle = "a"\nbefore = "{{{LONG}}}"', "known as"),
        ('[[scene]]\ntitle = "a"\ntemperature = ' + "9" * 400, "a number"),
    ],
    ids=lambda told: told[:12],
)
def test_a_tour_that_can_t_be_played_is_one_line(
    monitor: Monitor, tmp_path: Path, text: str, says: str
) -> None:
    recording = next(locations.demo_dir().glob("*.gz")).read_bytes()
    written(tmp_path, "cut.gz", recording[: len(recording) // 2])
    written(tmp_path, "none.gz", b"nothing")
    written(tmp_path, "none.jsonl", gzip.decompress(recording)[:40] + b"\x1b")
    terminal = monitor("tour", "--demo", "--script", str(written(tmp_path, "own.toml", text)))
    assert terminal.end(20) == 2
    assert alien(terminal.written) == [] and b"internal error" not in terminal.written
    assert says in " ".join(terminal.text.split()) or len(terminal.text) > 1500


def test_a_tour_is_only_text(monitor: Monitor, tmp_path: Path) -> None:
    words = "".join(f"{name} = {toml(WORD)}\n" for name in ("title", "before", "while", "after", "prompt"))
    script = written(tmp_path, "own.toml", f"[[scene]]\n{words}" * 2)
    with Server("m", streamed("a", "b")) as server:
        terminal = monitor("tour", "--url", server.url, "--script", str(script))
        terminal.wait_for("1/2")
        terminal.wait_for("PWNED")
        terminal.wait_for("Ready")
        terminal.press(" ")
        terminal.wait_for("Finished")
        terminal.press(" ")
        terminal.wait_for("2/2")
        terminal.press("\x1b")
        terminal.settle(0.2)
        sound(terminal)


# -- what is remembered -------------------------------------------------------------------------------------


@pytest.mark.parametrize("half", [False, True], ids=["hostile", "half a character"])
def test_what_was_used_last_is_only_text(monitor: Monitor, own_home: Path, half: bool) -> None:
    word = "a\ud800b" if half else WORD
    with Server("m", streamed("a", "b")) as server:
        told = {"url": server.url, "theme": "dark", "model": word, "prompt": word, "profile": "own"}
        written(own_home, "state/last.json", json.dumps(told))
        terminal = monitor()
        terminal.wait_for("Ready")
        terminal.press("\r")
        terminal.wait_for("Finished")
        seen(terminal, PAGES)
        sound(terminal)


def test_what_was_learned_beyond_all_measure_breaks_nothing(monitor: Monitor, own_home: Path) -> None:
    with Server("m", streamed("a", "b")) as server:
        key = {"engine": "llama.cpp", "root": server.url, "model": "m", "cache": "cold"}
        curve = {"a_s": 1e24, "b_s": 1e24, "c_s": 1e24, "spread": 1e24, "runs": 10**400, "most": 10**400}
        runs = [{"asked": 10**400, "ttft_s": 1e24}, {"asked": 512, "ttft_s": 1e-300, "at": WORD}]
        lines = [{"key": key, "run": run} for run in runs]
        lines += [{"key": key, "calibration": curve | {"least": 0, "at": WORD}}]
        lines += [{"key": key, "calibration": curve | {"least": 0, "runs": 8, "most": 10**17, "at": WORD}}]
        written(own_home, "state/experience.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        terminal = monitor("--url", server.url)
        terminal.wait_for("Ready")
        terminal.press("\r")
        terminal.wait_for("Finished")
        seen(terminal, "i6")
        sound(terminal)


# -- what is typed, and what runs here ----------------------------------------------------------------------


def test_an_own_prompt_from_a_file_is_edited_as_text(monitor: Monitor, tmp_path: Path) -> None:
    """What is sent is what the file holds; what is shown is what can be shown."""
    file = written(tmp_path, "prompt", ALL.encode() + b"\r\n\0" * 100 + "漢\x1b[2J\u202e".encode() * 2000)
    with Server("m", streamed("a")) as server:
        terminal = monitor("--url", server.url, "--prompt-file", str(file))
        terminal.wait_for("Ready")
        terminal.press("o")
        terminal.wait_for("own prompt")
        terminal.press("typed \x1b[200~pasted \u202e\u2066\u200b\x9b2J\x1b[201~")
        terminal.wait_for("typed pasted")
        terminal.press("\x1b")
        terminal.until(lambda: "own prompt" not in terminal.text)
        sound(terminal)


@pytest.mark.skipif(sys.platform != "linux", reason="the name of a process is set as Linux does it")
def test_a_process_that_is_named_like_a_sequence_is_only_text(monitor: Monitor) -> None:
    words = [sys.executable, "-c", NAMED]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT
    ) as engine:
        assert engine.stdin is not None and engine.stdout is not None
        terminal = monitor("--url", engine.stdout.readline().strip())
        terminal.wait_for("Ready")
        terminal.until(lambda: "[b]" in terminal.text)
        seen(terminal, "?23")
        sound(terminal)
        engine.stdin.close()


@pytest.mark.parametrize(
    "words", [("doctor", *NOBODY), ("doctor", *NOBODY, "--json"), ("themes",)], ids=" ".join
)
def test_variables_are_only_text(start: Start, words: tuple[str, ...]) -> None:
    out, errors = start(*words, **dict.fromkeys(VARIABLES, WORD)).communicate(timeout=60)
    plain(out)
    plain(errors)
    assert out + errors and "internal error" not in errors


@pytest.mark.parametrize(
    "name", ["TOKLANE_\x1b[2J", "TOKLANE_" + LONG[:100_000], "TOKLANE_\udcff"], ids=ascii
)
def test_a_variable_that_is_none_is_named_in_text(start: Start, name: str) -> None:
    one_line(start("run", "--url", "http://127.0.0.1:9", **{name: "1"}))


@pytest.mark.parametrize(
    "home", ["~nobody-of-this-name", "/dev/null/x", "/tmp/" + "h" * 3000], ids=lambda h: h[:9]
)
def test_a_home_that_can_be_none(start: Start, tmp_path: Path, home: str) -> None:
    process = start("keys", TOKLANE_HOME=home)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (0, 1, 2) and errors.count("\n") <= 1 and "internal error" not in errors
