"""Starts a scripted server in a process of its own, and hears from it what it really did."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import IO

from tests.bench.truth import Truth, from_line

ROOT = Path(__file__).parents[2]


class Server:
    """A server of one dialect; `fifo` tells whether it is never preempted between stamp and send."""

    def __init__(self, dialect: str = "openai") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.bench.server", dialect],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert self._process.stdout is not None
        told = json.loads(self._process.stdout.readline())
        self.url = f"http://127.0.0.1:{told['port']}"
        self.fifo: bool = told["fifo"]
        self._truths: SimpleQueue[Truth] = SimpleQueue()
        Thread(target=self._hear, args=(self._process.stdout,), daemon=True).start()

    def truth(self, timeout_s: float) -> Truth:
        """Wait until a reply is over; what it was. TimeoutError."""
        try:
            return self._truths.get(timeout=timeout_s)
        except Empty:
            raise TimeoutError(f"no reply was asked for or ended within {timeout_s:g} s") from None

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(5)

    def __enter__(self) -> Server:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _hear(self, lines: IO[str]) -> None:
        with lines:
            for line in lines:
                self._truths.put(from_line(line))
