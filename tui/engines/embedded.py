"""The built-in engine seen from the program: start its process, ask how far it is, end it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from tui.engines import embedded_child
from tui.settings.surroundings import without_keys
from tui.settings.usage import extra

STOP_WITHIN_S = 1.0
LOG_BYTES = 8192
EXTRA = extra("embedded")
EARLY = "is there memory enough? `--url` takes another engine"
LOGGED_ERROR = re.compile(r"^[\d.]+ E +[\w ]+: (?:error loading model: )?(.+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Starting:
    """The process begins; all stamps of these states are `time.monotonic_ns`."""

    since_ns: int


@dataclass(frozen=True, slots=True)
class Loading:
    """llama.cpp reads the model; the server answers 503 meanwhile."""

    since_ns: int


@dataclass(frozen=True, slots=True)
class Ready:
    """It answers. `start_ns`: from `start()` to here; `load_ns`: the library and the model in it.

    `version`: of xllamacpp, which the engine itself does not tell.
    """

    start_ns: int
    load_ns: int
    version: str

    @property
    def conditions(self) -> dict[str, object]:
        """What is known of this engine and not told at its address."""
        return {
            "engine_version": f"xllamacpp {self.version}",
            "batch": embedded_child.BATCH_TOKENS,
            "threads": threads(),
        }


@dataclass(frozen=True, slots=True)
class Failed:
    """It is gone, or never came up; `why` is one line with a remedy where there is one."""

    why: str


State = Starting | Loading | Ready | Failed


class EmbeddedEngine:
    """A llama.cpp server of our own, on loopback. `base_url` is its root; every request needs `api_key`."""

    def __init__(self, process: subprocess.Popen[bytes], log: IO[bytes], base_url: str, api_key: str) -> None:
        self.base_url = base_url
        self.api_key = api_key
        self._process = process
        self._log = log
        self._stopping = False
        self._began_ns = time.monotonic_ns()
        self._changed = threading.Condition()
        self._state: State = Starting(self._began_ns)
        self._reader = threading.Thread(target=self._listen, name="built-in engine", daemon=True)
        self._reader.start()

    def __repr__(self) -> str:
        return f"EmbeddedEngine({self.base_url}, {self.state})"

    @property
    def state(self) -> State:
        """How far it is; never blocks."""
        return self._state

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._process.pid

    def wait(self, timeout_s: float | None = None) -> State:
        """Block until it is ready or has failed (or the time is up), and say which."""
        with self._changed:
            self._changed.wait_for(lambda: isinstance(self._state, Ready | Failed), timeout_s)
            return self._state

    def stop(self) -> None:
        """End the process and wait for that: some 0.05 s, a good second at worst. May be called again."""
        self._stopping = True
        self._process.terminate()
        try:
            self._process.wait(STOP_WITHIN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _listen(self) -> None:
        assert self._process.stdin and self._process.stdout
        with self._process.stdin, self._process.stdout, self._log:
            for line in self._process.stdout:
                with contextlib.suppress(ValueError):  # it was ended amid a line: its end says the rest
                    self._become(self._heard(json.loads(line)))
            code = self._process.wait()
            if not isinstance(self._state, Failed):
                ended = "was stopped" if self._stopping else f"has ended ({_ending(code)}){self._logged()}"
                early = "" if self._stopping or isinstance(self._state, Ready) else f"; {EARLY}"
                self._become(Failed(f"the built-in engine {ended}{early}"))

    def _heard(self, told: Mapping[str, object]) -> State:
        now_ns = time.monotonic_ns()
        match told:
            case {"state": "loading"}:
                return Loading(now_ns)
            case {"state": "ready", "load_ns": int(load_ns), "version": str(version)}:
                return Ready(now_ns - self._began_ns, load_ns, version)
            case {"state": "failed", "missing": missing}:
                return Failed(f"the built-in engine needs the module {missing}: {EXTRA}")
            case _:
                # the library's log is written by a thread of its own: whole only when the process is gone
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(STOP_WITHIN_S)
                why = self._logged() or f": {told.get('why')}"
                return Failed(f"the built-in engine could not load the model{why}")

    def _become(self, state: State) -> None:
        with self._changed:
            self._state = state
            self._changed.notify_all()

    def _logged(self) -> str:
        """The first error that llama.cpp logged while loading, as `: …`; later ones only repeat it."""
        if isinstance(self._state, Ready):
            return ""
        self._log.seek(0)
        first = LOGGED_ERROR.search(self._log.read(LOG_BYTES).decode(errors="replace"))
        return ": " + "".join(c for c in first[1][:200] if c.isprintable()) if first else ""


def start(gguf: Path, *, slots: int = 1) -> EmbeddedEngine:
    """Start the engine on any GGUF file and return at once.

    Started from the main thread the process is also tied to it by the kernel where that is possible; from
    another thread it must not be, because that thread's end would take it along. Raises OSError or
    RuntimeError where the system has no process, port, temporary file or thread left.
    """
    key = os.urandom(24).hex()
    port = _free_port()
    config = embedded_child.Config(
        gguf=str(gguf.absolute()),
        port=port,
        api_key=key,
        slots=slots,
        threads=threads(),
        tied=threading.current_thread() is threading.main_thread(),
    )
    log = tempfile.TemporaryFile()  # noqa: SIM115 - closed by the reader of the engine's end
    process = subprocess.Popen(
        [sys.executable, "-P", embedded_child.__file__],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=log,
        env=without_keys(os.environ),
        start_new_session=True,  # ctrl+c in the terminal is for the program, not for its engine
    )
    assert process.stdin
    with contextlib.suppress(BrokenPipeError):  # died already; its end will be told like any other
        process.stdin.write(json.dumps(asdict(config)).encode() + b"\n")
        process.stdin.flush()
    try:
        return EmbeddedEngine(process, log, f"http://127.0.0.1:{port}", key)
    except RuntimeError:  # no thread to listen to it
        process.kill()
        process.wait()
        raise


def _free_port() -> int:
    """A port that is free now. Chosen here, because llama.cpp tells its own choice only once it is ready."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def threads() -> int:
    """Threads that compute: one core is left for the screen and the reader."""
    return max(1, _cores() - 1)


def _cores() -> int:
    """The cores this process may use."""
    if sys.platform == "linux" and hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _ending(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit status {code}"
