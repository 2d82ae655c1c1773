"""Short requests beside the streams: single fetches, and polls that repeat while a run goes on."""

from __future__ import annotations

import time
from functools import cache
from threading import Event

import httpcore

from tui.capture.connection import CONNECT_S, target
from tui.capture.failure import CaptureError, Kind
from tui.capture.frames import Reply
from tui.capture.orders import FetchOrder, PollOrder
from tui.capture.run import Run
from tui.capture.sockets import Dialing
from tui.capture.tls import context

_LONGEST_BODY_BYTES = 32 << 20
_KEEP_S = 4.0  # llama.cpp closes an idle connection after 5 s
_POLL_TIMEOUT_S = 60.0  # a server may answer only between two batches


def fetch(order: FetchOrder) -> Reply:
    """Do the order. Never raises: a failure is a Reply with an error."""
    began_ns = time.monotonic_ns()
    try:
        status, headers, body = _answer_or_again(order, began_ns + int(order.timeout_s * 1e9))
    except CaptureError as error:
        return _failed(order, began_ns, error.kind, str(error))
    except httpcore.TimeoutException:
        return _failed(order, began_ns, Kind.TIMEOUT, "no answer in time")
    except Exception as error:  # whatever it is: this fetch failed, the child lives on
        return _failed(order, began_ns, Kind.OTHER, f"no HTTP answer: {error}")
    return Reply(order.id, status, headers, body, time.monotonic_ns() - began_ns)


def poll(order: PollOrder, run: Run, over: Event) -> None:
    """Fetch again and again, first one period after now, until `over` is set or a fetch fails.

    The answer's time is when it was complete. A failure becomes one Poll with status 0 and the reason.
    """
    parent = run.order
    once = FetchOrder(
        0, order.url, "GET", order.headers, None, _POLL_TIMEOUT_S, parent.ca_file, parent.insecure
    )
    while not over.wait(order.period_s):
        reply = fetch(once)
        if over.is_set():
            return
        body = reply.error.encode() if reply.error_kind else reply.body
        run.poll(time.monotonic_ns(), order.path, reply.status, body, reply.took_ns)
        if reply.error_kind:
            return


@cache
def _pool(ca_file: str | None, insecure: bool, encrypted: bool) -> httpcore.ConnectionPool:
    trust = context(ca_file, insecure) if encrypted else None
    return httpcore.ConnectionPool(
        ssl_context=trust,
        max_connections=32,
        keepalive_expiry=_KEEP_S,
        network_backend=Dialing(),
    )


def _answer_or_again(order: FetchOrder, deadline_ns: int) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
    """A kept connection may have been closed just when we sent: then once more."""
    try:
        return _answer(order, deadline_ns)
    except (httpcore.NetworkError, httpcore.RemoteProtocolError):
        return _answer(order, deadline_ns)


def _answer(order: FetchOrder, deadline_ns: int) -> tuple[int, tuple[tuple[str, str], ...], bytes]:
    where = target(order.url, order.ca_file, order.insecure)
    left_s = max(0.0, (deadline_ns - time.monotonic_ns()) / 1e9)
    timeouts = {"connect": min(left_s, CONNECT_S), "read": left_s, "write": left_s, "pool": left_s}
    with _pool(where.ca_file, where.insecure, where.scheme == "https").stream(
        order.method,
        where.url(),
        headers=where.headers(order.headers),
        content=None if order.body is None else order.body.encode(),
        extensions={"timeout": timeouts},
    ) as response:
        body = bytearray()
        for part in response.iter_stream():
            body += part
            if time.monotonic_ns() > deadline_ns:
                raise CaptureError(Kind.TIMEOUT, "no whole answer in time")
            if len(body) > _LONGEST_BODY_BYTES:
                raise CaptureError(Kind.OTHER, "the answer is too long")
        headers = tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers)
        return response.status, headers, bytes(body)


def _failed(order: FetchOrder, began_ns: int, kind: Kind, message: str) -> Reply:
    return Reply(order.id, 0, (), b"", time.monotonic_ns() - began_ns, str(kind), message)
