"""What limits a phase, in one line with its evidence: the first rule that fits, or "unclear"."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tui.domain.cost import PhaseCost
from tui.domain.evidence import Evidence, Verdict
from tui.domain.memory_words import LIMITS, Word
from tui.domain.moments import Moment
from tui.domain.sizes import per_s
from tui.domain.values import Provenance


@dataclass(frozen=True, slots=True)
class Bounds:
    """The thresholds of the verdict; choices of this program."""

    gpu_idle_pct: float = 30.0
    cpu_share: float = 0.80  # of the server's threads
    bus_bytes_s: float = 1e9
    bandwidth_pct: float = 60.0
    flops_pct: float = 40.0
    full_pct: float = 95.0  # use, and power of its limit
    heat_share: float = 0.20  # of the phase
    thread_pct: float = 95.0
    host_gpu_pct: float = 80.0
    turn_pct: float = 15.0  # how far from 1/n the use of GPUs that take turns may be


BOUNDS = Bounds()


def verdict(known: Evidence) -> Verdict:
    """The first rule that fits; prefill and decode get one each, they usually differ."""
    return next(found for rule in _RULES if (found := rule(known)) is not None)


def _remote(known: Evidence) -> Verdict | None:
    return Verdict("no verdict", "server is on another machine") if known.remote else None


def _trouble(known: Evidence, word: Word) -> Moment | None:
    return next((one for one in known.troubles if one.word == word.value), None)


def _killed(known: Evidence) -> Verdict | None:
    trouble = _trouble(known, Word.OOM_KILLED)
    return Verdict("OOM-killed", trouble.why, "crit") if trouble else None


def _disk(known: Evidence) -> Verdict | None:
    rate = known.cost.read_bytes_s
    trouble = _trouble(known, Word.PAGING)
    if trouble is not None:
        told = f"{per_s(rate)} from disk" if rate and rate >= LIMITS.paging_bytes_s else trouble.why
        return Verdict("disk-bound", f"{told} during decode, model does not stay in RAM", "crit")
    if not known.decode and rate is not None and rate >= LIMITS.paging_bytes_s:
        return Verdict("disk-bound", f"{per_s(rate)} from disk while the prompt was read", "warn")
    return None


def _swap(known: Evidence) -> Verdict | None:
    trouble = _trouble(known, Word.SWAPPING)
    if trouble is None:
        return None
    rate = known.cost.swap_in_bytes_s
    told = f"{per_s(rate)} from swap" if rate and rate >= LIMITS.swap_in_bytes_s else trouble.why
    return Verdict("swapping", f"{told} during {known.cost.name}", "crit")


def _hardware(known: Evidence) -> Verdict | None:
    slow = known.cost.throttle
    if slow is None or slow.level != "crit":
        return None
    word = "power brake" if slow.word.startswith("power brake") else "slowed by heat"
    return Verdict(word, _slowed(known.cost), "crit")


def _slowed(cost: PhaseCost) -> str:
    word = cost.throttle.word if cost.throttle else ""
    about = "" if cost.throttle_counted else "~ "
    told = f"{word} {about}{100 * (cost.throttle_share or 0):.0f} % of {cost.name}"
    if cost.sm_mhz and cost.sm_max_mhz:
        told += f", {cost.sm_mhz:.0f} of {cost.sm_max_mhz:.0f} MHz"
    return told


def _processor(known: Evidence) -> Verdict | None:
    cost = known.cost
    idle = not known.gpu_read or (
        cost.gpu_pct is not None and not cost.gpu_at_least and cost.gpu_pct < BOUNDS.gpu_idle_pct
    )
    share = _cpu_share(known)
    busy = share is not None and share >= BOUNDS.cpu_share
    alone = not known.gpu_read and cost.thread_pct is not None and cost.thread_pct >= BOUNDS.thread_pct
    if not idle or not (busy or alone):
        return None
    if known.offload:
        return Verdict("offload", known.offload, "warn")
    if busy:
        told = _of_threads(cost.server_cpu_pct, known.threads)
    else:
        told = f"its busiest thread {cost.thread_pct:.0f} % of a core"
    gpu = f"GPU {cost.gpu_pct:.0f} %" if known.gpu_read and cost.gpu_pct is not None else "no GPU read"
    return Verdict("CPU-bound", f"{told}, {gpu}", "warn" if known.gpu_read else "info")


def _of_threads(pct: float | None, threads: int | None) -> str:
    """In percent of one core, as in the rows of the phases: `80 % of 2 threads` would read as 1.6 of them."""
    return f"CPU {pct or 0:.0f} % on {threads} thread{'s' * (threads != 1)}"


def _cpu_share(known: Evidence) -> float | None:
    if known.cost.server_cpu_pct is None or not known.threads:
        return None
    return known.cost.server_cpu_pct / (100 * known.threads)


def _bus(known: Evidence) -> Verdict | None:
    rate = known.cost.pcie_rx_bytes_s
    if not known.decode or rate is None or rate <= BOUNDS.bus_bytes_s:
        return None
    return Verdict("bus-bound", f"weights cross PCIe, {per_s(rate)} to the GPU during decode", "warn")


def _bandwidth(known: Evidence) -> Verdict | None:
    pct = known.bandwidth_pct.number
    if not known.decode or pct is None or pct < BOUNDS.bandwidth_pct:
        return None
    return Verdict("bandwidth-bound", _of_bandwidth(known))


def _of_bandwidth(known: Evidence) -> str:
    pct = known.bandwidth_pct
    if pct.number is None:
        return ""
    if pct.provenance is Provenance.MEASURED:
        return f"{pct.number:.0f} % of the memory bandwidth, measured"
    if known.bandwidth.number is None or known.peak_gb_s is None:
        return f"≈ {pct.number:.0f} % of the memory bandwidth"
    return f"≈ {known.bandwidth.number:.0f} of {known.peak_gb_s:.0f} GB/s = {pct.number:.0f} %"


def _power_share(cost: PhaseCost) -> float | None:
    if cost.power_w is None or not cost.power_limit_w:
        return None
    return 100 * cost.power_w / cost.power_limit_w


def _compute(known: Evidence) -> Verdict | None:
    if known.decode:
        return None
    pct = known.flops_pct.number
    if pct is not None and pct >= BOUNDS.flops_pct:
        return Verdict("compute-bound", f"≈ {pct:.0f} % of the arithmetic peak")
    use, power = known.cost.gpu_pct, _power_share(known.cost)
    full = use is not None and use >= BOUNDS.full_pct
    if full and power is not None and power >= BOUNDS.full_pct:
        least = "≥ " if known.cost.gpu_at_least else ""
        return Verdict("compute-bound", f"GPU {least}{use:.0f} %, power {power:.0f} % of its limit")
    return None


def _heat(known: Evidence) -> Verdict | None:
    slow, share = known.cost.throttle, known.cost.throttle_share
    if slow is None or slow.word != "hot" or share is None or share < BOUNDS.heat_share:
        return None
    return Verdict("slowed by heat", _slowed(known.cost), "warn")


def _host(known: Evidence) -> Verdict | None:
    cost = known.cost
    if not known.gpu_read or cost.gpu_pct is None or cost.gpu_at_least or cost.thread_pct is None:
        return None
    if cost.thread_pct < BOUNDS.thread_pct or cost.gpu_pct >= BOUNDS.host_gpu_pct:
        return None
    told = f"one thread {cost.thread_pct:.0f} % of a core, GPU {cost.gpu_pct:.0f} %"
    return Verdict("host-bound", told, "warn")


def turns(each: tuple[float, ...]) -> bool:
    """Whether several GPUs work one after the other: each busy for about 1/n of the time."""
    return len(each) > 1 and all(abs(pct - 100 / len(each)) <= BOUNDS.turn_pct for pct in each)


def _turns(known: Evidence) -> Verdict | None:
    each = known.cost.gpu_each
    if not turns(each):
        return None
    told = " and ".join(f"{pct:.0f} %" for pct in each)
    return Verdict("GPUs take turns", f"{told}; each about 1/{len(each)} is normal at batch 1")


def _unclear(known: Evidence) -> Verdict:
    """The two numbers that come closest to a threshold."""
    cost, share, power = known.cost, _cpu_share(known), _power_share(known.cost)
    least = "≥ " if cost.gpu_at_least else ""
    said = [
        (known.bandwidth_pct.number, BOUNDS.bandwidth_pct, _of_bandwidth(known) if known.decode else ""),
        (
            known.flops_pct.number,
            BOUNDS.flops_pct,
            f"≈ {known.flops_pct.number or 0:.0f} % of the arithmetic peak",
        ),
        (cost.gpu_pct, BOUNDS.full_pct, f"GPU {least}{cost.gpu_pct or 0:.0f} %"),
        (power, BOUNDS.full_pct, f"power {power or 0:.0f} % of its limit"),
        (share, BOUNDS.cpu_share, _of_threads(cost.server_cpu_pct, known.threads)),
        (cost.pcie_rx_bytes_s, BOUNDS.bus_bytes_s, f"PCIe {per_s(cost.pcie_rx_bytes_s or 0)}"),
        (cost.read_bytes_s, LIMITS.paging_bytes_s, f"{per_s(cost.read_bytes_s or 0)} from disk"),
        (cost.cpu_pct, 1e6, f"CPU of all programs {cost.cpu_pct or 0:.0f} %"),
    ]
    told = [(value / limit, text) for value, limit, text in said if value is not None and text]
    best = sorted(told, key=lambda one: -one[0])[:2]
    return Verdict("unclear", ", ".join(text for _, text in best) or "nothing could be read in this phase")


_RULES: tuple[Callable[[Evidence], Verdict | None], ...] = (
    _remote, _killed, _disk, _swap, _hardware, _processor, _bus, _bandwidth, _compute, _heat, _host, _turns,
    _unclear,
)  # fmt: skip
