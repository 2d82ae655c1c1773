"""What is known of a reply before its body: status, headers, and the address that was asked."""

from __future__ import annotations

from collections.abc import Mapping

from tui.domain.events import Failed
from tui.domain.values import count
from tui.engines.body import Body
from tui.engines.failures import http_failure
from tui.engines.shapes import headers_of, mapping, text


class ReplyHead:
    """`status` and `headers` (lower-case names) as far as they were told; a capture may tell neither."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self._url = ""

    def asked(self, fields: Mapping[str, object]) -> None:
        """What the record of the request tells; some captures hold the reply's head there too."""
        request = mapping(fields.get("request"))
        self._url = text(fields.get("url")) or text(request.get("url")) or text(request.get("path"))
        self.take(fields.get("status"), fields.get("response_headers"))

    def take(self, status: object, headers: object) -> None:
        """The head came."""
        self.status = count(status) or self.status
        self.headers = headers_of(headers) or self.headers

    @property
    def refused(self) -> bool:
        return self.status not in (None, 200)

    @property
    def may_be_empty(self) -> bool:
        """Whether an empty body is a stream that broke off, not a reply of another kind."""
        return self.status is None or "event-stream" in self._kind or "ndjson" in self._kind

    @property
    def _kind(self) -> str:
        return self.headers.get("content-type", "").lower()

    def body(self, json_lines: bool) -> Body:
        """The body that follows. Raises CodingError."""
        encoding = self.headers.get("content-encoding", "")
        events = "event-stream" in self._kind
        return Body(encoding, json_lines=json_lines, keep=self.refused, called_events=events)

    def refusal(self, at_ns: int, body: bytes) -> Failed:
        """The failure that a status other than 200 is."""
        return http_failure(at_ns, self.status or 0, self.headers, body, self._url)
