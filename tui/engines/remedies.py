"""What the person can do about a failure: by its kind, and by what the engine says."""

from __future__ import annotations

import re

from tui.domain.events import ErrorKind

_REMEDIES = {
    ErrorKind.AUTH: "Set the key with --api-key-env VAR or --api-key-file FILE.",
    ErrorKind.NOT_FOUND: "Check the model's name and the URL.",
    ErrorKind.RATE_LIMITED: "Wait, then send again.",
    ErrorKind.SERVER_BUSY: "Wait until the server is ready, then send again.",
    ErrorKind.REDIRECT: "Give the target of the redirect as the URL.",
    ErrorKind.HTTP_ERROR: "See the raw reply for details.",
    ErrorKind.NOT_CHAT_REPLY: "Check that the URL is the one of the engine.",
    ErrorKind.TIMED_OUT: "Set a longer --timeout, or none.",
    ErrorKind.ENGINE_ERROR: "See the server's log for details.",
    ErrorKind.CONNECTION_LOST: "Look at what stands between here and the engine, such as a proxy.",
}
_TOO_LONG = re.compile(r"(?i)context.{0,80}\b(?:exceed|longer)|\b(?:exceed|longer|not fit).{0,80}\bcontext")
_NO_MODEL = re.compile(
    r"(?i)\binvalid model name|\b(?:unknown|no such) model|\bis pinned to\b|\bcached snapshot folder\b"
    r"|\bmodel\b.{0,120}\b(?:not found|(?:does not|doesn't) exist|not served|not available)"
)
_NO_PATH = re.compile(r"Unexpected endpoint or method")  # LM Studio, with status 200


def remedy_of(kind: ErrorKind, message: str) -> str:
    """One sentence."""
    if kind in (ErrorKind.HTTP_ERROR, ErrorKind.ENGINE_ERROR):
        if _TOO_LONG.search(message):
            return "Send a shorter prompt, or load the model with a longer context."
        if _NO_PATH.search(message):
            return "Check the URL; an older server may lack this path."
        if _NO_MODEL.search(message):
            return "Check the model's name."
    return _REMEDIES[kind]
