"""What must hold of a run whatever its bytes were: it can be shown and told, and nothing is impossible."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from tui.capture.live import Live
from tui.domain.view import View
from tui.domain.wire import Meta, Read, Record
from tui.plot.cells import clean
from tui.report.narrated import Narrator
from tui.report.numbers import run_object
from tui.report.plain import summary

_MAY_BE_NEGATIVE = {"change", "start_s", "end_s", "start_ns", "end_ns", "seed", "temperature"}
_LOOKS = 5  # views while it runs


def run_of(records: Iterable[Record], timed: bool = True) -> dict[str, Any]:
    """The run object of the records; AssertionError when it is not sound.

    timed: their stamps are those of a clock. Those of a foreign file may be anything.
    """
    told = list(records)
    live, narrator = Live(), Narrator()
    every = max(1, len(told) // _LOOKS)
    for number, record in enumerate(told):
        live.feed([record])
        if number % every == 0 and not isinstance(record, Meta):
            _shown(live.view(record.at_ns + 1), narrator)
    _shown(live.copy().view(), narrator)
    view = live.view()
    run: dict[str, Any] = run_object(view)
    _json(run)
    _numbers("", run, signed=not timed)
    _phases(run["phases"], run["total_s"])
    if not run["complete"]:
        assert run["error"] or run["warnings"] or view.stage.value in ("cancelled", "empty") or _open(told), (
            run
        )
    assert len(live.raw()) <= sum(isinstance(record, Read) for record in told)
    return run


def _open(told: list[Record]) -> bool:
    """The client let go of a reply that had not ended."""
    how = getattr(told[-1], "how", "")
    return how in ("", "hang", "cancelled")


def _shown(view: View, narrator: Narrator) -> None:
    for line in [*narrator.follow(view), *summary(view).split("\n")]:
        assert line == clean(line) or not line, ascii(line)
    _tiled([(p.start_ns, p.end_ns) for p in view.phases])


def _json(run: dict[str, Any]) -> None:
    words = json.dumps(run, allow_nan=False, ensure_ascii=False)
    words.encode("utf-8")  # no half of a surrogate pair


def _numbers(key: str, value: object, signed: bool) -> None:
    for name, number in _inside(key, value):
        assert math.isfinite(number), (name, number)
        assert number >= 0 or signed or name in _MAY_BE_NEGATIVE, (name, number)


def _inside(key: str, value: object) -> Iterator[tuple[str, float]]:
    match value:
        case bool():
            pass
        case int() | float():
            yield key, value
        case dict():
            for name, inner in value.items():
                if name not in ("conditions",):
                    yield from _inside(name, inner)
        case list() | tuple():
            for inner in value:
                yield from _inside(key, inner)


def _phases(phases: list[dict[str, Any]], total_s: float | None) -> None:
    _tiled([(p["start_s"], p["end_s"]) for p in phases])
    if phases and total_s is not None and total_s >= 0:
        assert abs(phases[-1]["end_s"] - total_s) < 1e-6 * max(1.0, total_s), (phases, total_s)


def _tiled(spans: list[tuple[float, float]]) -> None:
    for start, end in spans:
        assert start <= end, spans
    for (_, before), (after, _) in pairwise(spans):
        assert before == after, spans
