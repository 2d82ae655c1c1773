"""Why a request failed, in words: from status, headers and body of the reply to one plain message."""

from __future__ import annotations

import re
from collections.abc import Mapping

from tui.domain.events import ErrorKind, Failed
from tui.domain.values import finite
from tui.engines.remedies import remedy_of
from tui.engines.shapes import Object, items, mapping, parsed_or_none, text

_RAW_LIMIT = 20_000
_SAID_LIMIT = 600
_SECRET = re.compile(
    r"(?i)(?<=bearer )(?=\S*[\d_=-])\S{6,}|(?<=basic )(?=\S*[\d_=-])\S{6,}|(?<=key provided: )\S+"
    r"|(?-i:\b(?:sk|pk|rk|hf|gsk|xai|nvapi)[-_][\w*.-]{8,})"  # HF_HUB_OFFLINE is no key
)
_NOTHING = ("{}", "[]", "null", '""')  # JSON that says no more than an empty body
_SPACE = re.compile(r"\s+")
_DATA = re.compile(rb"\A(?:(?:event|id|retry)?:[^\n]*\n)*\s*data:")
_KINDS = {
    401: ErrorKind.AUTH,
    403: ErrorKind.AUTH,
    404: ErrorKind.NOT_FOUND,
    429: ErrorKind.RATE_LIMITED,
    503: ErrorKind.SERVER_BUSY,
}


def without_secrets(words: str) -> str:
    """`words` without what looks like a key; engines repeat a refused key in their errors."""
    return _SECRET.sub("(key removed)", words)


def one_line(words: str, limit: int = _SAID_LIMIT) -> str:
    """`words` in one line of printable characters, `limit` at most."""
    printable = "".join(c if c.isprintable() else " " for c in words)
    line = _SPACE.sub(" ", printable).strip()
    return line if len(line) <= limit else line[: limit - 1] + "…"


def is_page(body: bytes) -> bool:
    """Whether the body is an HTML page."""
    return body.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"<"


def said(value: object, depth: int = 7) -> str:
    """The engine's own error text in a JSON body; empty when it holds none within `depth` levels.

    Known shapes: {"error": "text"}, {"error": {"message"}}, {"message"} with "object": "error", {"detail"}
    (a text, an object with "msg", or FastAPI's list of them with the field in "loc"), {"errors": [...]}.
    """
    if depth == 0 or not value:
        return ""
    if isinstance(value, str):
        inner = parsed_or_none(value) if value.lstrip().startswith("{") else None
        return one_line(said(inner, depth - 1) or value)  # Ollama hands on llama-server's JSON as a string
    if isinstance(value, list):
        return said(value[0], depth - 1)
    body = mapping(value)
    for key in ("error", "message", "detail", "msg", "errors", "error_message"):
        words = said(body.get(key), depth - 1)
        if words:
            return one_line(f"{_field(body)}{words}") if key == "msg" else words
    return one_line(text(body.get("type")) or text(body.get("code")))


def _field(body: Object) -> str:
    """The field of the request that a FastAPI server complains about, such as `messages.0.content: `."""
    places = [str(place) for place in items(body.get("loc")) if isinstance(place, (str, int))]
    named = ".".join(places[1:] if places[:1] == ["body"] else places)
    return f"{named}: " if named else ""


def told_error(value: Object) -> str:
    """The error text when this JSON object reports a failure, else empty; null and empty equal absent."""
    if value.get("error"):
        return said(value["error"]) or "an error without a message"
    if value.get("object") == "error":
        return said(value) or "an error without a message"
    return ""


def engine_error(at_ns: int, message: str, raw: bytes) -> Failed:
    """The engine told a failure inside a 200 reply."""
    return _failed(at_ns, ErrorKind.ENGINE_ERROR, f"The engine reported an error: {message}", None, raw)


def not_chat_reply(at_ns: int, body: bytes) -> Failed:
    """Status 200, but what came is no chat answer."""
    if is_page(body):
        message = f"The reply is an HTML page{_title(body)}, not a chat answer."
    elif not body.strip():
        message = "The reply is empty."
    else:
        words = said(parsed_or_none(body)) or _beginning(body)
        message = f"The reply is not a chat answer: {words}"
    return _failed(at_ns, ErrorKind.NOT_CHAT_REPLY, message, None, body)


def ended_unsaid(at_ns: int) -> Failed:
    """A stream ended by itself before its first message; llama-cpp-python refuses a long prompt that way."""
    remedy = "See the server's log; the prompt may be longer than its context."
    return _failed(
        at_ns,
        ErrorKind.NOT_CHAT_REPLY,
        "The engine ended its reply without a word.",
        None,
        b"",
        remedy=remedy,
    )


def unreadable(at_ns: int, why: str, *, begun: bool) -> Failed:
    """Status 200, but the body's coding can't be undone, or no longer once the stream had `begun`."""
    kind = ErrorKind.CONNECTION_LOST if begun else ErrorKind.NOT_CHAT_REPLY
    which = "The rest of the reply" if begun else "The reply"
    return _failed(at_ns, kind, f"{which} can't be read: {why}.", None, b"")


def timed_out(at_ns: int, message: str) -> Failed:
    """The limit that the user set passed before the reply was whole."""
    return Failed(at_ns, ErrorKind.TIMED_OUT, message, remedy=remedy_of(ErrorKind.TIMED_OUT, message))


def http_failure(at_ns: int, status: int, headers: Mapping[str, str], body: bytes, url: str) -> Failed:
    """A reply with a status other than 200; `headers` with lower-case names, `url` without secrets."""
    parsed = parsed_or_none(_DATA.sub(b"", body, count=1))  # some send it as an event of a stream
    words = _page(body) if is_page(body) else said(parsed) or _beginning(body)
    words = "" if words in _NOTHING else words
    kind = ErrorKind.REDIRECT if 300 <= status < 400 else _KINDS.get(status, ErrorKind.HTTP_ERROR)
    remedy = ""
    retry_after_s: float | None = None
    match kind:
        case ErrorKind.AUTH:
            # The server's own words may repeat the key.
            message = f"{status}: the server refused the key, or wants one."
            if status == 403 and words:
                message = f"403: the server refuses this request: {without_secrets(words)}"
        case ErrorKind.REDIRECT:
            target = one_line(headers.get("location", "")) or "no target given"
            message = f"{status}: the server redirects to {without_secrets(target)}"
        case ErrorKind.NOT_FOUND:
            message = f"404: {words or 'not found'} ({url})"
            if "/v1/v1" in url:
                message += "; /v1 is doubled in this URL"
                remedy = "Give the URL without its second /v1."
        case ErrorKind.RATE_LIMITED | ErrorKind.SERVER_BUSY:
            retry_after_s = _retry_after_s(headers, parsed)
            message = f"{status}: {words or 'the server has no time for this request'}"
            if retry_after_s is not None:
                amount = f"{retry_after_s:g}" if retry_after_s < 1000 else f"{retry_after_s:,.0f}"
                remedy = f"Send again after {amount} s."
        case _:
            message = f"{status}: {words or 'the server gave no reason'}"
    raw = b"" if status == 401 else body
    return _failed(at_ns, kind, message, status, raw, retry_after_s=retry_after_s, remedy=remedy)


def _failed(
    at_ns: int,
    kind: ErrorKind,
    message: str,
    status: int | None,
    raw: bytes,
    *,
    retry_after_s: float | None = None,
    remedy: str = "",
) -> Failed:
    return Failed(
        at_ns,
        kind,
        without_secrets(message),
        status=status,
        retry_after_s=retry_after_s,
        remedy=remedy or remedy_of(kind, message),
        raw=without_secrets(raw.rstrip()[:_RAW_LIMIT].decode("utf-8", "replace")),
    )


def _beginning(body: bytes) -> str:
    return one_line(body[:400].decode("utf-8", "replace"), 120)


def _title(body: bytes) -> str:
    found = re.search(rb"(?is)<title[^>]*>(.*?)</title>", body[:20_000])
    words = one_line(found.group(1).decode("utf-8", "replace"), 80) if found else ""
    return f" ({words!r})" if words else ""


def _page(body: bytes) -> str:
    return f"an HTML page{_title(body)} from something in front of the engine, such as a proxy"


def _retry_after_s(headers: Mapping[str, str], body: object) -> float | None:
    """Seconds to wait, from the Retry-After header (a date counts from the reply's own Date) or the body."""
    error = mapping(mapping(body).get("error"))
    told = headers.get("retry-after", "")
    candidates: list[object] = [_number(told), _between(headers.get("date", ""), told)]
    if "retry-after-ms" in headers:
        in_ms = _number(headers["retry-after-ms"])
        candidates.append(None if in_ms is None else in_ms / 1000)
    for place in (error, mapping(body), *(mapping(d) for d in items(error.get("details")))):
        candidates.extend(place.get(key) for key in ("retry_after", "retry_after_s", "retry_after_seconds"))
        candidates.append(_number(text(place.get("retryDelay")).removesuffix("s")))
    for candidate in candidates:
        seconds = _number(candidate) if isinstance(candidate, str) else finite(candidate)
        if seconds is not None and seconds >= 0:
            return seconds
    return None


def _between(first: str, then: str) -> float | None:
    """Seconds from one HTTP date to another, None where either is none."""
    if not (first and then):
        return None
    from email.utils import parsedate_to_datetime  # 20 ms that most runs need not pay

    try:
        return (parsedate_to_datetime(then) - parsedate_to_datetime(first)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None


def _number(words: str) -> float | None:
    try:
        return finite(float(words))
    except ValueError:
        return None
