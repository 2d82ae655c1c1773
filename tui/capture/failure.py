"""Why a request could not be sent or answered: the one exception of the capture room."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What failed, in the words of the `failed` note and of `frames.Reply.error_kind`."""

    REFUSED = "refused"
    UNKNOWN_HOST = "unknown_host"
    TLS = "tls"
    TIMEOUT = "timeout"
    OTHER = "other"


class CaptureError(Exception):
    """A request failed; `str()` is one line for people, with host and port where they matter."""

    def __init__(self, kind: Kind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class Cancelled(Exception):
    """Somebody cancelled the run while we waited."""
