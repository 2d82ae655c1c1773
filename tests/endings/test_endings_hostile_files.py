"""Files and processes of this machine may hold anything: text, or refused in one line."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, Start
from tests.endings.hostile import ALL, SEQUENCES, Server, alien, streamed
from tests.endings.only_text import LONG, PAGES, WORD, one_line, plain, seen, sound, told, written
from tests.endings.terminal import ROOT
from tui import locations

DEEP, DIGITS = "a = " + "[" * 5000, "a = " + "9" * 5000
NAMED = """
import ctypes, sys, time
from tests.endings.hostile import Server, streamed
ctypes.CDLL(None).prctl(15, b"\\x1b[2J\\xff\\xe2\\x80\\xae[b]\\n")
with Server("m", streamed("a", "b")) as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def toml(text: str) -> str:
    """A TOML string of any text."""
    return '"' + "".join(f"\\U{ord(c):08x}" for c in text if not 0xD800 <= ord(c) < 0xE000) + '"'


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


@pytest.mark.parametrize("text", [DEEP, DIGITS, "\x1b", f"title = {toml(WORD)}"], ids=lambda text: text[:9])
def test_a_theme_that_breaks_what_reads_it_is_left_out(start: Start, own_home: Path, text: str) -> None:
    written(own_home, "config/themes/own.toml", text)
    out, errors = start("themes").communicate(timeout=60)
    plain(out)
    plain(errors)
    assert "dark" in out and "internal error" not in errors


def test_themes_of_the_user_are_only_text(monitor: Monitor, start: Start, own_home: Path) -> None:
    shipped = (Path(__file__).parents[2] / "themes" / "dark.toml").read_text()
    title = next(line for line in shipped.split("\n") if line.startswith("title"))
    folder = own_home / "config" / "themes"
    folder.mkdir(parents=True)
    for number, word in enumerate(SEQUENCES.values()):
        name = f"{number}{word}".replace("/", "_").replace("\0", "")
        (folder / f"{name}.toml").write_text(shipped.replace(title, f"title = {json.dumps(word)}"))
    (folder / os.fsdecode(b"\xff\x1b[2J.toml")).write_text("title = \x1b")
    out, _ = told(start("themes"))
    plain(out)
    terminal = monitor("--demo")
    terminal.wait_for("e your engine")
    for _ in range(4):
        terminal.press("t")
        terminal.settle(0.2)
    terminal.press("\x10")
    terminal.wait_for("type what you want to do")
    terminal.press("theme")
    terminal.wait_for("take these colours")
    terminal.press("\x1b")
    terminal.wait_for("e your engine")
    terminal.settle(0.2)
    sound(terminal)


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
        ('[[scene]]\ntitle = "a"\nrecording = "none.gz"', "can't be played"),
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


def test_an_own_prompt_from_a_file_is_edited_as_text(monitor: Monitor, tmp_path: Path) -> None:
    """What is sent is what the file holds; what is shown is what can be shown."""
    file = written(tmp_path, "prompt", ALL.encode() + b"\r\n\0" * 100 + "漢\x1b[2J\u202e".encode() * 2000)
    with Server("m", streamed("a")) as server:
        terminal = monitor("--url", server.url, "--prompt-file", str(file))
        terminal.wait_for("Ready")
        terminal.press("o")
        terminal.wait_for("use it")
        terminal.press("typed \x1b[200~pasted \u202e\u2066\u200b\x9b2J\x1b[201~")
        terminal.wait_for("typed pasted")
        terminal.press("\x1b")
        terminal.until(lambda: "use it" not in terminal.text)
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
