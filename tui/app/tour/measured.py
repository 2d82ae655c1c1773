"""What becomes of the placeholders of a caption: values of a request, and a dash for what nobody measured."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from tui.domain.quarters import quarter_rates
from tui.domain.values import Provenance, Value
from tui.domain.view import View
from tui.plot.numbers import ABSENT, count, duration, rate
from tui.settings.tour_script import BEFORE, filled

_S = 1_000_000_000
_ESTIMATED = Provenance.ESTIMATED.mark


def captioned(text: str, view: View, before: View) -> str:
    """A caption over the request `view`, and `before` it the one of the scene before."""
    values = measured(view)
    values |= {BEFORE + name: told for name, told in measured(before).items()}
    return filled(text, values)


def measured(view: View) -> dict[str, str]:
    """Every placeholder of a script, in words."""
    return {name: tell(view) for name, tell in _TOLD.items()}


def _time(value: Value) -> str:
    return ABSENT if value.number is None else _marked(value.provenance, duration(round(value.number * _S)))


def _rate(value: Value) -> str:
    return ABSENT if value.number is None else _marked(value.provenance, rate(value.number))


def _phase(view: View, name: str) -> str:
    """How long a phase was, once it is over."""
    phase = view.phase(name)
    if phase is None or phase.running:
        return ABSENT
    return _marked(phase.provenance, duration(phase.duration_ns))


def _marked(provenance: Provenance, words: str) -> str:
    return f"{_ESTIMATED} {words}" if provenance is Provenance.ESTIMATED else words


def _tokens(number: int | None) -> str:
    return ABSENT if number is None else count(number)


_TOLD: Mapping[str, Callable[[View], str]] = {
    "ttft": lambda view: _time(view.ttft),
    "queue": lambda view: _phase(view, "queue"),
    "prefill_time": lambda view: _phase(view, "prefill"),
    "total": lambda view: ABSENT if view.total_ns is None else duration(view.total_ns),
    "prefill": lambda view: _rate(view.prefill),
    "decode": lambda view: _rate(view.decode),
    "decode_first": lambda view: _rate(quarter_rates(view)[0]),
    "decode_last": lambda view: _rate(quarter_rates(view)[1]),
    "prompt": lambda view: _tokens(view.prompt_tokens),
    "cached": lambda view: _tokens(view.cached_tokens),
    "tokens": lambda view: _tokens(view.tokens),
}
