"""What Ollama's `/api/ps` shows beside a request: was its model in memory, and when did a load end."""

from __future__ import annotations

from tui.domain.events import Edge, Event, Learned
from tui.domain.values import count
from tui.domain.wire import Poll
from tui.engines.shapes import Object, items, mapping, parsed_or_none, text

PATH = "/api/ps"
_ABSENT = "/api/ps does not list the model: it is loaded, after any wait in the scheduler"
_GONE = "/api/ps lists the model no more: it is loaded again"
_THERE = "/api/ps lists the model, asked every 0.25 s"
_LISTED_EARLY = "/api/ps begins to list the model, which this version does when the load begins"


class Residence:
    """Follows one model through the answers.

    context: the window that the request asks for, when it asks; a model that is loaded with another one must
    be loaded again. early: versions before 0.30 list a model already while it is loading.
    listed: it was there before the request; None when nobody saw. arrived: it came while we waited.
    """

    def __init__(self, model: str, context: int | None, early: bool) -> None:
        self.listed: bool | None = None
        self.arrived = False
        self._model = _full(model)
        self._context = context
        self._early = early
        self._there: bool | None = None

    def poll(self, poll: Poll) -> list[Event]:
        """Edges of the load, and what is told about the loaded model."""
        answer = parsed_or_none(poll.body)
        if "models" not in mapping(answer):
            return []
        entry = self._entry(mapping(answer))
        was, self._there = self._there, entry is not None
        if self.listed is None and (poll.at_ns <= 0 or entry is None):
            self.listed = self._there
        if entry is None:
            return self._absent(poll.at_ns, was)
        self.arrived = self.arrived or was is False
        return [*self._present(poll.at_ns, was), *([] if was else [_facts(poll.at_ns, entry)])]

    def _entry(self, answer: Object) -> Object | None:
        for entry in map(mapping, items(answer.get("models"))):
            names = {_full(text(entry.get("name"))), _full(text(entry.get("model")))}
            if self._model and self._model in names:
                loaded = count(entry.get("context_length"))
                return None if self._context and loaded and loaded != self._context else entry
        return None

    def _absent(self, at_ns: int, was: bool | None) -> list[Event]:
        if self._early or was is False:
            return []
        if was:
            return [Edge(at_ns, "load", True, _GONE)] if at_ns > 0 else []
        return [Edge(min(at_ns, 0), "load", True, _ABSENT, estimated=True)]

    def _present(self, at_ns: int, was: bool | None) -> list[Event]:
        if was is not False:
            return []
        if self._early:
            return [Edge(at_ns, "load", True, _LISTED_EARLY)]
        return [Edge(at_ns, "load", False, _THERE)]


def _full(name: str) -> str:
    """The name with its default tag and without the default registry; names differ in no capitals."""
    short = name.casefold().removeprefix("registry.ollama.ai/").removeprefix("library/")
    return f"{short}:latest" if short and ":" not in short.rsplit("/", 1)[-1] else short


def _facts(at_ns: int, entry: Object) -> Learned:
    """The window it is loaded with, and the share of its bytes on the GPU (estimates of its load log)."""
    size, on_gpu = count(entry.get("size")), count(entry.get("size_vram"))
    told = {
        "context_length": count(entry.get("context_length")),
        "gpu_share": min(1.0, on_gpu / size) if size and on_gpu is not None else None,
    }
    return Learned(at_ns, {key: value for key, value in told.items() if value is not None})
