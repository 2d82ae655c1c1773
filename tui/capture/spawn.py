"""Starts the capture child's process. It imports next to nothing: a program does this first of all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import tui
from tui.settings.surroundings import without_keys

WITH_PARENT = "with-parent"
"""The child's argument: ask the kernel to tell when the parent dies."""


LEAVE_S = 6.0


def dismiss(process: subprocess.Popen[bytes]) -> None:
    """End the process: its closed pipes are its word to leave; when it does not, it is killed."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        assert pipe is not None
        pipe.close()
    if sys.platform != "win32":
        process.send_signal(signal.SIGCONT)  # one that was stopped could not leave
    try:
        process.wait(LEAVE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def spawn() -> subprocess.Popen[bytes]:
    """The process with its three pipes, for `channel.Child`. Returns at once. OSError when there is none,
    and on Windows, where a pipe can't be waited for: `in_thread.InThread` is for that.

    It gets a session of its own, so that a terminal's signals miss it.
    """
    if sys.platform == "win32":
        raise OSError("pipes can't be waited for here")
    # The kernel's word about a dead parent is really about the thread that started the child.
    for_good = threading.current_thread() is threading.main_thread()
    return subprocess.Popen(
        [sys.executable, "-m", "tui.capture.child", *([WITH_PARENT] if for_good else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
        start_new_session=True,
        env=without_keys(os.environ),
        cwd=Path(tui.__file__).parent.parent,  # so that -m finds this very package
    )
