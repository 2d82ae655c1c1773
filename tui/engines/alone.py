"""Was a request alone on its engine? Only then the growth of the engine's counters belongs to it."""

from __future__ import annotations

from dataclasses import dataclass

from tui.domain.events import Learned, Timings, Usage
from tui.engines.prometheus import Labels, Page, growth

ALONE = "growth of the engine's counters while it ran alone"
NONE_SHOWN = "the engine shows no counters"
_REQUESTS = "http_requests_total"
_SLACK = 0.1  # two clocks, and the way between the two ends
_SLACK_NS = 50_000_000


@dataclass(frozen=True, slots=True)
class Ledger:
    """One engine's names: gauges of requests at work or waiting, counters of requests, counters of tokens.

    requests: each grows by one for one request. prompt, generated: grow by its tokens.
    """

    gauges: tuple[str, ...]
    requests: tuple[str, ...]
    prompt: str
    generated: str

    @property
    def names(self) -> tuple[str, ...]:
        """All that must be asked for."""
        return (*self.gauges, *self.requests, self.prompt, self.generated, _REQUESTS)


def not_alone(ledger: Ledger, before: Page, after: Page, usage: Usage | None) -> str:
    """Why the growth from `before` to `after` is not this request's own; empty when it is.

    A request that was given up elsewhere never reaches the counters of ended requests: only the tokens, the
    first tokens and the requests of the web server tell of it.
    """
    if not all(name in before and name in after for name in ledger.requests):
        return NONE_SHOWN
    if any(before.total(gauge) for gauge in ledger.gauges):
        return "other requests ran when this one was sent"
    for name in ledger.requests:
        grown = growth(before, after, name)
        if grown is None:
            return "the engine's counters began anew"
        if grown != 1:
            return "other requests ran meanwhile" if grown > 1 else "the engine had not counted it yet"
    if usage is None or usage.prompt is None or usage.completion is None:
        return "the engine told no token counts to compare"
    worked = growth(before, after, ledger.prompt), growth(before, after, ledger.generated)
    if worked[0] != usage.prompt or worked[1] != usage.completion:
        return "the engine worked on other tokens meanwhile"
    if _REQUESTS in after and _completions(before, after) != 1:
        return "other requests were sent meanwhile"
    return ""


def if_it_fits(told: Timings) -> Timings | Learned:
    """`told`, unless it holds more time than passed since the request was sent: then it is another's."""
    spans = (told.queue_ns, told.tokenize_ns, told.prompt_ns, told.predicted_ns)
    if sum(ns or 0 for ns in spans) <= told.at_ns * (1 + _SLACK) + _SLACK_NS:
        return told
    return not_ours(told.at_ns, "the engine worked longer meanwhile than this request took")


def not_ours(at_ns: int, why: str, kept: bool = True) -> Learned:
    """Why no durations are taken over; `kept`: the engine keeps some, so it need not be started for it."""
    return Learned(at_ns, {"timings_note": f"not attributable: {why}", "timings_kept": kept})


def _completions(before: Page, after: Page) -> float:
    """Requests to the routes that generate; a route nobody asked before has no line yet."""
    return (after.total(_REQUESTS, _generates) or 0) - (before.total(_REQUESTS, _generates) or 0)


def _generates(labels: Labels) -> bool:
    route = labels.get("handler", "").rstrip("/")
    return route.endswith(("/completions", "/responses", "/messages", "/generate"))
