"""The llama.cpp server: prompt progress, timings in every event, its native endpoint, and its slots."""

from __future__ import annotations

from tui.domain.events import (
    Dialect,
    Done,
    Edge,
    Event,
    Finish,
    FirstSign,
    Generated,
    Progress,
    SlotsSeen,
    Usage,
)
from tui.domain.values import count
from tui.domain.wire import Poll
from tui.engines.base import Adapter, Look, Plan, Request, Watch
from tui.engines.llama_sleep import PROPS, SLEEPING, WOKEN, counted_awake, probed_awake, sleeps
from tui.engines.llama_timings import timings_of
from tui.engines.openai import PATH, OpenAiTongue, chat_body, on_and_on
from tui.engines.shapes import Object, items, mapping, nanoseconds, parsed_or_none, text
from tui.engines.tongue import Tongue

DIALECT = Dialect("llama.cpp", tokenizes_first=True, names_wait=True)
_MS = 1e6


def request(plan: Plan) -> Request:
    """The chat request with progress and timings; builds that do not know a field ignore it.

    `cache_prompt: false` makes the slot read the whole prompt again.
    """
    extras = {"return_progress": True, "timings_per_token": True, "cache_prompt": plan.cache != "cold"}
    return Request(PATH, chat_body(plan) | on_and_on(plan) | extras)


class LlamaCppTongue(Tongue):
    """The OpenAI dialect plus what only llama.cpp tells."""

    dialect = DIALECT

    def __init__(self) -> None:
        self._chat = OpenAiTongue(DIALECT)
        self._token_seen = False
        self._slept = False

    def head(self, at_ns: int, headers: Object) -> list[Event]:
        """It comes when a slot begins: a model that was put away is loaded by then."""
        return [Edge(at_ns, "load", False, WOKEN)] if self._slept else []

    def message(self, at_ns: int, body: Object, event: str) -> list[Event]:
        """One chat chunk, or one event of the native `/completion`."""
        if "stop" in body and "choices" not in body:
            events = _native(at_ns, body)
        else:
            events = self._chat.message(at_ns, body, event)
        progress = body.get("prompt_progress")
        if progress:
            return [*_progress(at_ns, mapping(progress)), *events]
        return events if self._token_seen else self._first(at_ns, body, events)

    def whole(self, at_ns: int, body: Object) -> list[Event]:
        """A whole chat reply, or one of the native `/completion`."""
        if "content" in body and "stop" in body:
            return _native(at_ns, body)
        return self._chat.whole(at_ns, body)

    def poll(self, poll: Poll) -> list[Event]:
        """`/slots`: a waiting request is not listed, so all busy means that ours waits.

        `/props`: whether it was asleep. A load can't be told from the tokenization in the same wait.
        """
        if poll.path == PROPS and poll.at_ns < 0 and sleeps(poll.body):
            self._slept = True
            return [Edge(poll.at_ns, "load", True, WOKEN, estimated=True)]
        if poll.path.split("?")[0] != "/slots":
            return []
        slots = items(parsed_or_none(poll.body))
        busy = sum(mapping(slot).get("is_processing") is True for slot in slots)
        return [SlotsSeen(poll.at_ns, busy, len(slots))] if slots else []

    def _first(self, at_ns: int, body: Object, events: list[Event]) -> list[Event]:
        """`events`, led by a `FirstSign` when a token was counted that brought no text.

        Old builds send a role-only event before the prompt is read: only the count proves a token.
        """
        if any(isinstance(event, (Generated, Finish)) for event in events):
            self._token_seen = True
        elif count(mapping(body.get("timings")).get("predicted_n")):
            self._token_seen = True
            return [FirstSign(at_ns), *events]
        return events


def _progress(at_ns: int, progress: Object) -> list[Event]:
    total, processed = count(progress.get("total")), count(progress.get("processed"))
    if total is None or processed is None:
        return []
    cached = count(progress.get("cache")) or 0
    return [Progress(at_ns, total, cached, processed, nanoseconds(progress.get("time_ms"), _MS))]


def _native(at_ns: int, body: Object) -> list[Event]:
    """An event of `/completion`: `content`, and `stop: true` on the last one (there is no `[DONE]`)."""
    stop = body.get("stop") is True
    answer = text(body.get("content"))
    running = count(body.get("tokens_predicted"))
    timings = mapping(body.get("timings"))
    events: list[Event] = [Generated(at_ns, answer, count=running or None)] if answer else []
    if stop:
        old = "limit" if body.get("stopped_limit") is True else "stop"  # before there was a type
        events.append(Finish(at_ns, text(body.get("stop_type")) or old))
        events.append(Usage(at_ns, count(body.get("tokens_evaluated")), running))
    if timings and "prompt_progress" not in body:
        events.append(timings_of(at_ns, timings, final=stop))
    return [*events, Done(at_ns)] if stop else events


ADAPTER = Adapter(
    "llama.cpp",
    DIALECT,
    request,
    LlamaCppTongue,
    watches=(Watch("/slots", every_s=0.25),),
    can_switch_reuse_off=True,
    looks=(Look(PROPS, "before", keep=(SLEEPING,)),),
    counter=counted_awake,
    probe=probed_awake,
)
