"""The baseline: the same monitor, but its stream is read by httpx in Textual's own loop."""

from __future__ import annotations

import asyncio
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import httpx

from tui import __main__ as toklane
from tui.capture import channel
from tui.capture.frames import Frame, Item, Mark
from tui.capture.lines import to_line
from tui.capture.orders import Order, StreamOrder
from tui.capture.run import Run


class InLoop(channel.Child):
    """Reads streams as most programs do; everything else goes to the real child.

    Each line is stamped when httpx hands it over. The recording is written at the end, so that it costs
    nothing while the tokens come.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        super().__init__(process)
        self._client = httpx.AsyncClient(timeout=None, trust_env=False)
        self._frames: list[Frame] = []
        self._tasks: list[asyncio.Task[None]] = []

    def send(self, order: Order) -> None:
        """Streams to the loop, the rest to the child."""
        if isinstance(order, StreamOrder):
            self._tasks.append(asyncio.get_running_loop().create_task(self._stream(order)))
        else:
            super().send(order)

    def drain(self) -> list[Frame]:
        """What came from both."""
        mine, self._frames = self._frames, []
        return [*super().drain(), *mine]

    async def _stream(self, order: StreamOrder) -> None:
        kept: list[Item] = []

        def emit(frame: Item | Mark) -> None:
            self._frames.append(frame)
            if isinstance(frame, Item):
                kept.append(frame)

        run = Run(replace(order, record=None), emit)
        sent_ns = time.monotonic_ns()
        run.begin(sent_ns)
        run.note("sent", sent_ns, monotonic_ns=sent_ns)
        body = order.body and order.body.encode()
        async with self._client.stream(
            order.method, order.url, headers=dict(order.headers), content=body
        ) as reply:
            run.head(time.monotonic_ns(), reply.status_code, list(reply.headers.items()))
            async for line in reply.aiter_lines():
                now_ns = time.monotonic_ns()
                run.read(now_ns, line.encode() + b"\n", now_ns, now_ns, kernel=False)
        run.end("eof")
        if order.record is not None:
            Path(order.record).write_bytes(b"".join(to_line(item.record) for item in kept))


def main() -> None:
    """The `toklane` command with this reader in place of its own."""
    channel.Child = InLoop  # type: ignore[misc]
    toklane.main()


if __name__ == "__main__":
    main()
