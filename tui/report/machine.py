"""The machine part of the run object: what the run cost this computer, with peak and change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

from tui.domain.cost import phase_cost
from tui.domain.flow import GAP_NS, SECOND_NS, grown
from tui.domain.gpu_use import identity
from tui.domain.insight import insight
from tui.domain.machine import Gpu, Reading
from tui.domain.memory_words import LIMITS
from tui.domain.values import Provenance
from tui.domain.view import View
from tui.report.judged import cost_object, judged

Pick = Callable[[Reading], float | None]
_MEASURED, _ESTIMATED = Provenance.MEASURED.value, Provenance.ESTIMATED.value
_NOBODY = "no machine sample was taken"
_NOT_TOLD = "not told here"
_OF_RESOURCE = {
    "memory": "ram_available_bytes",
    "swap": "swap_in_bytes",
    "stall": "stall_some_us",
    "disk": "disk_read_bytes",
    "cpu": "cpu_busy_s",
}


def machine_object(view: View) -> dict[str, object]:
    """Host facts, an object per resource (null with its reason when not readable), the cost of each phase."""
    readings = view.samples
    gpus = _gpus(readings)
    server = _server(readings)
    last = readings[-1] if readings else None
    resources = {
        "memory": _gauge(readings, "used_bytes", _used, total_bytes=last and last.ram_total_bytes),
        "swap": _counter(
            readings, {"in_bytes": _pick("swap_in_bytes"), "out_bytes": _pick("swap_out_bytes")}
        ),
        "stall": _counter(readings, {"some_us": _pick("stall_some_us"), "full_us": _pick("stall_full_us")}),
        "disk": _counter(readings, {"read_bytes": _pick("disk_read_bytes")}),
        "cpu": _counter(readings, {"busy_s": _pick("cpu_busy_s")}, cores=last and last.cpu_cores),
    }
    return {
        "host": _host(readings),
        **resources,
        **{f"{name}_reason": _why(last, name) for name, told in resources.items() if told is None},
        "gpu": gpus,
        "gpu_reason": None if gpus else (last.gpu_reason if last else _NOBODY),
        "server": server,
        "server_reason": None if server else (last.server_reason if last else _NOBODY),
        "phases": [_cost(view, i) for i in range(len(view.phases))],
        **judged(insight(view)),
    }


def _why(last: Reading | None, resource: str) -> str:
    """Why a resource has no figures."""
    return last.absent.get(_OF_RESOURCE[resource], _NOT_TOLD) if last else _NOBODY


def _pick(field: str) -> Pick:
    return lambda reading: getattr(reading, field)


def _used(reading: Reading) -> float | None:
    if reading.ram_total_bytes is None or reading.ram_available_bytes is None:
        return None
    return reading.ram_total_bytes - reading.ram_available_bytes


def _host(readings: Sequence[Reading]) -> dict[str, str] | None:
    return next((dict(r.host) for r in readings if r.host), None)


def _span(readings: Sequence[Reading], pick: Pick) -> tuple[list[float], float | None]:
    """(all values read, last minus first)."""
    values = [v for v in map(pick, readings) if v is not None]
    return values, (values[-1] - values[0] if len(values) > 1 else None)


def _growth(readings: Sequence[Reading], pick: Pick) -> float | None:
    """Growth of a counter over the run; None when it began anew (another driver, another process)."""
    values = [v for v in map(pick, readings) if v is not None]
    steps = [grown(a, b) for a, b in pairwise(values)]
    return None if not steps or None in steps else values[-1] - values[0]


def _gauge(
    readings: Sequence[Reading], name: str, pick: Pick, source: str = _MEASURED, **more: object
) -> dict[str, object] | None:
    values, change = _span(readings, pick)
    if not values:
        return None
    figures: dict[str, object] = {name: values[-1], "peak": max(values), "change": change}
    return figures | more | {"provenance": source}


def _counter(readings: Sequence[Reading], picks: dict[str, Pick], **more: object) -> dict[str, object] | None:
    """Counters: only their growth over the run means anything; peak is the steepest rate per second."""
    found: dict[str, object] = {}
    for name, pick in picks.items():
        change = _growth(readings, pick)
        if change is not None:
            found[name] = {"change": change, "peak_per_s": _steepest(readings, pick)}
    return found | more | {"provenance": _MEASURED} if found else None


def _steepest(readings: Sequence[Reading], pick: Pick) -> float | None:
    """The steepest growth per second over half a second at least: counters move in steps, and two readings
    at the edge of a phase may be a millisecond apart. None where no two are far enough apart."""
    known = [(reading.at_ns, value) for reading in readings if (value := pick(reading)) is not None]
    rates: list[float] = []
    first = 0
    for at_ns, value in known:
        while first + 1 < len(known) and at_ns - known[first + 1][0] >= LIMITS.window_ns:
            first += 1
        span_ns = at_ns - known[first][0]
        if LIMITS.window_ns <= span_ns <= GAP_NS:
            rates.append((value - known[first][1]) * SECOND_NS / span_ns)
    return max(rates, default=None)


def _gpus(readings: Sequence[Reading]) -> list[dict[str, object]] | None:
    """Each GPU along the readings: their order changes when a driver is opened anew."""
    seen: dict[str, list[Gpu]] = {}
    for reading in readings:
        for n, gpu in enumerate(reading.gpus):
            seen.setdefault(identity(n, gpu), []).append(gpu)
    return [_gpu(one) for one in seen.values()] or None


def _gpu(seen: Sequence[Gpu]) -> dict[str, object]:
    """One GPU; what it told after its driver fell silent are old values, and not looked at."""
    last = seen[-1]
    readings = [Reading(0, gpus=(gpu,)) for gpu in seen if not gpu.reason]
    reckoned = _ESTIMATED if last.modelled else _MEASURED

    def pick(field: str) -> Pick:
        return lambda reading: getattr(reading.gpus[0], field)

    energy_mj = _growth(readings, pick("energy_mj"))
    gauges = ("util_pct", "mem_used_bytes", "power_w", "temperature_c", "sm_mhz")
    return {
        "name": last.name,
        "uuid": last.uuid,
        "mem_total_bytes": last.mem_total_bytes,
        "power_limit_w": last.power_limit_w,
        "unified": last.unified,
        **{
            field: _gauge(readings, "last", pick(field), reckoned if field == "power_w" else _MEASURED)
            for field in gauges
        },
        "energy_mj": energy_mj,
        "energy_provenance": None if energy_mj is None else reckoned,
        "absent": dict(last.absent),
        "reason": last.reason or None,
        "note": last.note or None,
    }


def _server(readings: Sequence[Reading]) -> dict[str, object] | None:
    every = [r for r in readings if r.server is not None]
    if not every:
        return None
    last = every[-1].server
    assert last is not None
    seen = [r for r in every if r.server is not None and r.server.pid == last.pid]

    def pick(field: str) -> Pick:
        return lambda reading: getattr(reading.server, field)

    rss, change = _span(seen, pick("rss_bytes"))
    return {
        "pid": last.pid,
        "name": last.name,
        "rss_bytes": last.rss_bytes,
        "rss_peak_bytes": max(rss, default=None),
        "rss_change_bytes": change,
        "read_bytes": _growth(seen, pick("read_bytes")),
        "cpu_s": _growth(seen, pick("cpu_s")),
        "provenance": _MEASURED,
    }


def _cost(view: View, index: int) -> dict[str, object]:
    phase = view.phases[index]
    return cost_object(phase_cost(phase.name, phase.start_ns, phase.end_ns, view.samples))
