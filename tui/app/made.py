"""What the time of a request was made of: the reading of its prompt, and the phase that took longest."""

from __future__ import annotations

from collections.abc import Mapping

from tui.domain.values import Provenance
from tui.domain.view import View
from tui.plot.numbers import duration, share

_DOING: Mapping[str, str] = {
    "connect": "connecting",
    "send": "sending the prompt",
    "waiting": "waiting for the first token",
    "load": "loading the model",
    "queue": "waiting in the queue",
    "tokenize": "splitting the prompt into tokens",
    "prefill": "reading the prompt",
    "decode": "writing the answer",
    "finish": "the end of the stream",
    "unattributed": "in no phase that the engine tells",
}


def made_of(view: View) -> tuple[str, str]:
    """(what reading took, or the wait that nobody splits; and the longest phase, where that is another)."""
    total = view.total_ns or view.now_ns
    parts: dict[str, int] = {}
    for phase in view.phases:
        inside = phase.end_ns - max(0, phase.start_ns)  # a connection is opened before
        if inside > 0 and phase.name in _DOING:
            parts[phase.name] = parts.get(phase.name, 0) + inside
    if not parts:
        return f"after {duration(total)}", ""
    longest = max(parts, key=lambda name: parts[name])
    first = next((name for name in ("prefill", "waiting") if name in parts), longest)
    made = f"{_told(view, first, parts[first], total)} of {duration(total)} was {_DOING[first]}"
    return (
        made,
        "" if first == longest else f"{_told(view, longest, parts[longest], total)} {_DOING[longest]}",
    )


def _told(view: View, name: str, part: int, total: int) -> str:
    guessed = any(p.name == name and p.provenance is Provenance.ESTIMATED for p in view.phases)
    percent = 100 * part / total if total else 0
    whole = f"{percent:.0f} %" if percent >= 1 or not part else share(part, total)
    return f"≈ {whole}" if guessed else whole
