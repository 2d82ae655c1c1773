"""TGI and LMDeploy: nothing in the stream; how the sums of their histograms grew while it ran alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from tui.domain.events import Dialect, Event, Timings
from tui.domain.wire import Poll
from tui.engines.alone import ALONE, if_it_fits, not_ours
from tui.engines.base import Adapter, Look
from tui.engines.counted import counted
from tui.engines.openai import OpenAiTongue, request
from tui.engines.prometheus import Labels, Page, grown_ns, growth

PATH = "/metrics"


@dataclass(frozen=True, slots=True)
class Histogram:
    """One duration's histogram, in seconds; only its lines with this `method`, where one is named."""

    name: str
    method: str = ""

    def _ours(self, labels: Labels) -> bool:
        return not self.method or labels.get("method") == self.method

    def count(self, before: Page, after: Page) -> float | None:
        """How many durations were added."""
        return growth(before, after, f"{self.name}_count", self._ours)

    def ns(self, before: Page, after: Page) -> int | None:
        """How much time was added."""
        return grown_ns(before, after, f"{self.name}_sum", self._ours)


@dataclass(frozen=True, slots=True)
class Histograms:
    """One engine's names. gauges: requests that run or wait. by_step: decode adds one duration a step."""

    gauges: tuple[str, ...]
    queue: Histogram
    prefill: Histogram
    decode: Histogram
    tokenize: Histogram | None = None
    by_step: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The beginnings of all lines that are needed; buckets are not."""
        told = (self.queue, self.prefill, self.decode, self.tokenize)
        sums = {f"{one.name}_{end}" for one in told if one is not None for end in ("sum", "count")}
        return (*self.gauges, *sorted(sums))


TGI = Histograms(
    ("tgi_batch_current_size", "tgi_queue_size"),
    Histogram("tgi_request_queue_duration"),
    Histogram("tgi_batch_inference_duration", "prefill"),
    Histogram("tgi_batch_inference_duration", "decode"),
    Histogram("tgi_request_validation_duration"),
    by_step=True,
)
LMDEPLOY = Histograms(
    ("lmdeploy:num_requests_running", "lmdeploy:num_requests_waiting"),
    Histogram("lmdeploy:request_queue_time_seconds"),
    Histogram("lmdeploy:request_prefill_time_seconds"),
    Histogram("lmdeploy:request_decode_time_seconds"),
)


class HistogramTongue(OpenAiTongue):
    """The OpenAI dialect, with one scrape before the request and one after its stream."""

    def __init__(self, dialect: Dialect, told: Histograms) -> None:
        super().__init__(dialect)
        self._told = told
        self._before: Page | None = None

    def poll(self, poll: Poll) -> list[Event]:
        """The durations between the two scrapes, or why they are not this request's."""
        if poll.path != PATH:
            return []
        page = Page(poll.body)
        if poll.at_ns < 0:
            self._before = page
            return []
        before = self._before
        if before is None:
            return []
        why = self._not_ours(before, page)
        if why:
            return [not_ours(poll.at_ns, why)]
        return [if_it_fits(self._timings(poll.at_ns, before, page))]

    def _not_ours(self, before: Page, after: Page) -> str:
        told = self._told
        at_work = [before.total(gauge) for gauge in told.gauges]
        if None in at_work:  # no count of tokens would show them
            return "the engine does not tell whether other requests ran"
        if any(at_work):
            return "other requests ran when this one was sent"
        once = [told.queue, told.prefill, *([told.tokenize] if told.tokenize else [])]
        once += [] if told.by_step else [told.decode]
        grown = [one.count(before, after) for one in once]
        if None in grown:
            return "the engine shows no counters, or they began anew"
        if any(number != 1 for number in grown):
            return "other requests ran meanwhile, or it was not counted yet"
        tokens = self.usage.completion if self.usage else None
        steps = told.decode.count(before, after) if told.by_step else None
        if steps and (tokens is None or steps > tokens):
            return "the engine made other steps meanwhile"
        return ""

    def _timings(self, at_ns: int, before: Page, after: Page) -> Timings:
        told = self._told
        timings = Timings(
            at_ns,
            prompt_ns=told.prefill.ns(before, after),
            predicted_ns=told.decode.ns(before, after),
            queue_ns=told.queue.ns(before, after),
            tokenize_ns=told.tokenize.ns(before, after) if told.tokenize else None,
            final=True,
            source=ALONE,
        )
        return counted(timings, self.usage)


def _spoken(name: str, told: Histograms) -> Adapter:
    dialect = Dialect(name)
    looks = (Look(PATH, "before", keep=told.names), Look(PATH, "after", keep=told.names))
    return Adapter(name, dialect, request, partial(HistogramTongue, dialect, told), looks=looks)


TGI_ADAPTER = _spoken("tgi", TGI)
LMDEPLOY_ADAPTER = _spoken("lmdeploy", LMDEPLOY)
