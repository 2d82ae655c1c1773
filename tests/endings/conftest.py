"""Starts toklane the way a person does: in a terminal, or with its streams in pipes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

import pytest

from tests.conftest import MODEL
from tests.endings.server import Engine
from tests.endings.terminal import ROOT, TOKLANE, Terminal, environment, eventually, living
from tui.capture.recording import Recording
from tui.domain.wire import End
from tui.engines import model


class Monitor(Protocol):
    """Opens toklane with these words in a terminal of this size; `env` on top of the usual environment."""

    def __call__(self, *words: str, columns: int = 120, rows: int = 36, **env: str) -> Terminal: ...


class Start(Protocol):
    """Starts toklane with these words and pipes for its streams."""

    def __call__(self, *words: str, **env: str) -> subprocess.Popen[str]: ...


def ended(words: Sequence[str], home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """What the words started, once it is over; it had nothing to read. Their toklane lives in `home`."""
    return subprocess.run(
        words,
        env=environment(home, **more),
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def ending(recording: Recording) -> str:
    """How the recorded run ended."""
    last = recording.records[-1]
    assert isinstance(last, End)
    return last.how


@pytest.fixture
def own_home(tmp_path: Path) -> Iterator[Path]:
    """A TOKLANE_HOME for one test, with the built-in model in it. No process of it may outlive the test."""
    home = tmp_path / "home"
    place = home / "cache" / "models" / model.FILE
    place.parent.mkdir(parents=True)
    if MODEL:
        place.symlink_to(MODEL.absolute())
    yield home
    eventually(lambda: not living(home), tell=lambda: [p.cmdline() for p in living(home)])


@pytest.fixture
def scripted() -> Iterator[Engine]:
    """An engine that holds its tongue until it is told to go on."""
    with Engine() as engine:
        yield engine


@pytest.fixture
def monitor(own_home: Path) -> Iterator[Monitor]:
    opened: list[Terminal] = []

    def make(*words: str, columns: int = 120, rows: int = 36, **env: str) -> Terminal:
        opened.append(Terminal([*TOKLANE, *words], environment(own_home, **env), columns, rows))
        return opened[-1]

    yield make
    for terminal in opened:
        terminal.close()


@pytest.fixture
def start(own_home: Path) -> Iterator[Start]:
    started: list[subprocess.Popen[str]] = []

    def make(*words: str, **env: str) -> subprocess.Popen[str]:
        pipe = subprocess.PIPE
        process = subprocess.Popen(
            [*TOKLANE, *words],
            env=environment(own_home, **env),
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            text=True,
            encoding="utf-8",
        )
        started.append(process)
        return process

    yield make
    for process in started:
        with process:
            process.kill()
