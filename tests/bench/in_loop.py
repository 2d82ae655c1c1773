"""The baseline: the same monitor, but its stream is read by httpx in Textual's own loop."""

from __future__ import annotations

import argparse
import asyncio
import os
import time
from dataclasses import replace
from pathlib import Path

import httpx

from tui.app.main import Monitor
from tui.capture.channel import Child
from tui.capture.frames import Frame, Item, Mark
from tui.capture.lines import to_line
from tui.capture.orders import Order, StreamOrder
from tui.capture.run import Run
from tui.capture.session import Session
from tui.capture.shelf import Shelf
from tui.capture.target import Target
from tui.domain.knobs import Knobs
from tui.probes.sampler import Sampler


class InLoop:
    """A `channel.Channel` that reads streams as most programs do; everything else goes to the real child.

    Each line is stamped when httpx hands it over. The recording is written at the end, so that it costs
    nothing while the tokens come.
    """

    def __init__(self) -> None:
        self._child = Child.start()
        self._client = httpx.AsyncClient(timeout=None, trust_env=False)
        self._frames: list[Frame] = []
        self._tasks: list[asyncio.Task[None]] = []

    def send(self, order: Order) -> None:
        if isinstance(order, StreamOrder):
            self._tasks.append(asyncio.get_running_loop().create_task(self._stream(order)))
        else:
            self._child.send(order)

    def drain(self) -> list[Frame]:
        mine, self._frames = self._frames, []
        return [*self._child.drain(), *mine]

    def wait(self, timeout_s: float | None) -> bool:
        return self._child.wait(timeout_s)

    def fileno(self) -> int:
        return self._child.fileno()

    def close(self) -> None:
        self._child.close()

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
    """The monitor on one engine; takes the options that the bench gives to the real one."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--url")
    parser.add_argument("--model")
    parser.add_argument("--prompt-tokens", type=int)
    options = parser.parse_args()
    sampler = Sampler()
    sampler.start()
    runs = Shelf(Path(os.environ["TOKLANE_HOME"], "state", "runs"))
    session = Session(InLoop(), sampler, runs)
    target = Target(options.url, model=options.model)
    try:
        Monitor(
            session, Knobs(prompt_tokens=options.prompt_tokens), on_start=lambda: session.aim(target)
        ).run()
    finally:
        session.close()


if __name__ == "__main__":
    main()
