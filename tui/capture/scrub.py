"""Takes secrets out of whatever is recorded or handed on: secret headers, and what a URL may hide."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit, urlunsplit

REMOVED = "(removed)"
_SECRET_HEADERS = re.compile(
    r"authorization|cookie|api[-_]?key|auth[-_]?token|access[-_]?token|secret|password", re.IGNORECASE
)
_SECRET_PARAMETERS = re.compile(r"key|token|secret|passw|auth|sig|credential", re.IGNORECASE)


def scrub_url(url: str) -> str:
    """The URL without user, password, and the values of parameters that sound like keys."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return REMOVED
    netloc = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, netloc, parts.path, _scrubbed(parts.query), _scrubbed(parts.fragment)))


def scrub_headers(headers: Iterable[tuple[str, str]]) -> list[list[str]]:
    """The headers with the values of secret ones taken out; URLs in the others are scrubbed too."""
    return [
        [name, REMOVED if _SECRET_HEADERS.search(name) else _without_url_secrets(value)]
        for name, value in headers
    ]


def scrub_meta(fields: Mapping[str, object]) -> dict[str, object]:
    """The fields with every secret header and every secret inside a URL taken out, however deep they lie."""
    return {name: _scrub(name, value) for name, value in fields.items()}


def secret_words(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    """(what stands before it, such as Bearer; all the rest) of each secret header of a request."""
    told = [value.split(maxsplit=1) for name, value in headers.items() if _SECRET_HEADERS.search(name)]
    return [(words[0] if len(words) > 1 else "", words[-1].strip()) for words in told if words]


def _scrub(name: str, value: Any) -> object:
    match value:
        case dict() if name.endswith("headers"):
            return dict(scrub_headers((str(key), str(text)) for key, text in value.items()))
        case list() | tuple() if name.endswith("headers"):
            return scrub_headers((str(key), str(text)) for key, text in value)
        case dict():
            return {key: _scrub(key, inner) for key, inner in value.items()}
        case list() | tuple():
            return [_scrub(name, inner) for inner in value]
        case str() if name.endswith("url") or name == "path":
            return scrub_url(value)
        case _:
            return value


def _without_url_secrets(value: str) -> str:
    return scrub_url(value) if "://" in value or "?" in value else value


def _scrubbed(query: str) -> str:
    pairs = (pair.partition("=") for pair in query.split("&"))
    return "&".join(
        f"{name}={REMOVED}" if equals and _SECRET_PARAMETERS.search(name) else f"{name}{equals}{value}"
        for name, equals, value in pairs
    )
