"""Reads one streaming reply: sends the request, stamps every read, turns the outcome into one End."""

from __future__ import annotations

import time
from collections.abc import Mapping

import httpcore

from tui.capture.cancel import Cancel
from tui.capture.chunks import Bypass
from tui.capture.connection import Connection, Target, Warmed, connect, target
from tui.capture.failure import Cancelled, CaptureError, Kind
from tui.capture.run import Run
from tui.capture.sockets import Standing
from tui.capture.tls import context

_STALE_NS = 1_000_000_000  # a connection that breaks this soon after the request was closed before it


def stream(run: Run, cancel: Cancel, warmed: Warmed | None = None) -> None:
    """Do the run's order; returns when the run has ended. Never raises: every outcome is the run's End.

    Time zero is just before the first byte of the request goes to the kernel.
    """
    try:
        _send_and_read(run, cancel, warmed)
    except Cancelled:
        how = cancel.how or "cancelled"
        if how == "cancelled":
            run.note("cancelled")
        run.end(how)
    except CaptureError as error:
        late = error.kind is Kind.TIMEOUT and run.zero_ns is not None
        fail(run, error.kind, f"no end of the reply within {run.order.timeout_s:g} s" if late else str(error))
    except Exception as error:  # a fault of ours must end this run, not the process that reads the others
        fail(run, Kind.OTHER, f"{type(error).__name__}: {error}")


def _send_and_read(run: Run, cancel: Cancel, warmed: Warmed | None) -> None:
    """On a warm connection that turns out to be stale: once more on a fresh one."""
    if cancel.how is not None:  # before anything was sent
        raise Cancelled
    where = target(run.order.url, run.order.ca_file, run.order.insecure)
    warm = warmed.take(where) if warmed is not None and run.order.warm else None
    if warm is not None:
        _connected(run, where, warm, warm=True)
        if _Exchange(run, cancel, where, warm).answered(may_be_stale=True):
            return
        fresh = connect(where, cancel)
        run.note("reconnected", fresh.stood_ns)
    else:
        run.connecting(time.monotonic_ns())
        fresh = connect(where, cancel)
        _connected(run, where, fresh, warm=False)
    _Exchange(run, cancel, where, fresh).answered(may_be_stale=False)


def _connected(run: Run, where: Target, connection: Connection, warm: bool) -> None:
    run.note("connecting", connection.began_ns, host=where.host, port=where.port)
    run.note("connected", connection.stood_ns, warm=warm, address=connection.address)


def fail(run: Run, kind: Kind, message: str) -> None:
    """End the run with this failure."""
    now_ns = time.monotonic_ns()
    run.begin(now_ns)
    run.note("failed", now_ns, kind=str(kind), message=message)
    run.end("error", message, now_ns)


class _Exchange:
    """One request and its reply over one connection."""

    def __init__(self, run: Run, cancel: Cancel, where: Target, connection: Connection) -> None:
        self._run = run
        self._where = where
        self._stream = connection.stream
        self._raw = connection.raw
        self._bypass = Bypass(connection.stream, self._flush, self._take)
        self._parts: list[bytes] = []  # body bytes of the latest read
        self._headed = False
        self._raw.cancel = cancel
        self._raw.deadline_ns = None
        self._raw.before_write = self._sent
        self._raw.holds = bool(run.order.body)

    def answered(self, may_be_stale: bool) -> bool:
        """Send, read and end the run; False when the connection was stale and nothing was heard."""
        try:
            self._exchange()
        except (httpcore.NetworkError, httpcore.RemoteProtocolError) as error:
            zero_ns = self._run.zero_ns
            soon = zero_ns is not None and time.monotonic_ns() - zero_ns < _STALE_NS
            if may_be_stale and soon and not self._raw.heard:
                return False
            self._flush()
            self._broken(error)
        finally:
            self._stream.close()
        return True

    def _exchange(self) -> None:
        order, where = self._run.order, self._where
        trust = context(where.ca_file, where.insecure) if where.scheme == "https" else None
        with (
            httpcore.ConnectionPool(ssl_context=trust, network_backend=Standing(self._bypass)) as pool,
            pool.stream(
                order.method,
                where.url(),
                headers=where.headers(order.headers),
                content=None if order.body is None else order.body.encode(),
                extensions={"trace": self._trace},
            ) as response,
        ):
            self._headed = True
            headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers]
            self._run.head(self._raw.stamps.at_ns, response.status, headers)
            self._bypass.headed(any(name.lower() == "transfer-encoding" for name, _ in headers))
            for part in response.iter_stream():
                self._parts.append(part)
            self._flush()
            ended_ns = self._raw.stamps.at_ns  # now: the pool looks at the connection when it takes it back
        self._run.end("eof", mono_ns=ended_ns)

    def _sent(self, mono_ns: int) -> None:
        self._run.begin(mono_ns)
        self._run.note("sent", mono_ns, monotonic_ns=mono_ns)
        self._raw.stamps.sent(mono_ns)
        self._raw.heard = False
        if self._run.order.timeout_s is not None:
            self._raw.deadline_ns = mono_ns + int(self._run.order.timeout_s * 1e9)

    def _trace(self, event: str, info: Mapping[str, object]) -> None:
        if event == "http11.send_request_body.complete":
            self._run.note("sent_all", self._raw.wrote_ns)

    def _flush(self) -> None:
        """Hand on what the latest read brought by way of httpcore."""
        if self._parts:
            data = b"".join(self._parts)
            self._parts.clear()
            self._take(data)

    def _take(self, data: bytes) -> None:
        """All that one read brought carries that read's stamps."""
        stamps = self._raw.stamps
        self._run.read(stamps.at_ns, data, stamps.floor_ns, stamps.recv_ns, stamps.kernel)

    def _broken(self, error: Exception) -> None:
        where = f"{self._where.host}:{self._where.port}"
        if isinstance(error, httpcore.RemoteProtocolError) and not self._raw.saw_eof:
            why = str(error).partition(": bytearray")[0]  # what it sent is no text for people
            told = f"what {where} answers is not HTTP: {why[:1].lower()}{why[1:]}; check the address"
            raise CaptureError(Kind.OTHER, told) from error
        when = "inside the reply" if self._headed else "before it answered"
        ended_ns = self._raw.stamps.at_ns if self._raw.saw_eof else None
        self._run.end("reset", f"{where} broke the connection {when}", ended_ns)
