"""TLS over a stamped socket by memory buffers, so that the kernel's stamps of the raw reads stay."""

from __future__ import annotations

import ssl
from functools import cache
from typing import TYPE_CHECKING, Any

import httpcore

from tui.capture.failure import CaptureError, Kind

if TYPE_CHECKING:
    from tui.capture.sockets import Stream

_READ_BYTES = 65_536
_REMEDIES = {  # by OpenSSL's number of what is wrong with a certificate that no authority can mend
    9: "look at this machine's clock",  # not yet valid
    10: "the server needs a new certificate",  # has expired
    62: "use the name that it is for",
    64: "use the name that it is for",
}


@cache
def context(ca_file: str | None, insecure: bool) -> ssl.SSLContext:
    """What to trust: the system's and certifi's authorities, `ca_file` beside them, or anybody (insecure)."""
    made = httpcore.default_ssl_context()
    made.set_alpn_protocols(["http/1.1"])
    if insecure:
        made.check_hostname = False
        made.verify_mode = ssl.CERT_NONE
        return made
    if ca_file is not None:
        try:
            made.load_verify_locations(ca_file)
        except OSError as error:
            raise CaptureError(Kind.TLS, f"can't use the CA file {ca_file}: {error.strerror}") from error
    return made


class TlsStream(httpcore.NetworkStream):
    """An encrypted connection; shakes hands when made. Raises CaptureError, Cancelled."""

    def __init__(
        self, raw: Stream, ssl_context: ssl.SSLContext, hostname: str | None, deadline_ns: int | None
    ) -> None:
        self._raw = raw
        self._incoming = ssl.MemoryBIO()
        self._outgoing = ssl.MemoryBIO()
        self._tls = ssl_context.wrap_bio(self._incoming, self._outgoing, server_hostname=hostname)
        try:
            self._shake_hands(deadline_ns)
        except OSError as error:
            told = f"no secure connection to {hostname}: {why(error)}"
            raise CaptureError(Kind.TLS, told) from error

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """All that one read of the socket decrypts to; b"" at the end."""
        try:
            while not (plain := self._decrypted()):
                data = self._raw.read(_READ_BYTES, timeout)
                if not data:
                    return b""
                self._incoming.write(data)
        except ssl.SSLZeroReturnError:
            self._raw.saw_eof = True
            return b""
        except ssl.SSLError as error:
            raise httpcore.ReadError(_reason(error)) from error
        return plain

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Encrypt and send all of it."""
        if buffer:
            self._tls.write(buffer)
            self._raw.write(self._outgoing.read(), timeout)

    def close(self) -> None:
        """Close at once, without a farewell."""
        self._raw.close()

    def start_tls(
        self, ssl_context: Any, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Itself: the hands were shaken before httpcore came."""
        return self

    def get_extra_info(self, info: str) -> Any:
        """What httpcore and the reader ask for."""
        match info:
            case "ssl_object":
                return self._tls
            case "is_readable":
                return self._raw.is_readable() and not self._only_tickets()
            case _:
                return self._raw.get_extra_info(info)

    def _only_tickets(self) -> bool:
        """What lies ready on the idle connection is the server's housekeeping, not its end."""
        try:
            data = self._raw.stamps.receive(_READ_BYTES)
            self._incoming.write(data)
            return bool(data) and not self._decrypted()
        except OSError:
            return False

    def _decrypted(self) -> bytes:
        parts = []
        try:
            while part := self._tls.read(_READ_BYTES):
                parts.append(part)
        except ssl.SSLWantReadError:
            pass
        except ssl.SSLZeroReturnError:
            if not parts:
                raise
        return b"".join(parts)

    def _shake_hands(self, deadline_ns: int | None) -> None:
        while True:
            try:
                self._tls.do_handshake()
            except ssl.SSLWantReadError:
                self._raw.transmit(self._outgoing.read(), deadline_ns)
                if not (data := self._raw.receive(_READ_BYTES, deadline_ns)):
                    raise ConnectionResetError("the server closed the connection") from None
                self._incoming.write(data)
            else:
                self._raw.transmit(self._outgoing.read(), deadline_ns)
                return


def why(error: OSError) -> str:
    """What is wrong with the other side, and what helps."""
    return _reason(error) + _remedy(error)


def _reason(error: OSError) -> str:
    """The most telling words an SSL error has."""
    words = getattr(error, "verify_message", "") or getattr(error, "reason", "") or str(error)
    return str(words).removesuffix(".")


def _remedy(error: OSError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        what = _REMEDIES.get(error.verify_code, "--ca-file FILE trusts its certificate")
        return f"; {what}, --insecure takes any"
    return "; it speaks plain http" if getattr(error, "reason", "") == "WRONG_VERSION_NUMBER" else ""
