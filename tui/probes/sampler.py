"""The parent's side of the sampler child: starts it, tells it what to watch, takes its readings."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tui.settings.surroundings import without_keys

COMMAND = (sys.executable, "-m", "tui.probes.child")
STOPPED = "sampler stopped"
WITHOUT_DRIVERS = "--without-drivers"  # how it is started after a library crashed it
STARTS = 2  # it is started again once
_WINDOWS_EXCEPTION = 0xC0000000  # exit codes of crashed processes begin here
CLOSE_S = 0.2  # it leaves by itself, and after this it is ended

Fields = dict[str, object]


class Sampler:
    """Readings of the machine, taken in a process that a sick driver may hang or crash.

    Not for use from several threads. `start` has to be called from the main thread: on Linux the child dies
    with the thread that started it.
    """

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        self._command = command
        self._child: subprocess.Popen[bytes] | None = None
        self._left = STARTS
        self._rest = b""
        self._target: tuple[str, int] = ("", 0)
        self._hz = 1.0
        self._options: tuple[str, ...] = ()
        self.reason = ""

    def start(self) -> None:
        """Starts the child, which reads once a second at first. Never raises: `reason` tells a failure."""
        root = str(Path(__file__).parents[2])
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        if not hasattr(os, "set_blocking"):
            self.reason = f"{STOPPED}: on Windows it needs Python 3.12"
            return
        self._left -= 1
        self._rest = b""
        try:
            self._child = subprocess.Popen(
                (*self._command, *self._options),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env=without_keys(os.environ) | {"PYTHONPATH": path},
            )
            os.set_blocking(self._pipe(), False)
        except OSError as error:
            self.reason = f"{STOPPED}: {(error.strerror or 'cannot start').lower()}"

    @property
    def pid(self) -> int | None:
        """The child's process, None while there is none."""
        return None if self._child is None else self._child.pid

    def watch(self, host: str, port: int) -> None:
        """The server to look for; an empty host: none."""
        self._target = (host, port)
        self._send(do="watch", host=host, port=port)

    def rate(self, hz: float) -> None:
        """Readings a second: 10 while a request runs, 1 when nothing does."""
        self._hz = hz
        self._send(do="rate", hz=hz)

    def mark(self) -> None:
        """One extra reading now: a phase begins or ends. Does not wait for it."""
        self._send(do="mark")

    def drain(self) -> list[tuple[int, Fields]]:
        """All readings since the last call, oldest first: monotonic ns (this machine's clock) and fields.

        Never waits. When the child has died it is started again once; after that one last reading says why
        there are no more.
        """
        if self._child is None or self.reason:
            return []
        ended = self._fill()
        *lines, self._rest = self._rest.split(b"\n")
        readings = [reading for line in lines if (reading := _parsed(line))]
        return [*readings, *self._restart()] if ended else readings

    def close(self) -> None:
        """Ends the child. Takes a fraction of a second at most, also while it hangs in a driver."""
        child, self._child = self._child, None
        if child is None:
            return
        for pipe in (child.stdin, child.stdout):
            if pipe:
                with contextlib.suppress(OSError):
                    pipe.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(CLOSE_S)
        if child.poll() is None:
            child.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(CLOSE_S)

    def _pipe(self) -> int:
        assert self._child is not None and self._child.stdout is not None
        return self._child.stdout.fileno()

    def _fill(self) -> bool:
        """Takes what lies in the pipe; True when the child closed it."""
        try:
            while part := os.read(self._pipe(), 65536):
                self._rest += part
        except BlockingIOError:
            return False
        return True

    def _restart(self) -> list[tuple[int, Fields]]:
        child = self._child
        self.close()
        if child is not None and crashed(child.returncode):
            self._options = (WITHOUT_DRIVERS,)
        if self._left:
            self.start()
            self._send(do="watch", host=self._target[0], port=self._target[1])
            self._send(do="rate", hz=self._hz)
            return []
        self.reason = STOPPED
        fields = {"gpu_reason": STOPPED, "server_reason": STOPPED, "absent": {"ram_available_bytes": STOPPED}}
        return [(time.monotonic_ns(), dict(fields))]

    def _send(self, **order: object) -> None:
        if self._child is not None and self._child.stdin is not None:
            with contextlib.suppress(OSError):  # it died: drain will notice
                self._child.stdin.write(json.dumps(order).encode() + b"\n")


def crashed(code: int | None) -> bool:
    """Whether a process with this exit code fell over by itself, as a broken driver library makes it do."""
    fatal = {-signal.SIGABRT, -signal.SIGSEGV, -signal.SIGILL, -signal.SIGFPE}
    bus, trap = (getattr(signal, name, None) for name in ("SIGBUS", "SIGTRAP"))
    fatal |= {-number for number in (bus, trap) if number is not None}
    return code is not None and (code in fatal or code >= _WINDOWS_EXCEPTION)


def _parsed(line: bytes) -> tuple[int, Fields] | None:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        return None
    mono_ns = fields.pop("mono_ns", None) if isinstance(fields, dict) else None
    return (mono_ns, fields) if isinstance(mono_ns, int) else None
