"""The server's model file: found by mapping or command, read by its header, and never anything else."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest

from tests.domain.headers import LLAMA_8B, gguf
from tui.domain.shape import ModelShape
from tui.probes import model_file
from tui.probes.model_file import LEAST_BYTES, ModelFile, read_shape
from tui.probes.model_paths import linux, portable
from tui.probes.server import Found
from tui.probes.watch import ServerWatch

TENSORS = (("token_embd.weight", (10, 10), 1000), ("output.weight", (10, 10), LEAST_BYTES))


def model(path: Path, **more: object) -> Path:
    path.write_bytes(gguf(LLAMA_8B | more, TENSORS) + bytes(1000 + LEAST_BYTES))
    return path


def looking_in(proc: Path) -> ModelFile:
    return ModelFile(lambda pid: linux(pid, proc))


def process(proc: Path, pid: int, mapped: tuple[Path, ...] = (), command: tuple[str, ...] = ()) -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    lines = [f"7f00-7f01 r--s 00000000 fd:00 {i} {path}" for i, path in enumerate(mapped)]
    (folder / "maps").write_text(
        "\n".join(["7fff-8000 rw-p 0 00:00 0 [stack]", "7e00-7e01 rw-p 0 00:00 0", *lines])
    )
    (folder / "cmdline").write_text("\0".join(command) + "\0")


def test_a_mapped_model_is_found_among_other_files(tmp_path: Path) -> None:
    weights = model(tmp_path / "a model.gguf")
    (tmp_path / "other").write_bytes(bytes(2 * LEAST_BYTES))
    process(tmp_path / "proc", 7, (tmp_path / "other", tmp_path / "lib.so.1", weights, weights))
    shape = looking_in(tmp_path / "proc").look([7, 8])
    assert shape is not None
    assert (shape.layers, shape.weight_bytes, shape.embedding_bytes) == (32, LEAST_BYTES, 1000)


@pytest.mark.parametrize("words", [("-m", "{}"), ("--model={}",), ("runner", "--model", "{}")])
def test_a_model_that_is_not_mapped_is_found_by_the_command(tmp_path: Path, words: tuple[str, ...]) -> None:
    weights = model(tmp_path / "sha256-abc")
    process(tmp_path / "proc", 7, command=("server", *(word.format(weights) for word in words)))
    assert looking_in(tmp_path / "proc").look([7]) is not None


def test_a_name_is_looked_up_in_the_folder_of_the_process(tmp_path: Path) -> None:
    model(tmp_path / "here.gguf")
    process(tmp_path / "proc", 7, command=("server", "-m", "here.gguf"))
    (tmp_path / "proc/7/cwd").symlink_to(tmp_path)
    assert looking_in(tmp_path / "proc").look([7]) is not None


def test_a_container_has_its_own_folders(tmp_path: Path) -> None:
    process(tmp_path / "proc", 7, command=("server", "-m", "/models/a.gguf"))
    (tmp_path / "proc/7/root/models").mkdir(parents=True)
    model(tmp_path / "proc/7/root/models/a.gguf")
    assert looking_in(tmp_path / "proc").look([7]) is not None


def test_the_largest_model_is_the_one_that_answers_and_eyes_are_none(tmp_path: Path) -> None:
    small = model(tmp_path / "draft.gguf", **{"llama.block_count": 2})
    eyes = model(tmp_path / "mmproj.gguf", **{"general.architecture": "clip"})
    large = model(tmp_path / "main.gguf")
    with eyes.open("ab") as file:
        file.truncate(5 * LEAST_BYTES)
    with large.open("ab") as file:
        file.truncate(3 * LEAST_BYTES)
    process(tmp_path / "proc", 7, (small, eyes, large))
    shape = looking_in(tmp_path / "proc").look([7])
    assert shape is not None and shape.layers == 32


def test_a_file_is_read_once_until_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = model(tmp_path / "a.gguf")
    process(tmp_path / "proc", 7, (weights,))
    read: list[Path] = []
    monkeypatch.setattr(model_file, "read_shape", lambda path: read.append(path) or read_shape(path))
    looking = looking_in(tmp_path / "proc")
    assert looking.look([7]) == looking.look([7])
    os.utime(weights, ns=(1, 1))
    looking.look([7])
    assert read == [weights, weights]


def test_all_parts_of_a_split_model_count(tmp_path: Path) -> None:
    for i in (1, 2):
        model(tmp_path / f"m-0000{i}-of-00002.gguf")
    shape = read_shape(tmp_path / "m-00002-of-00002.gguf")
    assert shape is not None
    assert (shape.weight_bytes, shape.params) == (2 * LEAST_BYTES, 400)
    (tmp_path / "m-00001-of-00002.gguf").unlink()
    assert read_shape(tmp_path / "m-00002-of-00002.gguf") is None


def test_a_header_longer_than_the_first_read_is_read_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weights = model(tmp_path / "a.gguf")
    monkeypatch.setattr(model_file, "FIRST_BYTES", 100)
    assert read_shape(weights) is not None
    monkeypatch.setattr(model_file, "MOST_BYTES", 200)
    assert read_shape(weights) is None


def test_what_is_no_model_is_left_alone(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    (tmp_path / "damaged.gguf").write_bytes(b"GGUF" + b"\xff" * 2 * LEAST_BYTES)
    (tmp_path / "folder.gguf").mkdir()
    words = [str(tmp_path / name) for name in ("pipe.gguf", "damaged.gguf", "folder.gguf", "gone.gguf")]
    process(tmp_path / "proc", 7, command=("server", *words, "-m", "/etc/passwd"))
    assert looking_in(tmp_path / "proc").look([7]) is None
    assert looking_in(tmp_path / "proc").look([]) is None
    assert read_shape(tmp_path / "pipe.gguf") is None


def test_the_model_of_this_very_process_is_found(gguf: Path) -> None:
    with gguf.open("rb") as file:
        held = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    shape = ModelFile(linux).look([os.getpid()])
    held.close()
    assert shape is not None and shape.layers == 30


def test_the_watch_reads_the_model_of_processes_once_there_is_one() -> None:
    asked: list[tuple[int, ...]] = []
    shapes = iter([None, ModelShape(layers=3), ModelShape(layers=4)])

    def shape(pids: tuple[int, ...]) -> ModelShape | None:
        asked.append(pids)
        return next(shapes)

    watch = ServerWatch(lambda host, port: Found(), lambda pid: (pid,), shape)
    watch.found = Found(7, tree=(7,))
    for _ in range(3):
        watch.read_model()
    assert asked == [(7,), (7,)]
    assert watch.model == ModelShape(layers=3)
    watch.found = Found(7, tree=(7, 8))
    watch.read_model()
    assert watch.model == ModelShape(layers=4)


def test_without_proc_the_command_line_has_to_do() -> None:
    assert list(portable(os.getpid()))  # the interpreter at least
    assert list(portable(2**22 + 1)) == []
