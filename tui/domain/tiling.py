"""How the time of one request is tiled with phases, without overlap and without a guess."""

from __future__ import annotations

from dataclasses import replace

from tui.domain.phases import Facts, Phase, told, within
from tui.domain.values import Provenance
from tui.domain.waits import wait

_S = 1_000_000_000
_LATE_NS = 20_000_000  # so much later than the first token the last event may let decode begin


def split(facts: Facts) -> tuple[Phase, ...]:
    """The phases of the request, in order, touching each other; zero-length ones are left out.

    From `sent` on they tile the time up to `end_ns` (or now). Engine durations are kept exactly and anchored
    at the last token; what is left over goes to the wait before and to `finish` behind.
    """
    phases: list[Phase] = []
    if facts.connecting_ns is not None:
        phases.append(_connect(facts))
    if not facts.sent:
        return tuple(p for p in phases if p.duration_ns > 0 or p.running)
    end = max(0, facts.end_ns if facts.end_ns is not None else facts.now_ns)
    sent_all = min(max(0, facts.sent_all_ns or 0), end)
    if sent_all > 0:
        phases.append(Phase("send", 0, sent_all, Provenance.OBSERVED, "bytes given to the kernel"))
    prefill, decode = _work(facts, sent_all, end)
    work = prefill or decode
    wait_end = work.start_ns if work else end
    waiting = facts.first_ns is None and prefill is None and not facts.over
    phases += wait(facts, sent_all, wait_end, waiting)
    worked = ((prefill, facts.prompt_ns), (decode, facts.predicted_ns))
    phases += [_fitting(phase, told_ns) for phase, told_ns in worked if phase is not None]
    at = phases[-1].end_ns if phases else 0
    if at < end and work and facts.cut:
        phases.append(Phase("unattributed", at, end, Provenance.DERIVED, "until the reply broke off"))
    elif at < end and work:
        phases.append(Phase("finish", at, end, Provenance.OBSERVED, "last token to the end of the body"))
    return tuple(p for p in phases if p.duration_ns > 0 or p.running or p.provenance is Provenance.ESTIMATED)


def _connect(facts: Facts) -> Phase:
    start = facts.connecting_ns or 0
    if facts.connected_ns is None and not facts.sent:
        return Phase("connect", start, max(start, facts.now_ns), Provenance.OBSERVED, "not yet", True)
    if facts.connected_ns is None:  # a damaged recording; it came before "sent"
        return Phase("connect", min(0, start), 0, Provenance.OBSERVED, "when it stood was not told")
    if not facts.sent:
        return Phase(
            "connect",
            start,
            max(start, facts.now_ns),
            Provenance.OBSERVED,
            "handshake, then about to send",
            True,
        )
    # its length is what was seen; it is set directly before "sent", so that the phases touch
    how = "TCP (and TLS) handshake" + (", done before the request was sent" if facts.warm else "")
    return Phase("connect", min(0, start - facts.connected_ns), 0, Provenance.OBSERVED, how)


def _work(facts: Facts, floor: int, end: int) -> tuple[Phase | None, Phase | None]:
    """Prefill and decode, as far as they can be told, inside [floor, end]."""
    decode = _decode(facts, floor, end)
    border = decode.start_ns if decode else facts.first_ns
    if border is None and facts.over:
        border = facts.anchor_ns  # an answer without a single token
    if facts.prompt_ns is not None and border is not None:
        # where the engine's clock says more than ours saw: keep its duration, move the border
        start = within(border - facts.prompt_ns, floor, end)
        stop = min(start + facts.prompt_ns, end)
        prefill = Phase("prefill", start, stop, *told(facts, "prefill", "prompt time"))
        return prefill, _moved(decode, stop, end)
    if facts.prefill_from_ns is None:
        return None, decode
    if border is None:
        start = within(facts.prefill_from_ns, floor, end)
        return Phase("prefill", start, end, Provenance.OBSERVED, facts.prefill_by, not facts.over), None
    stop = within(border, floor, end)
    start = within(facts.prefill_from_ns, floor, stop)
    return Phase("prefill", start, stop, Provenance.OBSERVED, facts.prefill_by), _moved(decode, stop, end)


def _fitting(phase: Phase, told_ns: int | None) -> Phase:
    """What of an engine's duration the time seen has no room for is said, and not passed off as its word."""
    if told_ns is None or phase.provenance is Provenance.OBSERVED or phase.duration_ns >= told_ns:
        return phase
    source = f"{phase.source}: so much of its {told_ns / _S:.3f} s fits into the time seen"
    return replace(phase, provenance=Provenance.DERIVED, source=source)


def _moved(decode: Phase | None, start: int, end: int) -> Phase | None:
    """Decode beginning at `start`, its length kept as far as it ends by `end`."""
    if decode is None or decode.start_ns == start:
        return decode
    stop = end if decode.running else min(start + decode.duration_ns, end)
    return replace(decode, start_ns=start, end_ns=stop)


def _decode(facts: Facts, floor: int, end: int) -> Phase | None:
    if facts.first_ns is None or facts.last_ns is None:
        return None
    running = not facts.over
    first = within(facts.first_ns, floor, end)
    if facts.predicted_ns is not None and facts.anchor_ns is not None:
        stop = within(facts.anchor_ns, floor, end)
        start = max(floor, stop - facts.predicted_ns)
        sure, source = told(facts, "decode", "time from first to last token")
        if running or facts.cut:
            return Phase("decode", start, end, Provenance.OBSERVED, source, running)
        # nothing is seen before it was written: then the event that told of it came late
        if start > first + _LATE_NS:
            start, stop = first, min(first + facts.predicted_ns, end)
        if start != first or stop >= facts.last_ns:
            return Phase("decode", start, stop, sure, source)
    # silence before a break belongs to the answer that did not go on
    stop = end if running or facts.cut else within(facts.last_ns, first, end)
    return Phase("decode", first, stop, Provenance.OBSERVED, "first to last token at the socket", running)
