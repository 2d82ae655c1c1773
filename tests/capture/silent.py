"""An engine that tells nothing, behind a channel without a socket: its delay is exact."""

from __future__ import annotations

import json
from collections.abc import Callable
from urllib.parse import urlsplit

from tui.capture.frames import Frame, Item, Mark, Reply
from tui.capture.orders import CancelOrder, FetchOrder, Order, StreamOrder
from tui.domain.wire import End, Meta, Note, Read, Record

MS = 1_000_000
Delay = Callable[[int], float]


class SilentEngine:
    """A channel. `delay_s`: first token after so long, by tokens (words) of the prompt; None: it never comes.

    more: fields of the reply's usage beyond its counts. timings: of llama.cpp's kind, for one that tells.
    """

    def __init__(self, delay_s: Delay) -> None:
        self.delay_s: Delay | None = delay_s
        self.usage: dict[str, object] = {}
        self.timings: Callable[[int], dict[str, object]] | None = None
        self.orders: list[StreamOrder] = []
        self.records: dict[int, list[Record]] = {}
        self._frames: list[Frame] = []

    def send(self, order: Order) -> None:
        match order:
            case FetchOrder():
                self._frames.append(_answered(order))
            case StreamOrder():
                self.orders.append(order)
                self._stream(order)
            case CancelOrder(run_id, how):
                self._give(run_id, End(50 * MS, how))
            case _:
                pass

    def drain(self) -> list[Frame]:
        frames, self._frames = self._frames, []
        return frames

    def wait(self, timeout_s: float | None) -> bool:
        return True

    def fileno(self) -> int:
        return -1

    def close(self) -> None:
        pass

    def _give(self, run_id: int, record: Record) -> None:
        self.records.setdefault(run_id, []).append(record)
        self._frames.append(Item(run_id, record))

    def _stream(self, order: StreamOrder) -> None:
        body = json.loads(order.body or "{}")
        tokens = sum(len(turn["content"].split()) for turn in body["messages"])
        self._frames.append(Mark(order.id, "sent", 0))
        self._give(order.id, Meta(order.meta))
        self._give(order.id, Note(10_000, "sent_all"))
        self._give(order.id, Note(20_000, "head", {"status": 200, "headers": []}))
        if self.delay_s is None:
            return
        at_ns = round(self.delay_s(tokens) * 1e9)
        for n in range(2):
            self._give(order.id, _chunk(at_ns + n * 10 * MS, {"content": " word"}))
        usage = {"prompt_tokens": tokens, "completion_tokens": 2, **self.usage}
        more = {"timings": self.timings(tokens)} if self.timings else {}
        self._give(order.id, _chunk(at_ns + 20 * MS, {}, "length", usage=usage, **more))
        self._give(order.id, Read(at_ns + 20 * MS, b"data: [DONE]\n\n"))
        self._give(order.id, End(at_ns + 21 * MS, "eof"))


def _chunk(at_ns: int, delta: dict[str, str], reason: str | None = None, **more: object) -> Read:
    told = {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more}
    return Read(at_ns, b"data: " + json.dumps(told).encode() + b"\n\n")


def _answered(order: FetchOrder) -> Reply:
    models = {"object": "list", "data": [{"id": "silent-7b", "object": "model", "max_model_len": 4096}]}
    known = urlsplit(order.url).path == "/v1/models"
    body = json.dumps(models if known else {"error": "not here"}).encode()
    return Reply(order.id, 200 if known else 404, (("content-type", "application/json"),), body, 1)
