"""Several runs as one table of n, median, min, max per value; what is doubtful is left out and counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median, quantiles

VALUES = (
    "ttft_s", "prefill_tok_s", "decode_tok_s", "server_decode_tok_s", "total_s", "queue_s", "tokenize_s",
    "prefill_s", "decode_s",
)  # fmt: skip

_DOUBTED = {"decode_tok_s": "decode_reliable", "prefill_tok_s": "prefill_reliable"}
_MANY = 20  # below it a percentile is just one of the runs


def summarised(runs: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """n, median, min and max of each value over the complete runs that have it; why others are missing."""
    used = [run for run in runs if run.get("complete")]
    table: dict[str, object] = {}
    for name in VALUES:
        trusted = [run for run in used if run.get(_DOUBTED.get(name, "")) is not False]
        table[name] = _row([v for v in (run.get(name) for run in trusted) if isinstance(v, (int, float))])
    return {"runs": len(runs), "used": len(used), "left_out": _left_out(runs), "values": table}


def _row(numbers: list[float]) -> dict[str, float] | None:
    if not numbers:
        return None
    row = {"n": len(numbers), "median": median(numbers), "min": min(numbers), "max": max(numbers)}
    if len(numbers) >= _MANY:
        row["p95"] = quantiles(numbers, n=20, method="inclusive")[-1]
    return row


def _left_out(runs: Sequence[Mapping[str, object]]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for number, run in enumerate(runs, 1):
        if not run.get("complete"):
            error = run.get("error")
            why = error.get("message") if isinstance(error, Mapping) else "it has no finish reason"
            rows.append({"run": number, "why": why})
    return rows
