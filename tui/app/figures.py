"""The four figures that always stand in the same places: time since sent, TTFT, prefill, decode."""

from __future__ import annotations

from dataclasses import dataclass

from tui.app import labels
from tui.app.scene import Scene
from tui.domain.values import Value
from tui.domain.view import Stage, View
from tui.plot.numbers import ABSENT, count, duration_figure, fine_seconds, rate_figure, seconds

_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Shown:
    """One figure. `number` "" = not known, then `why` says why, once the request is over.

    `label` for wide screens, `short` for others; `about` what the number is of; `lit`: it happens now.
    """

    label: str
    short: str
    role: str
    lit: bool
    number: str = ""
    unit: str = ""
    mark: str = ""
    about: str = ""
    why: str = ""

    @property
    def text(self) -> str:
        """Number, unit and mark in one line."""
        return f"{self.number} {self.unit} {self.mark}" if self.number else ABSENT


class Units:
    """The unit of each rate, kept during a run: it may grow to thousands, but never goes back."""

    def __init__(self) -> None:
        self._run = -1
        self._units: dict[str, str] = {}

    def rate(self, run: int, name: str, tokens_per_s: float) -> tuple[str, str]:
        """(number, unit) of a rate of run number `run`."""
        if run != self._run:
            self._run, self._units = run, {}
        kept = "k tok/s" if self._units.get(name) == "k tok/s" else None
        number, self._units[name] = rate_figure(tokens_per_s, kept)
        return number, self._units[name]


def figures(scene: Scene, units: Units) -> tuple[Shown, Shown, Shown, Shown]:
    """Since sent, TTFT, prefill, decode."""
    return _since(scene.view), _ttft(scene.view), _prefill(scene, units), _decode(scene, units)


def running(shown: tuple[Shown, Shown, Shown, Shown], stage: Stage) -> Shown:
    """The figure of what happens now; at the end the one of the answer's speed."""
    match stage:
        case Stage.PREFILL:
            return shown[2]
        case Stage.DECODING | Stage.STALLED | Stage.FINISHED | Stage.CANCELLED | Stage.FAILED:
            return shown[3] if shown[3].number else shown[0]
        case _:
            return shown[0]


def _mark(value: Value) -> str:
    return value.provenance.mark + ("" if value.reliable else "?")


def _since(view: View) -> Shown:
    over = view.total_ns is not None
    label, short = labels.WHOLE if over else labels.SINCE
    value = view.since_sent
    if value.number is None:
        return Shown(label, short, "text", False)
    number = (fine_seconds if over else seconds)(round(value.number * _S))
    return Shown(label, short, "text", view.running, number, "s", _mark(value))


def _ttft(view: View) -> Shown:
    value = view.ttft
    over = view.total_ns is not None
    if value.number is None:
        return Shown(*labels.TTFT, "text", False, why=value.note if over else "")
    number, unit = duration_figure(round(value.number * _S))
    return Shown(*labels.TTFT, "text", False, number, unit, _mark(value))


def _prefill(scene: Scene, units: Units) -> Shown:
    view = scene.view
    lit = view.stage is Stage.PREFILL
    whole = view.prefill.known and not lit
    value = view.prefill if whole else view.prefill_now
    about = f"@ {count(view.processed_tokens)} tok" if whole and view.processed_tokens else "now"
    if not whole and not lit:
        about = "last report"
    why = view.prefill.note if view.total_ns is not None else ""
    return _rate(labels.PREFILL, lit, value, about, why, scene, units)


def _decode(scene: Scene, units: Units) -> Shown:
    view = scene.view
    lit = view.stage in (Stage.DECODING, Stage.STALLED)
    over = view.total_ns is not None
    whole = "whole answer" if view.complete else "so far"
    value, about = (view.decode, whole) if over else (view.decode_now, "last 1 s")
    if over and not value.known and view.decode_engine.known:
        value, about = view.decode_engine, "engine's clock"
    return _rate(labels.DECODE, lit, value, about, value.note if over else "", scene, units)


def _rate(
    names: tuple[str, str], lit: bool, value: Value, about: str, why: str, scene: Scene, units: Units
) -> Shown:
    role = names[1]
    if value.number is None:
        return Shown(*names, role, lit, why=why)
    number, unit = units.rate(scene.run_number, role, value.number)
    return Shown(*names, role, lit, number, unit, _mark(value), about)
