"""The findings of a selftest: as lines of at most 80 columns, or as one JSON object."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from tui.domain.wire import FORMAT
from tui.plot.numbers import ABSENT
from tui.selftest.judge import MOST_RATE_PCT, MOST_STAMP_MS, MOST_TTFT_MS, Figures, Spread, Verdict
from tui.selftest.taking import Drawing
from tui.selftest.terminal import COLUMNS, ROWS

_WIDTH = 80
_ROW = "{:<2}{:<43}{:>6} {:>6} {:>6} {:>6} {:>7}"


def heading() -> Iterator[str]:
    """What is done, and the columns."""
    yield "toklane selftest: a scripted server whose times are known, some 15 seconds"
    yield ""
    yield _ROW.format("", "error of what is told", "TTFT", "rate", "gap", "queue", "stamps")
    yield _ROW.format("", "", "ms", "%", "% p95", "ms", "ms p99")


def line(told: Figures) -> str:
    """One request."""
    stamp = told.stamp.p99 if told.stamp else None
    values = (told.ttft_ms, told.rate_pct, told.gap_pct, told.queue_ms, stamp)
    what = f"{told.turn.dialect}: {told.turn.what}"
    return _ROW.format("✖" if told.problem else "", what, *map(_three, values))


def closing(verdict: Verdict, drawings: Sequence[Drawing]) -> Iterator[str]:
    """The worst of each, the stamps, the screen, and the verdict."""
    stamp = verdict.stamp
    limit = MOST_STAMP_MS[verdict.stamps]
    p99 = stamp.p99 if stamp else None
    worst = (verdict.ttft_ms, verdict.rate_pct, verdict.gap_pct, verdict.queue_ms, p99)
    yield _ROW.format("", "worst; of all stamps together", *map(_three, worst))
    allowed = map(_three, (MOST_TTFT_MS, MOST_RATE_PCT, None, MOST_TTFT_MS, limit))
    yield _ROW.format("", "allowed", *(value if value != ABSENT else "" for value in allowed)).rstrip()
    yield ""
    yield from _item("stamps", _stamps(verdict))
    yield from _item("reads", _reads(verdict))
    yield from _item("screen", _screen(drawings))
    word = "yes" if verdict.trusted else "no"
    yield from _item("trusted", f"{word}, because {'; '.join(verdict.reasons)}")


def _item(name: str, text: str) -> Iterator[str]:
    return iter(textwrap.wrap(f"{name}: {text}", _WIDTH - 2, initial_indent="  ", subsequent_indent="    "))


def _stamps(verdict: Verdict) -> str:
    whose = "the kernel's" if verdict.stamps == "kernel" else "our own, when recv returned"
    if verdict.stamp is None:
        return f"{whose}; not measured"
    it = verdict.stamp
    told = f"{whose}; error p50 {_three(it.p50)}, p95 {_three(it.p95)}, p99 {_three(it.p99)}, "
    told += f"max {_three(it.most)} ms over {verdict.sends - verdict.left_out} sends"
    if verdict.left_out:
        told += f"; {verdict.left_out} more left out, in which the server itself was interrupted"
    return told


def _reads(verdict: Verdict) -> str:
    share = verdict.merged_share
    if share is None:
        return "not measured"
    if not share:
        return "none brought several messages that had been sent apart"
    return f"up to {_three(100 * share)} % brought several messages that had been sent apart"


def _screen(drawings: Sequence[Drawing]) -> str:
    if not drawings:
        return "not drawn: a program can't open a terminal here, so `toklane run` was measured"
    it = together(drawings)
    cost = f", {_three(it.frame_ms)} ms of processor each" if it.frame_ms is not None else ""
    told = f"{_three(it.per_s)} frames a second into a terminal of its own, {COLUMNS} × {ROWS}{cost}"
    size = f", {it.frame_bytes / 1e3:.2g} kB" if it.frame_bytes is not None else ""
    return f"{told}{size}; how fast a terminal takes them moves no stamp, as the hanging one shows"


class Together:
    """What all monitors drew."""

    def __init__(self, drawings: Sequence[Drawing]) -> None:
        self.frames = sum(it.frames for it in drawings)
        seconds = sum(it.seconds for it in drawings)
        spent = [it.cpu_s for it in drawings if it.cpu_s is not None]
        self.per_s = self.frames / seconds if seconds else None
        whole = self.frames and len(spent) == len(drawings)
        self.frame_ms = 1e3 * sum(spent) / self.frames if whole else None
        self.frame_bytes = sum(it.size_bytes for it in drawings) / self.frames if self.frames else None


def together(drawings: Sequence[Drawing]) -> Together:
    """Of at least one monitor."""
    return Together(drawings)


def _three(value: float | None) -> str:
    if value is None:
        return ABSENT
    if 0 < value < 0.001:
        return "<0.001"
    return f"{value:.0f}" if value >= 100 else f"{value:.2g}" if value < 1 else f"{value:.3g}"


def result_object(
    verdict: Verdict, told: Sequence[Figures], drawings: Sequence[Drawing]
) -> dict[str, object]:
    """Every key always there, null where nothing was measured; nothing rounded."""
    drawn = together(drawings) if drawings else None
    return {
        "format": FORMAT,
        "trusted": verdict.trusted,
        "reasons": list(verdict.reasons),
        "ttft_error_ms": verdict.ttft_ms,
        "rate_error_pct": verdict.rate_pct,
        "gap_error_pct": verdict.gap_pct,
        "queue_error_ms": verdict.queue_ms,
        "stamp_error_ms": _spread(verdict.stamp),
        "stamps": verdict.stamps,
        "merged_share": verdict.merged_share,
        "sends": verdict.sends,
        "sends_left_out": verdict.left_out,
        "frame": {
            "cpu_ms": drawn.frame_ms if drawn else None,
            "bytes": drawn.frame_bytes if drawn else None,
            "per_s": drawn.per_s if drawn else None,
        },
        "shapes": {it.turn.key: _shape(it) for it in told},
    }


def _shape(told: Figures) -> dict[str, object]:
    return {
        "what": f"{told.turn.dialect}: {told.turn.what}",
        "ttft_error_ms": told.ttft_ms,
        "rate_error_pct": told.rate_pct,
        "gap_error_pct": told.gap_pct,
        "queue_error_ms": told.queue_ms,
        "stamp_error_ms": _spread(told.stamp),
        "stamps": told.stamps,
        "merged_share": told.merged_share,
        "problem": told.problem or None,
    }


def _spread(it: Spread | None) -> dict[str, float | None]:
    if it is None:
        return dict.fromkeys(("p50", "p95", "p99", "max"))
    return {"p50": it.p50, "p95": it.p95, "p99": it.p99, "max": it.most}
