"""Starts a scripted server in a process of its own, and hears from it what it really did."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from queue import Empty, SimpleQueue
from threading import Thread
from types import TracebackType
from typing import IO

from tui import locations
from tui.selftest.script import Script
from tui.selftest.truth import Truth, from_line
from tui.settings.surroundings import without_keys

ROOT = locations.PACKAGE.parent  # so that -m finds this very package
_LEAVE_S = 5.0


class Server:
    """A server of one dialect; `fifo` tells whether it is never preempted between stamp and send.

    OSError when it does not start.
    """

    def __init__(self, dialect: str = "openai") -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tui.selftest.server", dialect],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=without_keys(os.environ),
            cwd=ROOT,
            start_new_session=True,  # a terminal's ctrl+c is for the program that started it
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._input = self._process.stdin
        first = self._process.stdout.readline()
        if not first:
            self._process.wait()
            raise OSError("the scripted server did not start")
        told = json.loads(first)
        self.url = f"http://127.0.0.1:{told['port']}"
        self.fifo: bool = told["fifo"]
        self._truths: SimpleQueue[Truth] = SimpleQueue()
        Thread(target=self._hear, args=(self._process.stdout,), daemon=True).start()

    def put_down(self, script: Script) -> None:
        """What the next request to the model `next` gets."""
        self._input.write(script.name + "\n")
        self._input.flush()

    def truth(self, timeout_s: float) -> Truth:
        """Wait until a reply is over; what it was. TimeoutError."""
        try:
            return self._truths.get(timeout=timeout_s)
        except Empty:
            raise TimeoutError(f"no reply was asked for or ended within {timeout_s:g} s") from None

    def close(self) -> None:
        """End the server; one that stays is killed."""
        try:
            self._input.close()
            self._process.wait(_LEAVE_S)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait()

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
