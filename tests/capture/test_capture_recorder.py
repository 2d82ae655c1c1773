"""The file of a run on its way to the disk: whoever kills the writer finds what happened so far."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.endings.terminal import eventually
from tui.capture import recorder
from tui.capture.recorder import Recorder
from tui.capture.recording import read
from tui.domain.wire import End, Meta, Note, Read, Sample

META = Meta({"engine": "any", "request": {"method": "POST"}})
HEAD = Note(30, "head", {"status": 200, "headers": [["Server", "x"]]})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.jsonl"


def never(reason: str) -> None:
    raise AssertionError(reason)


def written(file: Path, true: Callable[[], object]) -> None:
    eventually(lambda: file.exists() and file.stat().st_size and true())


def test_the_first_record_is_on_the_disk_at_once(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_BATCH_S", 60.0)
    writer = Recorder(str(file), never)
    writer.put(META)
    written(file, lambda: True)
    broken_off = read(file)
    assert broken_off.meta.fields["engine"] == "any" and not broken_off.ended
    assert len(broken_off.records) == 2  # nothing is told that did not happen, such as that it was sent
    writer.close()


def test_what_comes_before_the_head_does_not_wait_for_it(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_BATCH_S", 0.0)
    writer = Recorder(str(file), never)
    records = [Note(0, "sent"), Sample(10, {"used_bytes": 7}), Note(20, "sent_all")]
    for record in (META, *records):
        writer.put(record)
    written(file, lambda: len(read(file).records) == 5)
    assert list(read(file).records[1:-1]) == records
    writer.put(HEAD)
    written(file, lambda: "status" in read(file).meta.fields)
    writer.put(Read(40, b"x"))
    writer.put(End(50, "eof"))
    writer.close()
    whole = read(file)
    assert list(whole.records[1:]) == [*records, HEAD, Read(40, b"x"), End(50, "eof")]
    assert whole.damaged_lines == 0 and whole.ended
    first = json.loads(file.read_text().split("\n", 1)[0])["meta"]
    assert (first["status"], first["response_headers"]) == (200, [["Server", "x"]])


def test_a_run_that_fails_before_its_head_is_whole_too(file: Path) -> None:
    writer = Recorder(str(file), never)
    records = [META, Note(0, "sent"), End(5, "error", "nothing answers")]
    for record in records:
        writer.put(record)
    writer.close()
    assert list(read(file).records[1:]) == records[1:] and read(file).damaged_lines == 0
