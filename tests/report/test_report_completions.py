"""The completions in the shells they are for: bash always, zsh and fish where they are installed."""

from __future__ import annotations

import io
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from tui.report import completions
from tui.settings.flags import COMMANDS
from tui.settings.manual import entries

ENTRIES = {command: entries(command) for command in ("", *COMMANDS)}
_BASH = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_toklane
printf '%s\\n' "${COMPREPLY[@]}"
"""
_ZSH = """
compdef() { :; }
source "$1"; shift
_arguments() { print -rl -- "$@"; }
_describe() { print -rl -- "${(@P)2}"; }
words=("$@") CURRENT=${#words}
_toklane
"""


THEMES = (
    "dark",
    "projector",
    "projector-light",
    "nord",
    "$(touch here)",
    "`touch here`",
    "a b",
    '";touch here"',
)


def script(shell: str, folder: Path) -> str:
    out = io.StringIO()
    assert completions.tell(shell, THEMES, out) == 0
    file = folder / f"completions.{shell}"
    file.write_text(out.getvalue(), encoding="utf-8")
    return str(file)


def ran(folder: Path, *words: str) -> list[str]:
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=20, cwd=folder)
    assert done.stderr == ""
    return done.stdout.splitlines()


def in_bash(folder: Path, *words: str) -> list[str]:
    return [word for word in ran(folder, "bash", "-c", _BASH, "bash", script("bash", folder), *words) if word]


def in_zsh(folder: Path, *words: str) -> list[str]:
    return ran(folder, "zsh", "-f", "-c", _ZSH, "zsh", script("zsh", folder), *words)


def in_fish(folder: Path, line: str) -> list[str]:
    told = f"source {shlex.quote(script('fish', folder))}; complete -C {shlex.quote(line)}"
    return [row.partition("\t")[0] for row in ran(folder, "fish", "--no-config", "-c", told)]


def flags(command: str) -> set[str]:
    return {entry.flag for entry in ENTRIES[command] if entry.flag}


needs_zsh = pytest.mark.skipif(not shutil.which("zsh"), reason="there is no zsh here")
needs_fish = pytest.mark.skipif(not shutil.which("fish"), reason="there is no fish here")


def test_bash_offers_commands_and_flags(tmp_path: Path) -> None:
    assert set(in_bash(tmp_path, "toklane", "")) == {*COMMANDS, *flags("")}
    assert in_bash(tmp_path, "toklane", "se") == ["selftest", "serve"]
    for command in COMMANDS:
        assert set(in_bash(tmp_path, "toklane", command, "--")) == flags(command), command


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["run", "--profile", ""], ["plain", "agent", "own"]),
        (["run", "--profile", "=", "a"], ["agent"]),
        (["run", "--profile", "="], ["plain", "agent", "own"]),
        (["--rivals", ""], ["0", "1", "2", "3", "4"]),
        (["--theme", "projector"], ["projector-light", "projector"]),
        (["run", "--engine", "oll"], ["ollama"]),
        (["completions", "z"], ["zsh"]),
        (["run", "--model", ""], []),
    ],
)
def test_bash_offers_values(tmp_path: Path, words: Sequence[str], offered: list[str]) -> None:
    assert sorted(in_bash(tmp_path, "toklane", *words)) == sorted(offered)


def test_bash_offers_files(tmp_path: Path) -> None:
    (tmp_path / "my run.jsonl").touch()
    assert in_bash(tmp_path, "toklane", "replay", "my") == ["my run.jsonl"]
    assert in_bash(tmp_path, "toklane", "run", "--prompt-file", "my") == ["my run.jsonl"]
    assert in_bash(tmp_path, "toklane", "run", "my") == []


@needs_zsh
def test_zsh_takes_the_script(tmp_path: Path) -> None:
    assert {row.partition(":")[0] for row in in_zsh(tmp_path, "toklane", "")} == set(COMMANDS)
    for command in COMMANDS:
        told = in_zsh(tmp_path, "toklane", command, "--")
        assert {row.partition("[")[0].rstrip("=") for row in told if row.startswith("--")} == flags(command)
    assert any(row.endswith("KIND:(plain agent own)") for row in in_zsh(tmp_path, "toklane", "run", "--"))
    assert any(row.endswith("FILE:_files") for row in in_zsh(tmp_path, "toklane", "replay", "--"))


@needs_fish
def test_fish_offers_the_same(tmp_path: Path) -> None:
    assert set(COMMANDS) <= set(in_fish(tmp_path, "toklane "))
    for command in COMMANDS:
        assert flags(command) <= set(in_fish(tmp_path, f"toklane {command} --")), command
    assert in_fish(tmp_path, "toklane run --profile ") == ["agent", "own", "plain"]
    assert in_fish(tmp_path, "toklane completions ") == ["bash", "fish", "zsh"]
    (tmp_path / "run.jsonl").touch()
    assert in_fish(tmp_path, "toklane replay ru") == ["run.jsonl"]


def test_a_theme_s_name_is_never_a_command(tmp_path: Path) -> None:
    assert in_bash(tmp_path, "toklane", "--theme", "") == ["dark", "projector", "projector-light", "nord"]
    assert not (tmp_path / "here").exists()
