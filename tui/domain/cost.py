"""What one phase cost the machine: CPU, GPU, memory, disk, bus, stall and energy between its two edges.

A counter's growth is told when a reading lies near both edges (a tenth of the phase); the value at an edge is
interpolated between its neighbours. A gauge counts by the windows that lie inside. What can't be told is
None.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tui.domain.band import Span, dram, mean_mhz, power, use
from tui.domain.boards import Board
from tui.domain.columns import Columns
from tui.domain.energy import energy
from tui.domain.gpu_use import WINDOW_NS
from tui.domain.machine import Reading
from tui.domain.series import around
from tui.domain.slowed import slowed
from tui.domain.stretch import AROUND_NS, Stretch, ram_used, vram_used
from tui.domain.throttle import Throttle


@dataclass(frozen=True, slots=True)
class PhaseCost:
    """The cost of one phase.

    `cpu_pct`: whole machine, 100 = one core; `server_cpu_pct`: the server alone; `thread_pct`: its busiest
    thread. `gpu_pct`: mean of the server's GPUs between `gpu_min_pct` and `gpu_max_pct`, or with
    `gpu_at_least` the highest value seen (the phase was shorter than two windows of the driver,
    `gpu_window_ns`); `gpu_why`: why there is none. `gpu_each`: the mean of each of several GPUs. `energy_j`:
    GPU boards only, with `energy_about` when its error may be large. `throttle_share`: 0 to 1 of the phase,
    with `throttle_counted` by the driver's counters of time. Deltas of memory may be negative.
    """

    name: str
    span_ns: int = 0
    cpu_pct: float | None = None
    server_cpu_pct: float | None = None
    thread_pct: float | None = None
    gpu_pct: float | None = None
    gpu_min_pct: float | None = None
    gpu_max_pct: float | None = None
    gpu_at_least: bool = False
    gpu_window_ns: int = WINDOW_NS
    gpu_why: str = ""
    gpu_each: tuple[float, ...] = ()
    power_w: float | None = None
    power_limit_w: float | None = None
    dram_pct: float | None = None
    sm_mhz: float | None = None
    sm_max_mhz: float | None = None
    throttle: Throttle | None = None
    throttle_share: float | None = None
    throttle_counted: bool = False
    pcie_rx_bytes_s: float | None = None
    pcie_tx_bytes_s: float | None = None
    vram_delta_bytes: int | None = None
    mem_delta_bytes: int | None = None
    rss_delta_bytes: int | None = None
    read_bytes: int | None = None
    read_bytes_s: float | None = None
    disk_read_bytes_s: float | None = None
    swap_in_bytes_s: float | None = None
    refault_bytes_s: float | None = None
    major_faults: int | None = None
    stall_ms: float | None = None
    io_stall_ms: float | None = None
    energy_j: float | None = None
    energy_about: bool = False


def phase_cost(name: str, start_ns: int, end_ns: int, readings: Sequence[Reading]) -> PhaseCost:
    """The cost of a phase from `start_ns` to `end_ns`; `readings` in time order, in the same clock."""
    return cost_of(name, start_ns, end_ns, Columns(around(start_ns, end_ns, AROUND_NS, readings)))


def cost_of(name: str, start_ns: int, end_ns: int, columns: Columns) -> PhaseCost:
    """The same from readings that were taken apart before."""
    told = Stretch(start_ns, end_ns, columns)
    if not told.there:
        return PhaseCost(name, max(end_ns - start_ns, 0))
    cost = PhaseCost(
        name=name,
        span_ns=end_ns - start_ns,
        cpu_pct=told.cpu_pct(),
        server_cpu_pct=told.server_cpu_pct(),
        thread_pct=told.thread_pct(),
        mem_delta_bytes=told.change(ram_used),
        rss_delta_bytes=told.server_change("rss_bytes"),
        read_bytes=told.fetched(),
        read_bytes_s=told.fetched_per_s(),
        disk_read_bytes_s=told.system_per_s("disk_read_bytes"),
        swap_in_bytes_s=told.system_per_s("swap_in_bytes"),
        refault_bytes_s=told.system_per_s("refault_file_bytes"),
        major_faults=told.server_growth("major_faults"),
        stall_ms=told.stalled_ms("stall_some_us"),
        io_stall_ms=told.stalled_ms("io_stall_some_us"),
    )
    return _with_gpus(cost, told, columns) if any(r.gpus for r in told.near) else cost


def _with_gpus(cost: PhaseCost, told: Stretch, columns: Columns) -> PhaseCost:
    span, boards = told.span, told.boards()
    used = use(span, columns)
    slow = slowed(span, columns, boards)
    energy_j, about = _energy(span, boards)
    return replace(
        cost,
        gpu_pct=used.mean,
        gpu_min_pct=used.least,
        gpu_max_pct=used.most,
        gpu_at_least=used.at_least,
        gpu_window_ns=used.window_ns,
        gpu_why=used.why,
        gpu_each=told.each_gpu(used),
        power_w=power(span, columns, len(boards)) if len(boards) < 2 or told.all_answer() else None,
        power_limit_w=told.limit_w(),
        dram_pct=dram(span, columns),
        sm_mhz=mean_mhz(span, columns, "sm_mhz"),
        sm_max_mhz=mean_mhz(span, columns, "sm_max_mhz"),
        throttle=slow.throttle if slow else None,
        throttle_share=slow.share if slow else None,
        throttle_counted=slow is not None and slow.counted,
        pcie_rx_bytes_s=told.bus_per_s("pcie_rx_bytes"),
        pcie_tx_bytes_s=told.bus_per_s("pcie_tx_bytes"),
        vram_delta_bytes=told.change(vram_used),
        energy_j=energy_j,
        energy_about=about,
    )


def _energy(span: Span, boards: Sequence[Board]) -> tuple[float | None, bool]:
    """Joules of the working GPUs, and whether they are only about right."""
    each = [energy(span, board) for board in boards]
    known = [one for one in each if one is not None]
    if not known or len(known) < len(each):
        return None, False
    return sum(joules for joules, _ in known), any(about for _, about in known)
