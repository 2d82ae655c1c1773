"""Reads the text that Prometheus scrapes: series by their exact names and labels, and how they grow."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tui.domain.values import finite
from tui.engines.shapes import nanoseconds

_LONGEST_PAGE = 4 << 20  # bytes; what lies behind is not read
_LONGEST_LINE = 16 << 10  # characters
_NAME = re.compile(r"[A-Za-z_:][A-Za-z0-9_:]*")
_LABEL = re.compile(r'\s*([A-Za-z_][A-Za-z0-9_]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,?)')
_ESCAPE = re.compile(r"\\(.)")
_MEANT = {"n": "\n"}

Labels = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Series:
    """One line of the page. `value` is None when it is no finite number."""

    labels: Labels
    value: float | None


class Page:
    """One scrape. Total: what can't be read is not there."""

    def __init__(self, body: bytes) -> None:
        self._series: dict[str, list[Series]] = {}
        for line in body[:_LONGEST_PAGE].decode("utf-8", "replace").split("\n"):
            if not line.startswith("#") and len(line) <= _LONGEST_LINE:
                self._take(line)

    def __contains__(self, name: str) -> bool:
        return name in self._series

    def series(self, name: str) -> list[Series]:
        """All lines of this exact name: a `_created` twin or a bucket is another name."""
        return self._series.get(name, [])

    def total(self, name: str, where: Callable[[Labels], bool] = lambda _: True) -> float | None:
        """The sum over all lines of the name whose labels fit, so over all engines behind one server.

        None when there is none, or when one of them is no number: a sum of a part would be another thing.
        """
        values = [one.value for one in self.series(name) if where(one.labels)]
        known = [value for value in values if value is not None]
        return finite(sum(known)) if values and len(known) == len(values) else None

    def first(self, *names: str) -> float | None:
        """The total of the first of these names that is there: versions call the same thing differently."""
        return next((self.total(name) for name in names if name in self), None)

    def _take(self, line: str) -> None:
        found = _NAME.match(line)
        if found is None:
            return
        rest = line[found.end() :]
        labels: dict[str, str] = {}
        if rest.startswith("{"):
            told = _labels(rest[1:])
            if told is None:
                return
            labels, rest = told
        words = rest.split()
        if words:
            self._series.setdefault(found.group(), []).append(Series(labels, _number(words[0])))


def growth(
    before: Page, after: Page, name: str, where: Callable[[Labels], bool] = lambda _: True
) -> float | None:
    """How far a counter grew between two pages; None when one of them lacks it, or it began anew."""
    was, now = before.total(name, where), after.total(name, where)
    return now - was if was is not None and now is not None and now >= was else None


def grown_ns(
    before: Page, after: Page, name: str, where: Callable[[Labels], bool] = lambda _: True
) -> int | None:
    """How far a counter of seconds grew, in nanoseconds; None as for `growth`."""
    grown = growth(before, after, name, where)
    return nanoseconds(grown, 1e9)


def _labels(words: str) -> tuple[dict[str, str], str] | None:
    """The labels behind an opening brace, and what follows the closing one; None when they are broken."""
    labels: dict[str, str] = {}
    at, more = 0, True
    while more and (found := _LABEL.match(words, at)) is not None:
        labels[found.group(1)] = _ESCAPE.sub(lambda e: _MEANT.get(e.group(1), e.group(1)), found.group(2))
        at, more = found.end(), bool(found.group(3))
    rest = words[at:].lstrip()
    return (labels, rest[1:]) if rest.startswith("}") else None


def _number(words: str) -> float | None:
    try:
        return finite(float(words))
    except ValueError:
        return None
