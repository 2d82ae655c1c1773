"""Opens the connection of a run, or keeps one open for the next run."""

from __future__ import annotations

import base64
import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from urllib.parse import unquote, urlsplit

import httpcore

from tui.capture.cancel import Cancel
from tui.capture.dial import dial
from tui.capture.failure import CaptureError, Kind
from tui.capture.sockets import Stream
from tui.capture.tls import context

CONNECT_S = 10.0
_KEEP_NS = 30_000_000_000  # a router may have forgotten an older connection without telling
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Target:
    """Where a URL leads, and how far to trust it."""

    scheme: str
    host: str
    port: int
    path: str
    netloc: str
    authorization: str | None
    ca_file: str | None
    insecure: bool

    def url(self) -> httpcore.URL:
        """As httpcore wants it."""
        return httpcore.URL(scheme=self.scheme, host=self.host, port=self.port, target=self.path)

    def headers(self, own: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
        """The request's headers; what every request needs is added unless it is told."""
        sent = {
            "Host": self.netloc,
            "Accept": "*/*",
            "Accept-Encoding": "identity",
            "User-Agent": "toklane",
            "Authorization": self.authorization,
        }
        told = {name.lower() for name in own}
        added = {
            name: value for name, value in sent.items() if value is not None and name.lower() not in told
        }
        return [(name.encode(), value.encode()) for name, value in {**added, **own}.items()]


def target(url: str, ca_file: str | None, insecure: bool) -> Target:
    """The URL's parts. CaptureError when it is none."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or _PORTS[parts.scheme]
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        path.encode("ascii")
        ascii_host = (host or "").encode("ascii" if ":" in (host or "") else "idna").decode()
        if not ascii_host:
            raise ValueError
    except (ValueError, KeyError):
        raise CaptureError(Kind.OTHER, "the URL must look like http://host:port/path") from None
    authorization = None
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = "Basic " + base64.b64encode(user.encode()).decode()
    bracketed = f"[{ascii_host}]" if ":" in ascii_host else ascii_host
    netloc = bracketed if parts.port is None else f"{bracketed}:{port}"
    return Target(parts.scheme, ascii_host, port, path, netloc, authorization, ca_file, insecure)


@dataclass(frozen=True, slots=True)
class Connection:
    """An open connection and when it was opened: `raw` carries the stamps, `stream` is what httpcore uses."""

    raw: Stream
    stream: httpcore.NetworkStream
    began_ns: int
    stood_ns: int
    address: str


def connect(where: Target, cancel: Cancel | None) -> Connection:
    """Open a connection, TLS included, within 10 s. Raises CaptureError, Cancelled."""
    trust = context(where.ca_file, where.insecure) if where.scheme == "https" else None
    began_ns = time.monotonic_ns()
    deadline_ns = began_ns + int(CONNECT_S * 1e9)
    raw = Stream(dial(where.host, where.port, cancel, deadline_ns), cancel)
    raw.deadline_ns = deadline_ns
    try:
        stream = raw if trust is None else raw.start_tls(trust, where.host)
        address = str(raw.get_extra_info("server_addr")[0])
    except BaseException as error:
        raw.close()
        if isinstance(error, CaptureError) and error.kind is Kind.TIMEOUT:
            message = f"no secure connection to {where.host}:{where.port} in time"
            raise CaptureError(Kind.TIMEOUT, message) from None
        if isinstance(error, OSError):
            raise CaptureError(Kind.OTHER, f"{where.host}:{where.port}: {error.strerror}") from error
        raise
    return Connection(raw, stream, began_ns, time.monotonic_ns(), address)


class Warmed:
    """Connections opened beforehand, one per target."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._open: dict[Target, Connection] = {}
        self._closed = False

    def open(self, where: Target) -> None:
        """Open one unless one stands. Raises CaptureError."""
        if (standing := self.take(where)) is None:
            standing = connect(where, None)
        with self._lock:
            surplus = standing if self._closed else self._open.pop(_key(where), None)
            if not self._closed:
                self._open[_key(where)] = standing
        if surplus is not None:
            surplus.raw.close()

    def close(self) -> None:
        """Close what stands, and at once what is still being opened."""
        with self._lock:
            self._closed = True
            for standing in self._open.values():
                standing.raw.close()
            self._open.clear()

    def take(self, where: Target) -> Connection | None:
        """The one that stands, if the server has not closed it."""
        with self._lock:
            standing = self._open.pop(_key(where), None)
        if standing is None:
            return None
        old = time.monotonic_ns() - standing.stood_ns > _KEEP_NS
        if old or standing.stream.get_extra_info("is_readable"):
            standing.raw.close()
            return None
        return standing


def _key(where: Target) -> Target:
    return Target(where.scheme, where.host, where.port, "", "", None, where.ca_file, where.insecure)
