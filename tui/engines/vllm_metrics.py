"""What vLLM's counters and gauges say of one request: durations when it was alone, signs while it waits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tui.domain.events import Event, Progress, SlotsSeen, Timings, Usage
from tui.domain.values import count
from tui.engines.alone import ALONE, NONE_SHOWN, Ledger, if_it_fits, not_alone, not_ours
from tui.engines.counted import counted
from tui.engines.prometheus import Page, grown_ns, growth

_RUNNING, _WAITING = "vllm:num_requests_running", "vllm:num_requests_waiting"
_QUEUE = "vllm:request_queue_time_seconds"
_FIRST = "vllm:time_to_first_token_seconds"
_PREFILL = "vllm:request_prefill_time_seconds_sum"
_DECODE = "vllm:request_decode_time_seconds_sum"
_CACHE = "vllm:cache_config_info"
# The names before 0.9.2 come second; both are asked for, since an unknown one is passed over.
_USAGE = ("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc")
_HITS = ("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total")
_QUERIES = ("vllm:prefix_cache_queries_total", "vllm:gpu_prefix_cache_queries_total")
_LEDGER = Ledger(
    (_RUNNING, _WAITING),
    (f"{_QUEUE}_count", f"{_FIRST}_count"),
    "vllm:prompt_tokens_total",
    "vllm:generation_tokens_total",
)
_AFTER = (*_LEDGER.names, f"{_QUEUE}_sum", _PREFILL, _DECODE, *_HITS, *_QUERIES)
KEPT = ("vllm:", "http_requests_total")  # the lines worth keeping: without those that only explain


def _asked(path: str, names: tuple[str, ...]) -> str:
    """Only these series: about 1 ms of the engine's time; the whole page costs 20, and 60 kB.

    Without the slash before the question mark the filter is passed over.
    """
    return f"{path}/?" + "&".join(f"name[]={name}" for name in names)


def before_path(path: str) -> str:
    """What to read before the request is sent."""
    return _asked(path, (*_AFTER, *_USAGE, _CACHE))


def after_path(path: str) -> str:
    """What to read after its stream ended."""
    return _asked(path, _AFTER)


def live_path(path: str) -> str:
    """What to read while it waits for its first token."""
    return _asked(path, (_RUNNING, _WAITING, *_USAGE, *_HITS, *_QUERIES))


def durations(at_ns: int, before: Page, after: Page, usage: Usage | None) -> Event:
    """Queue, prefill and decode of the request between two pages, or why they can't be told."""
    why = not_alone(_LEDGER, before, after, usage)
    if why or usage is None:
        return not_ours(at_ns, why, why != NONE_SHOWN)
    cached = usage.cached if usage.cached is not None else _reused(before, after, usage.prompt)
    told = Timings(
        at_ns,
        prompt_ns=grown_ns(before, after, _PREFILL),
        predicted_ns=grown_ns(before, after, _DECODE),
        queue_ns=grown_ns(before, after, f"{_QUEUE}_sum"),
        final=True,
        source=ALONE,
    )
    return if_it_fits(counted(told, replace(usage, cached=cached)))


def _reused(before: Page, after: Page, prompt: int | None) -> int | None:
    """Prompt tokens found in the prefix cache; None where not each token was looked up just once."""
    for hits, queries in zip(_HITS, _QUERIES, strict=True):
        if queries in after:
            looked, found = growth(before, after, queries), growth(before, after, hits)
            return count(found) if looked == prompt else None
    return None


@dataclass(frozen=True, slots=True)
class Waiting:
    """What is needed to read the gauges while a request waits.

    before: the page from before it was sent, if one came. prompt: its tokens, where they were counted.
    """

    before: Page | None
    prompt: int | None

    def seen(self, at_ns: int, page: Page) -> list[Event]:
        """The signs in one page. Its gauges are as old as the engine's latest step.

        A request that waits may be ours only where others were at work before ours was sent.
        """
        running, waiting = count(page.total(_RUNNING)), count(page.total(_WAITING))
        if running is None or waiting is None or self.before is None:
            return []
        others = [self.before.total(gauge) for gauge in (_RUNNING, _WAITING)]
        if None in others:
            return []
        if not any(others):
            return self._progress(at_ns, page) if running <= 1 and not waiting else []
        if waiting and not running:  # between two steps: not yet told who works
            return []
        return [SlotsSeen(at_ns, running if waiting else 0, running)]

    def _progress(self, at_ns: int, page: Page) -> list[Event]:
        """Tokens held in the KV cache: while the request is alone they are the read part of its prompt.

        share of the blocks in use × (blocks − 1, since one is never given away) × tokens of a block.
        """
        before, share = self.before, page.first(*_USAGE)
        room = _room(before) if before is not None else None
        if before is None or room is None or not share or self.prompt is None or before.first(*_USAGE):
            return []
        blocks, size = room
        held = round(share * (blocks - 1)) * size
        if held <= 0 or held >= self.prompt + size:  # more than a prompt can hold: another kind of cache
            return []
        cached = min(_reused(before, page, self.prompt) or 0, self.prompt)
        done = max(cached, min(held, self.prompt))
        return [Progress(at_ns, self.prompt, cached, done, None, estimated=True)]


def _room(page: Page) -> tuple[int, int] | None:
    """(blocks of the KV cache, tokens of each); None when not told, or engines differ."""
    told = {(s.labels.get("num_gpu_blocks", ""), s.labels.get("block_size", "")) for s in page.series(_CACHE)}
    if len(told) != 1:
        return None
    blocks, size = (int(w) if w.isascii() and w.isdigit() and len(w) < 10 else 0 for w in told.pop())
    return (blocks, size) if blocks > 1 and size else None
