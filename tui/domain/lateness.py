"""Whether our own reading was the bottleneck: how late it was, measured against the gaps."""

from __future__ import annotations

from tui.domain.arrivals import Arrivals
from tui.domain.state import Instrument

_LEAST = 20  # reads: before that one late read is a hundredth of nothing
_FLOOR_NS = 1_000_000
_PART = 0.5  # of the mean gap
_MERGED = 0.1  # of the reads
UNTOLD = "the system does not stamp what arrives, so nobody knows how long it lay there"


def lateness(own: Instrument, arrivals: Arrivals) -> tuple[bool | None, str]:
    """(whether this machine read late, the evidence); None where it can't be told.

    Late is a reader of whose delays one in a hundred is half a mean gap and 1 ms or more; or one that
    merged a tenth of its reads while one in twenty of its delays was half a mean gap. What comes in lumps
    from the engine is merged too, but read at once.
    """
    reads = len(arrivals)
    if reads < _LEAST or not own.timed:
        return None, ""
    if 2 * own.kernel < own.reads:
        return None, UNTOLD
    gap_ns = (arrivals.at[-1] - arrivals.at[0]) / (reads - 1)
    p95, p99 = own.delay_ns.percentile(0.95) or 0, own.delay_ns.percentile(0.99) or 0
    merged = own.merged / reads
    if p99 >= max(_FLOOR_NS, _PART * gap_ns):
        delay = f"1 read in 100 lay {_ms(p99)} or longer before we took it"
    elif merged >= _MERGED and p95 >= _PART * gap_ns:
        delay = f"1 read in 20 lay {_ms(p95)} or longer before we took it"
    else:
        return False, ""
    return True, f"{delay}; {_ms(gap_ns)} between reads, {100 * merged:.2g} % with several messages"


def _ms(ns: float) -> str:
    return f"{ns / 1e6:.2g} ms" if ns < 100e6 else f"{ns / 1e6:.0f} ms"
