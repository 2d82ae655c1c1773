"""Ollama's own API: JSON lines of `/api/chat` and `/api/generate`, with durations on the last one."""

from __future__ import annotations

import json

from tui.domain.events import Dialect, Done, Event, Finish, Generated, Oddity, ToolDelta
from tui.domain.values import count
from tui.domain.wire import Poll
from tui.engines.base import Adapter, Look, Plan, Request, Watch
from tui.engines.ollama_metrics import Seen, Version, early, metrics, version_of
from tui.engines.ollama_ps import PATH as RUNNING
from tui.engines.ollama_ps import Residence
from tui.engines.shapes import Object, items, mapping, text
from tui.engines.tongue import Tongue

DIALECT = Dialect("ollama")
PATH = "/api/chat"
_NO_RUN = ("load", "unload")  # reasons of a reply to a request that only loads or unloads


def request(plan: Plan) -> Request:
    """A chat request that changes nothing about the model: no `num_ctx` and no `shift`, which would load it
    again, no `keep_alive`. Thinking is left to the model.

    `truncate: false` makes a prompt that is too long an error; without it Ollama drops the front of it and
    says nothing. Versions before 0.12.4 ignore the field.
    """
    asked = {"num_predict": plan.max_tokens, "temperature": plan.temperature, "seed": plan.seed}
    body: dict[str, object] = {
        "model": plan.model,
        "messages": [{"role": turn.role, "content": turn.content} for turn in plan.turns],
        "stream": True,
        "truncate": False,
    }
    options = {key: value for key, value in asked.items() if value is not None}
    return Request(PATH, body | ({"options": options} if options else {}))


class OllamaTongue(Tongue):
    """One record per piece of text; the record with `done: true` ends the stream and carries the counts."""

    json_lines = True
    dialect = DIALECT

    def __init__(self) -> None:
        self._calls = 0
        self._lines = 0
        self._thought = False
        self._remote = False
        self._whole = False
        self._version: Version | None = None
        self._residence = Residence("", None, early=False)

    def begin(self, fields: Object) -> list[Event]:
        """The version decides what counts mean; the model is the one to look for in `/api/ps`."""
        conditions = mapping(fields.get("conditions"))
        told = text(fields.get("engine_version")) or text(conditions.get("engine_version"))
        self._version = version_of(told)
        body = mapping(mapping(fields.get("request")).get("body"))
        model = text(body.get("model"))
        self._remote = model.endswith((":cloud", "-cloud"))
        context = count(mapping(body.get("options")).get("num_ctx"))
        self._residence = Residence(model, context, early(self._version))
        return []

    def head(self, at_ns: int, headers: Object) -> list[Event]:
        """A reply that is no stream says so by its type."""
        kind = text(headers.get("content-type"))
        self._whole = "json" in kind and "ndjson" not in kind
        return []

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One record; the last one may carry text or tool calls too."""
        self._remote = self._remote or bool(text(body.get("remote_host")))
        events = self._generated(at_ns, body)
        if body.get("done") is not True:
            return events
        if events and self._whole and self._lines == 1:
            events.insert(0, Oddity(at_ns, "not_streamed", "the answer came as one whole reply"))
        reason = text(body.get("done_reason"))
        if reason:
            # before the counts: after a stop the last token counted is the end token, sampled just now
            events.append(Finish(at_ns, reason))
        if reason not in _NO_RUN:
            events += metrics(at_ns, body, self._seen())
        return [*events, Done(at_ns)]

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """A reply that was not streamed, written over several lines."""
        return self.message(at_ns, body, "") if body.get("done") is True else []

    def poll(self, poll: Poll) -> list[Event]:
        """`/api/ps`; it says nothing about models that run elsewhere."""
        if self._remote or not poll.path.split("?")[0].endswith(RUNNING):
            return []
        return self._residence.poll(poll)

    def _seen(self) -> Seen:
        lives = self._residence
        return Seen(self._version, self._lines, self._thought, lives.listed, lives.arrived, self._remote)

    def _generated(self, at_ns: int, body: Object) -> list[Event]:
        message = mapping(body.get("message"))
        answer = text(message.get("content")) or text(body.get("response"))
        reasoning = text(message.get("thinking")) or text(body.get("thinking"))
        calls = items(message.get("tool_calls")) or items(body.get("tool_calls"))
        tools = tuple(self._tool(mapping(mapping(call).get("function"))) for call in calls)
        if not (answer or reasoning or tools):
            return []
        self._lines += 1
        self._thought = self._thought or bool(reasoning)
        return [Generated(at_ns, answer, reasoning, tools)]

    def _tool(self, function: Object) -> ToolDelta:
        """A whole call; its arguments are an object here and a string everywhere else."""
        arguments = function.get("arguments")
        index = self._calls
        self._calls += 1
        words = text(arguments) or text(json.dumps(mapping(arguments), ensure_ascii=False))
        return ToolDelta(index, text(function.get("name")), words)


ADAPTER = Adapter(
    "ollama",
    DIALECT,
    request,
    OllamaTongue,
    watches=(Watch(RUNNING, every_s=0.25, until="first"),),
    looks=(Look(RUNNING, "before"),),
)
