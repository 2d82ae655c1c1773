"""A recording may hold anything in each of its fields: it is played, and what it tells is text."""

from __future__ import annotations

import json
import os
from dataclasses import fields
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, Start
from tests.endings.hostile import ALL, streamed
from tests.endings.only_text import PAGES, STREAM, WORD, plain, seen, sound, told, written
from tui.capture.lines import to_line
from tui.domain.machine import Gpu, Reading
from tui.domain.machine import Server as Process
from tui.domain.shape import ModelShape
from tui.domain.wire import End, Meta, Note, Read, Sample


def filled(kind: type, number: object, word: object) -> dict[str, object]:
    """Every field of it by its type, as a sample carries it."""
    told: dict[str, object] = {}
    for each in fields(kind):
        match str(each.type).removesuffix(" | None"):
            case "int" | "float":
                told[each.name] = number
            case "bool":
                told[each.name] = True
            case "str":
                told[each.name] = word
            case "Mapping[str, str]":
                told[each.name] = {name: word for name in (WORD, "cpu", "gpus", "server", each.name)}
            case "tuple[tuple[int, float], ...]":
                told[each.name] = [[number, number]] * 3
    return told


def recording(folder: Path) -> Path:
    """One whose every word is hostile, its name too."""
    conditions = {name: ALL for name in ("engine_version", "model", "file", "quantization", "connection")}
    meta = {
        "engine": "llama.cpp",
        "title": ALL,
        "url": f"http://127.0.0.1:1/{ALL}",
        "engine_version": ALL,
        "request": {"path": "/v1/chat/completions", "body": {"model": ALL, "seed": ALL}},
        "conditions": conditions | {"\x1b[2J": ALL, "start_time": ALL, "note": [ALL, {"a": "\ud800"}]},
    }
    gpu = {"name": ALL, "uuid": ALL, "util_pct": 5, "reason": ALL, "note": ALL}
    host = {"cpu": ALL, "memory": "\udcff", "\x1b[2J": ALL}
    fields = {"gpus": [gpu], "host": host, "server": {"pid": 1, "name": f"{ALL}\udcff", "note": ALL}}
    records = [
        Meta(meta),
        Note(0, "sent"),
        Sample(1, fields),
        Note(1000, "head", {"status": 200, "headers": [["Server", ALL], [ALL, "x"]]}),
        *(Read(2000 + 1000 * n, data) for n, data in enumerate(STREAM[:-1])),
        End(9_000_000, "error", f"gone {ALL}"),
    ]
    file = folder / os.fsdecode(b"run \x1b[2J\n\xff[bold]\xe2\x80\xae.jsonl")
    file.write_bytes(b"".join(map(to_line, records)))
    return file


def test_a_recording_is_only_text_on_the_screen(monitor: Monitor, tmp_path: Path) -> None:
    terminal = monitor("replay", str(recording(tmp_path)))
    terminal.wait_for("Finished")
    seen(terminal, PAGES)
    sound(terminal)


@pytest.mark.parametrize("words", [("--json",), ("--plain",), ()], ids=str)
def test_a_recording_without_a_screen_is_only_text(
    start: Start, tmp_path: Path, words: tuple[str, ...]
) -> None:
    out, _ = told(start("replay", str(recording(tmp_path)), *words))
    plain(out)
    if "--json" in words:
        assert out.isascii() and "\\ud800" not in out
        assert json.loads(out)["answer_text"].startswith("begin")


def test_a_file_that_is_none_is_named_in_text(start: Start, tmp_path: Path) -> None:
    for name in (b"none\x1b[2J\n\xff", b"there\x1b]0;PWNED\x07"):
        file = tmp_path / os.fsdecode(name)
        if name.startswith(b"there"):
            file.write_text("\x1b[2J")
        out, err = told(start("replay", str(file)))
        assert out == "" and err.count("\n") == 1


@pytest.mark.parametrize("number", [0, 1, 10**18, 1e24, -1, 0.5], ids=str)
def test_a_recording_whose_every_field_is_hostile(
    monitor: Monitor, start: Start, tmp_path: Path, number: float
) -> None:
    reading = filled(Reading, number, WORD) | {
        "gpus": [filled(Gpu, number, WORD) | {"uuid": f"{n}"} for n in range(3)],
        "server": filled(Process, number, WORD),
        "model": filled(ModelShape, number, WORD) | {"attention": [[1, number, number, number, number]]},
    }
    counts = ("threads", "kv_bytes", "prompt_tokens_asked", "answer_limit", "context_length", "slots")
    told = {"model": WORD, "shape": reading["model"], "gpu": WORD} | dict.fromkeys(counts, number)
    stream = streamed("a", "b")
    records = [
        Meta({"engine": WORD, "request": {"path": "/v1/chat/completions"}, "conditions": told}),
        Note(0, "sent"),
        Sample(1, reading),
        *(Read(2_000_000 * (n + 1), data) for n, data in enumerate(stream)),
        Note(2_000_000, "conditions", told),
        Note(3_000_000, "rival", {"rival": number, "step": WORD, "how": WORD, "chunks": number}),
        Sample(4_000_000, reading),
        End(20_000_000, WORD, WORD),
    ]
    file = written(tmp_path, "run.jsonl", b"".join(map(to_line, records)))
    out, errors = start("replay", str(file), "--json").communicate(timeout=60)
    assert json.loads(out) and "internal error" not in errors
    out, errors = start("replay", str(file), "--plain", "--speed", "1000").communicate(timeout=60)
    plain(out + errors)
    assert "internal error" not in out + errors
    terminal = monitor("replay", str(file))
    terminal.wait_for("answer")
    seen(terminal, PAGES)
    terminal.settle(0.3)
    sound(terminal)
