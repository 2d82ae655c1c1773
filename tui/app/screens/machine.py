"""The numbers of the machine that can be explained, each with its definition and its latest value."""

from __future__ import annotations

from tui.app.screens.evidence import Number
from tui.domain.cost import phase_cost
from tui.domain.flow import Flow
from tui.domain.machine import Gpu, Reading
from tui.domain.pressure import Pressure, Word
from tui.domain.values import Provenance, Value, absent
from tui.domain.view import View
from tui.plot.numbers import percent, size, size_of, throughput
from tui.settings.definitions import BY_NAME

_HERE = "not readable on this machine"
_TWICE = "it takes two readings, and there are none that can be compared"
_GHZ = 1000


def machine(pressure: Pressure, view: View, unread: str) -> tuple[Number, ...]:
    """In the order of the definitions. `unread`: why there is no reading, where there is none."""
    now = pressure.latest
    if now is None:
        names = [name for name, definition in BY_NAME.items() if definition.group == BY_NAME["ram"].group]
        return tuple(Number(BY_NAME[name], absent("", unread)) for name in names)
    flow = pressure.flow or Flow(now.at_ns, 0)
    numbers = [
        _ram(now),
        _told(
            "memory_state",
            list(Word).index(pressure.word),
            pressure.word.value,
            pressure.why or "the worst that holds now",
        ),
        _flowed("memory_stall", flow.stall_some_pct, "stall_some_us", now),
        _flowed("swap", flow.swap_in_bytes_s, "swap_in_bytes", now),
        _flowed("disk", flow.disk_read_bytes_s, "disk_read_bytes", now),
        _server(now),
        _cores(now, flow),
        _told("clock", now.cpu_mhz, f"{(now.cpu_mhz or 0) / _GHZ:.1f} GHz", "now"),
        _phase_cpu(view),
    ]
    return (*numbers, *_graphics(now))


def _told(name: str, number: float | None, shown: str, note: str, why: str = _HERE) -> Number:
    if number is None:
        return Number(BY_NAME[name], absent("", why))
    return Number(BY_NAME[name], Value(number, "", Provenance.MEASURED, note), shown)


def _ram(now: Reading) -> Number:
    total, free = now.ram_total_bytes, now.ram_available_bytes
    if total is None or free is None:
        return _told("ram", None, "", "")
    told = size_of(total - free, total)
    return _told("ram", total - free, f"{told.number} {told.unit}", f"{size(free)} are available")


def _flowed(name: str, per_s: float | None, counter: str, now: Reading) -> Number:
    """A counter's growth; a counter that is not there says why, one that is has not been read twice yet."""
    why = _TWICE if getattr(now, counter) is not None else now.absent.get(counter, _HERE)
    shown = f"{per_s or 0:.1f} %" if name == "memory_stall" else throughput(per_s or 0)
    return _told(name, per_s, shown, "over the last half second", why)


def _server(now: Reading) -> Number:
    server = now.server
    if server is None or server.rss_bytes is None:
        return _told("server", None, "", "", now.server_reason or _HERE)
    note = f"process {server.pid}, {server.name}" + (f", {server.note}" if server.note else "")
    return _told("server", server.rss_bytes, size(server.rss_bytes), note)


def _cores(now: Reading, flow: Flow) -> Number:
    busy = flow.cpu_busy_cores
    return _told("cores", busy, f"{busy or 0:.2f} of {now.cpu_cores}", "over the last half second", _TWICE)


def _phase_cpu(view: View) -> Number:
    phase = view.phase("decode") or view.phase("prefill")
    if phase is None:
        return _told("phase_cpu", None, "", "", "nothing was read or written yet")
    cost = phase_cost(phase.name, phase.start_ns, phase.end_ns, view.samples)
    why = f"{phase.name} was too short for the counters, or no reading lies near its edges"
    return _told("phase_cpu", cost.cpu_pct, percent(cost.cpu_pct or 0), f"of {phase.name}", why)


def _graphics(now: Reading) -> tuple[Number, ...]:
    why = now.gpu_reason or _HERE
    gpu = max(now.gpus, key=lambda gpu: gpu.util_pct or 0.0, default=Gpu())
    of = f"of {gpu.name}"
    limit = f" of {gpu.power_limit_w:.0f} W" if gpu.power_limit_w else ""
    used, total = gpu.mem_used_bytes, gpu.mem_total_bytes
    return (
        _told("gpu_use", gpu.util_pct, percent(gpu.util_pct or 0), of, why),
        _told("gpu_power", gpu.power_w, f"{gpu.power_w or 0:.0f} W{limit}", of, why),
        _told("vram", used, size(used or 0) + (f" of {size(total)}" if total else ""), of, why),
    )
