"""What flowed between two readings of the machine: counter differences by time."""

from __future__ import annotations

from dataclasses import dataclass

from tui.domain.machine import Reading

SECOND_NS = 1_000_000_000
GAP_NS = 5 * SECOND_NS  # readings further apart: the machine slept, nothing is computed across


@dataclass(frozen=True, slots=True)
class Flow:
    """What flowed between two readings; None where a counter is absent or went backwards (was reset)."""

    at_ns: int
    span_ns: int
    swap_in_bytes_s: float | None = None
    swap_out_bytes_s: float | None = None
    disk_read_bytes_s: float | None = None
    server_read_bytes_s: float | None = None
    refault_bytes_s: float | None = None
    page_read_bytes_s: float | None = None
    pagein_bytes_s: float | None = None  # of the server, macOS
    decompressed_bytes_s: float | None = None
    limit_hits: float | None = None  # how often memory.high held the container up in this time
    stall_some_pct: float | None = None
    stall_full_pct: float | None = None
    group_stall_some_pct: float | None = None  # of the server's control group
    group_stall_full_pct: float | None = None
    io_stall_some_pct: float | None = None
    cpu_busy_cores: float | None = None  # 1.98 of 2 cores
    server_cpu_cores: float | None = None


def grown(before: float | None, after: float | None) -> float | None:
    """The growth of a counter, None when it can't be told."""
    if before is None or after is None or after < before:
        return None
    return after - before


def flow(before: Reading, after: Reading) -> Flow | None:
    """Counter differences by time, None when no time passed or the machine slept in between.

    Stall share = growth of the pressure total by time. Busy cores = share of busy CPU time x cores.
    """
    span_ns = after.at_ns - before.at_ns
    if not 0 < span_ns <= GAP_NS:
        return None

    old, new = before.server, after.server
    if old is None or new is None or old.pid != new.pid:
        old = new = None
    return Flow(
        at_ns=after.at_ns,
        span_ns=span_ns,
        swap_in_bytes_s=_per_s(span_ns, before.swap_in_bytes, after.swap_in_bytes),
        swap_out_bytes_s=_per_s(span_ns, before.swap_out_bytes, after.swap_out_bytes),
        disk_read_bytes_s=_per_s(span_ns, before.disk_read_bytes, after.disk_read_bytes),
        refault_bytes_s=_per_s(span_ns, before.refault_file_bytes, after.refault_file_bytes),
        stall_some_pct=_per_s(span_ns, before.stall_some_us, after.stall_some_us, 1e-4),
        stall_full_pct=_per_s(span_ns, before.stall_full_us, after.stall_full_us, 1e-4),
        page_read_bytes_s=_per_s(span_ns, before.page_read_bytes, after.page_read_bytes),
        decompressed_bytes_s=_per_s(span_ns, before.decompressed_bytes, after.decompressed_bytes),
        limit_hits=grown(before.limit_hits, after.limit_hits),
        group_stall_some_pct=_per_s(span_ns, before.group_stall_some_us, after.group_stall_some_us, 1e-4),
        group_stall_full_pct=_per_s(span_ns, before.group_stall_full_us, after.group_stall_full_us, 1e-4),
        io_stall_some_pct=_per_s(span_ns, before.io_stall_some_us, after.io_stall_some_us, 1e-4),
        cpu_busy_cores=_busy_cores(before, after),
        server_read_bytes_s=_per_s(span_ns, old.read_bytes, new.read_bytes) if old and new else None,
        pagein_bytes_s=_per_s(span_ns, old.pagein_bytes, new.pagein_bytes) if old and new else None,
        server_cpu_cores=_per_s(span_ns, old.cpu_s, new.cpu_s) if old and new else None,
    )


def _per_s(span_ns: int, old: float | None, new: float | None, scale: float = 1.0) -> float | None:
    if old is None or new is None or new < old:
        return None
    return (new - old) * scale * SECOND_NS / span_ns


def _busy_cores(before: Reading, after: Reading) -> float | None:
    busy = grown(before.cpu_busy_s, after.cpu_busy_s)
    total = grown(before.cpu_total_s, after.cpu_total_s)
    if busy is None or not total or not after.cpu_cores:
        return None
    return min(busy / total, 1.0) * after.cpu_cores
