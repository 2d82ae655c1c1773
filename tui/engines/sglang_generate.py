"""SGLang's native `/generate` stream: its text, and the engine's own stamps in `meta_info`."""

from __future__ import annotations

from tui.domain.events import Event, Finish, Generated, Timings, Usage
from tui.domain.values import count, finite
from tui.engines.counted import processed
from tui.engines.failures import engine_error, said
from tui.engines.shapes import Object, items, mapping, nanoseconds, text

_S = 1e9
_CUT = "\ufffd"  # in place of a character whose last bytes are still to come


class Generate:
    """The state of one such stream. No chat template is applied to its prompt."""

    def __init__(self) -> None:
        self._text = ""

    def message(self, at_ns: int, body: Object) -> list[Event]:
        """One event: new text, counts, and durations as soon as they are known (with --enable-metrics)."""
        meta = mapping(body.get("meta_info"))
        running = count(meta.get("completion_tokens"))
        events: list[Event] = []
        told = text(body.get("text"))
        if not meta.get("finish_reason"):
            told = told.rstrip(_CUT)
        new = self._new(told, len(items(body.get("output_ids"))), running)
        if new:
            events.append(Generated(at_ns, new, count=running or None))
        reason = mapping(meta.get("finish_reason"))
        kind = text(reason.get("type")) or text(meta.get("finish_reason"))
        why = said(reason.get("message")) if kind == "abort" else ""
        if why:
            return [*events, engine_error(at_ns, why, b"")]
        if kind:
            events.append(Finish(at_ns, kind))
        cached = count(meta.get("cached_tokens"))
        prompt = count(meta.get("prompt_tokens"))
        events.append(Usage(at_ns, prompt, running, cached, count(meta.get("reasoning_tokens"))))
        timings = _timings(at_ns, meta, prompt, running, cached, final=bool(kind))
        return [*events, timings] if timings else events

    def _new(self, told: str, ids: int, running: int | None) -> str:
        """The text that is new; it comes whole each time, unless the server streams only what is new.

        Fewer ids than tokens so far show the latter. Without ids, text that does not go on from before does.
        """
        pieces = ids < running if ids and running else not told.startswith(self._text)
        new = told if pieces else told[len(self._text) :]
        self._text = self._text + told if pieces else told
        return new


def _timings(
    at_ns: int, meta: Object, prompt: int | None, running: int | None, cached: int | None, *, final: bool
) -> Timings | None:
    queue_ns = nanoseconds(meta.get("queue_time"), _S)
    prefill_ns = _between(meta, "forward_entry_time", "prefill_finished_time")
    if queue_ns is None and prefill_ns is None:
        return None
    return Timings(
        at_ns,
        prompt_n=processed(prompt, cached),
        cached_n=cached,
        prompt_ns=prefill_ns,
        predicted_n=running,
        predicted_ns=_between(meta, "prefill_finished_time", "request_finished_ts"),
        queue_ns=queue_ns,
        tokenize_ns=_between(meta, "request_received_ts", "api_server_dispatch_finish_ts"),
        cached_unknown=cached is None,
        final=final,
    )


def _between(meta: Object, first: str, second: str) -> int | None:
    """Nanoseconds between two stamps in seconds; one that is missing, 0 or before the other is not told."""
    begun, ended = finite(meta.get(first)), finite(meta.get(second))
    return nanoseconds(ended - begun, _S) if begun and ended and ended >= begun > 0 else None
