"""What is said about a piece of the answer and its moment: when it came, its gap, and the machine then."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.scene import Scene
from tui.app.troubles import at_moment
from tui.domain.explain import named
from tui.domain.machine_at import machine_at
from tui.domain.spans import Span, longest_wait, messages_of, span_of
from tui.domain.view import View
from tui.plot.heat import scale
from tui.plot.numbers import ABSENT, count, duration, percent, size, size_of, three

_SURE_FROM = 20  # gaps from which percentiles are told
_FEW = 0.05
_ALL = 100


def piece_words(view: View, first: int, last: int) -> list[str]:
    """Number, token, time and gap of a piece, or of a span of pieces; none for what has not come."""
    span = span_of(view, first, last)
    if span is None:
        return []
    if span.first != span.last:
        return _of_span(view, span)
    words = [f"piece {count(span.first)} of {count(view.chunks)}", _token(view, span)]
    words.append(f"at {duration(span.end_ns)}")
    words.append(gap_words(view, span.end))
    others = len(messages_of(view.track.columns, span.end)) - 1
    return [*words, f"with {count(others)} more in one read" if others else ""]


def _of_span(view: View, span: Span) -> list[str]:
    words = [f"pieces {count(span.first)} to {count(span.last)}", _token(view, span)]
    words += [f"at {duration(span.end_ns)}", f"{duration(span.duration_ns)} long"]
    worst = longest_wait(view, span)
    return [*words, f"longest gap {duration(view.track.columns.gap[worst])}" if worst else ""]


def _token(view: View, span: Span) -> str:
    """By the engine's count; absent where it does not count with its messages."""
    if span.token is None or not span.tokens:
        return f"token {ABSENT}"
    name = "".join(word if isinstance(word, str) else count(round(word.number)) for word in named(view, span))
    return name[:1].lower() + name[1:]


def gap_words(view: View, read: int) -> str:
    """How long it was waited for, and how that compares."""
    if not read:
        return "the first text"
    gaps, gap_ns = view.track.columns.gaps, view.track.columns.gap[read]
    told = f"gap {duration(gap_ns)}"
    if gaps.count < _SURE_FROM:
        middle = view.gaps.p50_ns
        return f"{told}, {three(gap_ns / middle)} × the usual" if middle else told
    if gap_ns == gaps.greatest():
        return f"{told}, the longest of {count(gaps.count)}"
    longer = gaps.rank(gap_ns) / gaps.count
    if longer < _FEW:
        return f"{told}, among the shortest 5 %"
    if scale(view.gaps.p50_ns).step(gap_ns):
        return f"{told}, longer than {int(_ALL * longer)} % of all"
    return f"{told}, as usual"


def machine_words(scene: Scene, at_ns: int) -> list[str]:
    """The machine at a moment; `–` for what no reading near it tells, nothing when it is another machine."""
    now = machine_at(scene.view.samples, at_ns)
    if now.remote:
        return ["the server is on another machine"]
    ram = ABSENT
    if now.ram_bytes is not None and now.ram_total_bytes:
        ram = " ".join(size_of(now.ram_bytes, now.ram_total_bytes))
    return [
        f"CPU {_told(now.cpu_pct)}",
        f"GPU {_told(now.gpu_pct)}",
        f"RAM {ram}",
        f"VRAM {ABSENT if now.vram_bytes is None else size(now.vram_bytes)}",
        f"power {ABSENT if now.power_w is None else f'{three(now.power_w)} W'}",
        *at_moment(scene.told, at_ns),
    ]


def _told(pct: float | None) -> str:
    return ABSENT if pct is None else percent(pct)


def told(parts: Sequence[str]) -> list[str]:
    """Those that say something."""
    return [part for part in parts if part]
