"""One request from beginning to end: on the monitor in its terminal, or by the reader alone."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.bench.processes import Cost, cost
from tui.capture.channel import Child
from tui.capture.frames import Item
from tui.capture.orders import StreamOrder
from tui.capture.recording import Recording, read
from tui.domain.wire import End
from tui.selftest.monitor import FINISHED, MONITOR, START_S, monitor, recorded
from tui.selftest.script import PREFILL_NS, Script
from tui.selftest.serving import Server
from tui.selftest.terminal import FRAME, Terminal
from tui.selftest.truth import Pair, Truth, pairs, seen

_SETTLE_S = PREFILL_NS / 1e9 + 0.2  # from the key to a stream that flows
_LATE_S = 15.0
_TICK_S = 0.05


@dataclass(frozen=True, slots=True)
class Sitting:
    """What was true, what the reader saw; and the program's cost and output while the tokens came.

    shown_ns: from the last token's send until the screen said that the request is finished.
    Without a screen there is no cost, and the last three are 0.
    """

    truth: Truth
    pairs: Sequence[Pair]
    before: Cost | None = None
    after: Cost | None = None
    bytes_per_s: float = 0.0
    frames_per_s: float = 0.0
    shown_ns: int = 0

    @property
    def own_cpu_percent(self) -> float:
        """The screen's process."""
        return self.after.own_percent(self.before) if self.after and self.before else 0.0

    @property
    def cpu_percent(self) -> float:
        """All processes of the program."""
        return self.after.all_percent(self.before) if self.after and self.before else 0.0


def watched(
    server: Server,
    script: Script,
    program: Sequence[str] = MONITOR,
    bytes_per_s: float | None = None,
    meanwhile: Callable[[Terminal], None] | None = None,
) -> Sitting:
    """The request on the screen of `program`; `meanwhile` is called while the tokens come."""
    with monitor(server.url, script.name, program, bytes_per_s) as (terminal, runs):
        pressed = len(terminal.pieces)
        terminal.press("\r")
        time.sleep(_SETTLE_S)
        before, first = cost(terminal.pid), len(terminal.pieces)
        if meanwhile is not None:
            meanwhile(terminal)
        truth = server.truth(script.decode_s + _LATE_S)
        after, last = cost(terminal.pid), len(terminal.pieces)
        finished_ns = terminal.wait_for(FINISHED, START_S, pressed)
        drawn = b"".join(piece.data for piece in terminal.pieces[first:last])
        found = recorded(runs)
    return _sitting(truth, found, before, after, drawn, finished_ns)


def _sitting(
    truth: Truth, recording: Recording, before: Cost, after: Cost, drawn: bytes, finished_ns: int
) -> Sitting:
    seconds = after.at_s - before.at_s
    return Sitting(
        truth,
        pairs(truth, seen(recording)),
        before,
        after,
        len(drawn) / seconds,
        drawn.count(FRAME) / seconds,
        finished_ns - truth.sent_ns[truth.texts[-1]],
    )


def headless(server: Server, script: Script) -> Sitting:
    """The same reader, with nobody who draws."""
    with tempfile.TemporaryDirectory(prefix="toklane-bench-") as folder:
        path = Path(folder, "run.jsonl")
        truth = record(server, script, path)
        return Sitting(truth, pairs(truth, seen(read(path))))


def record(server: Server, script: Script, path: Path) -> Truth:
    """One request by the capture child alone, into the recording `path`."""
    body = {"model": script.name, "messages": [{"role": "user", "content": "go"}], "stream": True}
    order = StreamOrder(
        1,
        f"{server.url}/v1/chat/completions",
        headers={"Content-Type": "application/json"},
        body=json.dumps(body),
        record=str(path),
        meta={"engine": "openai"},
    )
    child = Child.start()
    child.send(order)
    while not any(isinstance(it, Item) and isinstance(it.record, End) for it in child.drain()):
        time.sleep(_TICK_S)
    child.close()
    return server.truth(_LATE_S)
