"""Short requests beside the streams: single fetches, and polls that repeat while a run goes on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import replace
from threading import Event, Lock, local

import httpcore

from tui.capture.connection import CONNECT_S, Target, target
from tui.capture.echo import Veil
from tui.capture.failure import CaptureError, Kind
from tui.capture.frames import Reply
from tui.capture.orders import FetchOrder, LookOrder, PollOrder
from tui.capture.recoded import Recoded, coding_of
from tui.capture.run import Run
from tui.capture.sockets import Dialing
from tui.capture.tls import context

_LONGEST_BODY_BYTES = 32 << 20
_KEEP_S = 4.0  # llama.cpp closes an idle connection after 5 s
_OK = 200
_LOOK_TIMEOUT_S = 1.0  # it delays the request, or its end
_POLL_TIMEOUT_S = 60.0  # a server may answer only between two batches


class Fetcher:
    """Does fetches, by any number of threads at once, over connections that it keeps for a while."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._deadline = local()  # of the fetch that a thread does: kept connections pass between threads
        self._pools: dict[tuple[str | None, bool, bool], httpcore.ConnectionPool] = {}

    def fetch(self, order: FetchOrder) -> Reply:
        """Do the order. Never raises: a failure is a Reply with an error."""
        began_ns = time.monotonic_ns()
        deadline_ns = began_ns + int(order.timeout_s * 1e9)
        try:
            try:
                reply = self._answer(order, deadline_ns)
            except (httpcore.NetworkError, httpcore.RemoteProtocolError):
                # A kept connection may have been closed just when we sent: then once more.
                reply = self._answer(order, deadline_ns)
        except CaptureError as error:
            reply = _failed(order, error.kind, str(error))
        except httpcore.TimeoutException:
            reply = _failed(order, Kind.TIMEOUT, "no answer in time")
        except Exception as error:  # whatever it is: this fetch failed, the child lives on
            reply = _clean(order, _failed(order, Kind.OTHER, f"no HTTP answer: {error}"))
        return replace(reply, took_ns=time.monotonic_ns() - began_ns)

    def poll(self, order: PollOrder, run: Run, over: Event) -> None:
        """Fetch again and again, first one period after now, until `over` is set or it is not answered 200.

        The answer's time is when it was complete. A failure becomes one Poll with status 0 and the reason.
        """
        once = _once(order, run, _POLL_TIMEOUT_S)
        while not over.wait(order.period_s):
            reply = self.fetch(once)
            if over.is_set():
                return
            _observed(run, order.path, reply)
            if reply.status != _OK:  # nothing there for us: not asked again in this run
                return

    def look(self, order: LookOrder, run: Run, sleep: Callable[[float], bool]) -> None:
        """Fetch once, or as often as the order says while there is nothing new; a failure is one Poll too.

        Nothing is fetched once `sleep` was disturbed (True).
        """
        once = _once(order, run, _LOOK_TIMEOUT_S)
        for wait_s in order.tries_s:
            if sleep(wait_s):
                return
            reply = self.fetch(once)
            if reply.status != _OK or reply.body.decode("utf-8", "replace").strip() != order.empty:
                break
        _observed(run, order.path, replace(reply, body=_kept(reply.body, order.keep)))

    def close(self) -> None:
        """Close the kept connections."""
        with self._lock:
            for pool in self._pools.values():
                pool.close()

    def _limit(self) -> int | None:
        at_ns: int | None = getattr(self._deadline, "at_ns", None)
        return at_ns

    def _pool(self, where: Target) -> httpcore.ConnectionPool:
        encrypted = where.scheme == "https"
        trust = context(where.ca_file, where.insecure) if encrypted else None
        with self._lock:
            key = (where.ca_file, where.insecure, encrypted)
            if key not in self._pools:
                self._pools[key] = httpcore.ConnectionPool(
                    trust, max_connections=32, keepalive_expiry=_KEEP_S, network_backend=Dialing(self._limit)
                )
            return self._pools[key]

    def _answer(self, order: FetchOrder, deadline_ns: int) -> Reply:
        where = target(order.url, order.ca_file, order.insecure)
        self._deadline.at_ns = deadline_ns
        left_s = max(0.0, (deadline_ns - time.monotonic_ns()) / 1e9)
        timeouts = {"connect": min(left_s, CONNECT_S), "read": left_s, "write": left_s, "pool": left_s}
        with self._pool(where).stream(
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
            pairs = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers)
            return _clean(order, Reply(order.id, response.status, tuple(pairs), bytes(body), 0))


def _once(order: PollOrder | LookOrder, run: Run, timeout_s: float) -> FetchOrder:
    stream = run.order
    return FetchOrder(
        0,
        order.url,
        headers=order.headers,
        timeout_s=timeout_s,
        ca_file=stream.ca_file,
        insecure=stream.insecure,
    )


def _kept(body: bytes, keep: tuple[str, ...]) -> bytes:
    """What of an answer is worth keeping: a recording need hold neither a whole page nor a person's paths."""
    if not keep:
        return body
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        beginnings = tuple(word.encode() for word in keep)
        return b"".join(line for line in body.splitlines(keepends=True) if line.startswith(beginnings))
    return json.dumps(
        {key: told[key] for key in keep if key in told} if isinstance(told, dict) else {}
    ).encode()


def _observed(run: Run, path: str, reply: Reply) -> None:
    body = reply.error.encode() if reply.error_kind else reply.body
    run.poll(time.monotonic_ns(), path, reply.status, body, reply.took_ns)


def _clean(order: FetchOrder, reply: Reply) -> Reply:
    """The reply without what its sender's key could be known from; a compressed body stays one."""
    veil = Veil(order.headers)
    coding = coding_of(reply.headers)
    coded = Recoded(coding, veil.hidden, bytes) if coding and veil.active else None
    return replace(
        reply,
        headers=tuple((name, veil.words(value)) for name, value in reply.headers),
        body=veil.hidden(reply.body) if coded is None else coded.read(reply.body) + coded.end(),
        error=veil.words(reply.error),
    )


def _failed(order: FetchOrder, kind: Kind, message: str) -> Reply:
    return Reply(order.id, 0, (), b"", 0, str(kind), message)
