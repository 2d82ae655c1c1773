"""One request as plain lines: for pipes, logs and terminals without a screen. No control codes, no colour."""

from __future__ import annotations

from tui.domain.rivals import told_rivals
from tui.domain.values import Value
from tui.domain.view import View
from tui.plot.cells import clean
from tui.plot.numbers import duration, rate, share
from tui.report.hatched import unsplit


def summary(view: View) -> str:
    """Phases and figures of a run, a line each, with their marks; the answer is not part of it."""
    total = view.total_ns or 0
    lines = [f"  {'phase':<12} {'time':>9}   {'share':>7}  source"]
    for phase in view.phases:
        part = share(phase.duration_ns, total) if total and phase.start_ns >= 0 else ""
        time = f"{duration(phase.duration_ns):>9} {phase.provenance.mark}"
        lines.append(f"  {phase.name:<12} {time} {part:>7}  {phase.source}")
    lines += [f"  {why}" for why in unsplit(view)]
    lines.append("")
    if view.total_ns is not None:
        lines += [_seconds("whole request", view.since_sent)]
    lines += [_seconds("first token (TTFT)", view.ttft)]
    if view.first_answer.number != view.ttft.number:
        lines += [_seconds("first answer token", view.first_answer)]
    lines += [_rate("prefill, engine", view.prefill), _rate("decode, client", view.decode)]
    lines += [_rate("decode, engine", view.decode_engine), "  " + _tokens(view)]
    if number := told_rivals(view.conditions):
        lines += [f"  {'rivals':<20} {number} ran beside it"]
    lines += [f"  warning: {code}: {clean(text)}" for code, text in sorted(view.warnings.items())]
    if view.clock.late:
        lines += [f"  warning: this machine read late: {view.clock.why}"]
    if view.failure is not None:
        lines += [f"  failed: {clean(view.failure.whole)}"]
        lines += [f"  remedy: {clean(view.failure.remedy)}"] if view.failure.remedy else []
    return "\n".join(lines)


def _seconds(name: str, value: Value) -> str:
    told = duration(round(value.number * 1e9)) if value.number is not None else f"–  {value.note}"
    return f"  {name:<20} {told} {value.provenance.mark if value.known else ''}".rstrip()


def _rate(name: str, value: Value) -> str:
    if value.number is None:
        return f"  {name:<20} –  {value.note}"
    doubt = "" if value.reliable else "  (not reliable)"
    return f"  {name:<20} {rate(value.number)} {value.provenance.mark}  {value.note}{doubt}"


def _tokens(view: View) -> str:
    prompt = "?" if view.prompt_tokens is None else f"{view.prompt_tokens:,}"
    asked = view.conditions.get("prompt_tokens_asked")
    if isinstance(asked, int) and asked != view.prompt_tokens:
        prompt += f" (asked {asked:,})"
    reused = "" if view.cached_tokens is None else f", {view.cached_tokens:,} reused"
    written = "?" if view.tokens is None else f"{view.tokens:,}"
    chunks = f"{view.chunks:,} chunk{'s' * (view.chunks != 1)}"
    return f"{'tokens':<20} prompt {prompt}{reused} · answer {written} in {chunks}"
