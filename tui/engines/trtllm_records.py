"""TensorRT-LLM's records of ended requests: which one is ours, and what its stamps say."""

from __future__ import annotations

from collections.abc import Sequence

from tui.domain.events import Timings, Usage
from tui.domain.values import count, finite
from tui.engines.counted import counted
from tui.engines.shapes import Object, mapping, nanoseconds

SOURCE = "its record of the request in /perf_metrics"
_MOST_BLOCK_TOKENS = 128  # 32 by default; larger ones can be set
_SLACK_NS = 50_000_000  # two clocks, and the way between the two ends
_S = 1e9


def ours(
    records: Sequence[object], number: int | None, usage: Usage | None, last_ns: int
) -> tuple[Object | None, str]:
    """(our record, "") or (None, why not). `number`: the engine's number of our request, where it told one.

    last_ns: when the last chunk came, since the request was sent: the record's stamps lie within.
    """
    if not records:
        return None, "the engine keeps no records (return_perf_metrics), or another reader took them"
    known = [entry for entry in map(mapping, records) if _stamps(entry)]
    if number is not None:
        known = [entry for entry in known if count(entry.get("request_id")) == number]
    if not known:
        return None, "none of the engine's records is this request's"
    if len(known) > 1 or (number is None and len(records) > 1):
        return None, "other requests ended meanwhile"
    if number is None and not _fits(known[0], usage, last_ns):
        return None, "the engine's only record is of another request"
    return known[0], ""


def timings_of(at_ns: int, record: Object, usage: Usage | None) -> Timings:
    """The differences of neighbouring stamps, which are seconds of one steady clock."""
    stamps = _stamps(record)
    told = Timings(
        at_ns,
        prompt_ns=_between(stamps, "first_scheduled_time", "first_token_time"),
        predicted_ns=_between(stamps, "first_token_time", "last_token_time"),
        queue_ns=_between(stamps, "arrival_time", "first_scheduled_time"),
        tokenize_ns=_between(stamps, "server_arrival_time", "arrival_time"),
        final=True,
        source=SOURCE,
    )
    return counted(told, usage)


def _stamps(record: Object) -> Object:
    return mapping(mapping(record.get("perf_metrics")).get("timing_metrics"))


def _between(stamps: Object, first: str, second: str) -> int | None:
    """Nanoseconds between two stamps; one that is missing, 0 or before the other is not told."""
    begun, ended = finite(stamps.get(first)), finite(stamps.get(second))
    if not begun or not ended or begun < 0 or ended < begun:
        return None
    return nanoseconds(ended - begun, _S)


def _fits(record: Object, usage: Usage | None, last_ns: int) -> bool:
    """Whether the record can be ours: its time lies within ours, and its blocks hold our prompt."""
    stamps = _stamps(record)
    lasted = _between(stamps, "arrival_time", "last_token_time")
    if lasted is not None and lasted > last_ns + _SLACK_NS:
        return False
    blocks = mapping(mapping(record.get("perf_metrics")).get("kv_cache_metrics"))
    reused, missed = count(blocks.get("num_reused_blocks")), count(blocks.get("num_missed_blocks"))
    if reused is None or missed is None or usage is None or usage.prompt is None:
        return True
    return (reused + missed) * _MOST_BLOCK_TOKENS >= usage.prompt
