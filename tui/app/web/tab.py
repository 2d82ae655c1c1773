"""The monitor of one browser tab: a process of its own, and its end."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from pathlib import Path

from textual_serve.app_service import AppService

import tui

LEAVE_S = 3.0
"""How long a monitor may take to end before it is killed."""
_MOST_COLUMNS, _MOST_ROWS = 500, 200
_FEWEST = 1


class Tab(AppService):
    """What passes between one page and its monitor. `words`: how the monitor is started."""

    words: Sequence[str] = ()

    async def _open_app_process(self, width: int = 80, height: int = 24) -> Process:
        """The process gets a session of its own: a terminal's signals miss it, and it can be killed whole."""
        columns, rows = within(width, height)
        self._process = process = await asyncio.create_subprocess_exec(
            sys.executable, "-P", "-m", "tui", *self.words,
            stdin=PIPE, stdout=PIPE, stderr=PIPE,
            env=served(self._build_environment(columns, rows)),
            start_new_session=True,
        )  # fmt: skip
        assert process.stdin is not None
        self._stdin = process.stdin
        return process

    async def set_terminal_size(self, width: int, height: int) -> None:
        await super().set_terminal_size(*within(width, height))

    async def run(self) -> None:
        """Until the monitor is over; a page that shows nothing any more is told so."""
        await super().run()
        await self.remote_close()

    async def stop(self) -> None:
        """End the monitor: asked first, killed with all that it started when it does not go."""
        process, task = self._process, self._task
        if process is None or task is None:
            return
        self._task = None
        await self._download_manager.cancel_app_downloads(app_service_id=self.app_service_id)
        await self.send_meta({"type": "quit"})
        try:
            await asyncio.wait_for(process.wait(), LEAVE_S)
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        task.cancel()  # what it wrote last has no page to go to
        with contextlib.suppress(asyncio.CancelledError):
            await task


def within(columns: int, rows: int) -> tuple[int, int]:
    """A size that a screen can have, whatever the page says."""
    return min(max(columns, _FEWEST), _MOST_COLUMNS), min(max(rows, _FEWEST), _MOST_ROWS)


def served(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment of a monitor in a page: it finds this very package, and a page takes UTF-8."""
    package = str(Path(tui.__file__).parent.parent)
    paths = [package, *filter(None, [environ.get("PYTHONPATH")])]
    return {**environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONIOENCODING": "utf-8"}
