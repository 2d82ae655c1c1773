"""Prometheus pages for the replay server: from texts around a request, and from rows polled during it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import parse_qsl

from tests.wire.answers import Answer, Answerer, Moment, around, timeline, told

_TEXT = (("Content-Type", "text/plain; version=0.0.4; charset=utf-8"),)
_SHORT = {
    "running": "num_requests_running",
    "waiting": "num_requests_waiting",
    "kv_usage": "kv_cache_usage_perc",
    "prefix_queries": "prefix_cache_queries_total",
    "prefix_hits": "prefix_cache_hits_total",
    "ttft_count": "time_to_first_token_seconds_count",
    "ttft_sum": "time_to_first_token_seconds_sum",
    "itl_count": "inter_token_latency_seconds_count",
    "queue_count": "request_queue_time_seconds_count",
    "queue_sum": "request_queue_time_seconds_sum",
    "prefill_sum": "request_prefill_time_seconds_sum",
    "decode_sum": "request_decode_time_seconds_sum",
    "success": "request_success_total",
    "iter_count": "iteration_tokens_total_count",
}  # fmt: skip
_NOT_SERIES = {"t", "scrape_ms", "cpu_s", "server_load"}
_LABELS = '{engine="0",model_name="SmolLM2-135M-Instruct"}'


def page(text: str) -> Answer:
    """A page of series."""
    return Answer(text.encode(), headers=_TEXT)


def metrics_around(before: Path, after: Path) -> Answerer:
    """vLLM's `/metrics` from the texts that were taken before and after one request."""
    return filtered(around(page(before.read_text()), page(after.read_text())))


def metrics_during(polled: Path, base: Path) -> Answerer:
    """vLLM's `/metrics` from a file of polled rows; series that were not polled are as in the page `base`."""
    rows = _rows(polled)
    text = base.read_text()
    return filtered(timeline([(float(row["t"]), page(_written_over(text, row))) for row in rows]))


def load_during(polled: Path) -> Answerer:
    """vLLM's `/load` from a file of polled rows."""
    rows = [row for row in _rows(polled) if "server_load" in row]
    return timeline([(float(row["t"]), told({"server_load": int(row["server_load"])})) for row in rows])


def filtered(answerer: Answerer) -> Answerer:
    """As vLLM filters: by `name[]`, and only where the path ends with a slash."""

    def answer(moment: Moment) -> Answer:
        whole = answerer(moment)
        path, _, query = moment.target.partition("?")
        names = {value for name, value in parse_qsl(query) if name == "name[]"}
        if not names or not path.endswith("/"):
            return whole
        lines = [line for line in whole.body.decode().splitlines() if _name(line) in names]
        return page("".join(f"{line}\n" for line in lines))

    return answer


def _rows(polled: Path) -> list[dict[str, float]]:
    return [row for row in map(json.loads, polled.read_text().splitlines()) if "t" in row]


def _name(line: str) -> str:
    return "" if line.startswith("#") else re.split(r"[{ ]", line, maxsplit=1)[0]


def _written_over(text: str, row: dict[str, float]) -> str:
    values = {f"vllm:{_SHORT.get(key, key)}": v for key, v in row.items() if key not in _NOT_SERIES}
    kept = [line for line in text.splitlines() if _name(line) not in values]
    return "\n".join([*kept, *(f"{name}{_LABELS} {value}" for name, value in values.items()), ""])
