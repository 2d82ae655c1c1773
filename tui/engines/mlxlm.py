"""MLX-LM's server: its response head begins the prefill, its comments tell how far that is."""

from __future__ import annotations

import re

from tui.domain.events import Dialect, Event, FirstSign, Generated, Learned, Progress
from tui.engines.base import Adapter, Plan, Request
from tui.engines.openai import PATH, OpenAiTongue, chat_body
from tui.engines.shapes import Object, mapping, text

# One thread takes the request from the queue, loads what must be loaded, renders and tokenizes; then it sends
# the head. There is no sign between these.
DIALECT = Dialect("mlx-lm", tokenizes_first=False, head="working")
OWN_MODEL = "default_model"
_KEEPALIVE = re.compile(r"\s*keepalive (\d{1,12})/(\d{1,12})\s*")
# mlx-lm's version, mlx's, then the computer's system, which is nobody's business
_FINGERPRINT = re.compile(r"(\d+\.\d+[0-9a-z.]{0,20})-\d+\.\d")


def request(plan: Plan) -> Request:
    """The chat request in standard fields.

    Any model name but `default_model` makes the server load (and fetch) another one, so a name goes out only
    when the plan has one. A seed takes the request off the batched path: it waits until all others are done,
    and they wait for it; so none is sent unless it was asked for. `stream_options` must hold `include_usage`:
    without it the server breaks the stream off before its end mark.
    """
    return Request(PATH, chat_body(plan) | {"model": plan.model or OWN_MODEL})


class MlxLmTongue(OpenAiTongue):
    """The OpenAI dialect with comments `keepalive done/all`, in prompt tokens that were not in the cache.

    No duration is told anywhere. The stream ends by closing the connection: only `[DONE]` or a finish reason
    tells a whole answer from a cut one.
    """

    def __init__(self) -> None:
        super().__init__(DIALECT)
        self._token_seen = False
        self._version_known = False

    def begin(self, fields: Object) -> list[Event]:
        """Whether the version is known already."""
        self._version_known = bool(fields.get("engine_version"))
        return []

    def comment(self, at_ns: int, words: str) -> list[Event]:
        """How much of the prompt has been put through, after each step."""
        found = _KEEPALIVE.fullmatch(words)
        if found is None:
            return []
        processed, total = int(found[1]), int(found[2])
        if not total or processed > total:
            return []
        return [Progress(at_ns, total, 0, processed, None, whole=False)]

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chunk; the first one is the first token, its text may be held back."""
        events = self._version(at_ns, body) + super().message(at_ns, body, event)
        if not self._token_seen and body.get("choices"):
            self._token_seen = True
            if not any(isinstance(one, Generated) for one in events):
                events.insert(0, FirstSign(at_ns))
        return events

    def _version(self, at_ns: int, body: Object) -> list[Event]:
        found = _FINGERPRINT.match(text(mapping(body).get("system_fingerprint")))
        if self._version_known or found is None:
            return []
        self._version_known = True
        return [Learned(at_ns, {"engine_version": found[1]})]


ADAPTER = Adapter("mlx-lm", DIALECT, request, MlxLmTongue)
