"""Machines for the panels: what each tells while one request of an 8B model runs on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tests.app.scripted import GIB, MS, S, whole
from tests.probes.conftest import Scene
from tui.domain import events as ev
from tui.domain.knobs import Knobs
from tui.domain.machine import Gpu, Reading, Server
from tui.domain.shape import Attention, ModelShape, shape_raw

Make = Callable[[int, float], Reading]
"""A reading from (ns since sent, seconds since the readings began)."""
BEFORE_NS = 2 * S
LLAMA_8B = ModelShape(
    architecture="llama", layers=32, heads=32, head_dim=128, attention=(Attention(32, 8, 128, 128),),
    context=131072, params=8_030_261_312, active_params=8_030_261_312, file_bytes=4_920_734_272,
    weight_bytes=4_625_232_448, experts=0,
)  # fmt: skip
TOLD = {"shape": shape_raw(LLAMA_8B), "context_length": 16384, "slots": 1}
KNOBS = Knobs(prompt_tokens=4096, answer_limit=512)


def script(
    make: Make, prefill_ns: int = 2500 * MS, tokens: int = 512, gap_ns: int = 8 * MS, **told: Any
) -> Callable[[Knobs], list[ev.Event]]:
    """A whole request on that machine, with two seconds of readings before and after it."""

    def events(knobs: Knobs) -> list[ev.Event]:
        request = [
            event for event in whole(knobs, prefill_ns, tokens, gap_ns) if not isinstance(event, ev.Sampled)
        ]
        end_ns = max(event.at_ns for event in request)
        own = [ev.Learned(0, TOLD | told), *readings(make, end_ns + BEFORE_NS)]
        return sorted([*request, *own], key=lambda event: event.at_ns)

    return events


def readings(make: Make, end_ns: int) -> Iterator[ev.Event]:
    for at_ns in range(-BEFORE_NS, end_ns, 100 * MS):
        yield ev.Sampled(at_ns, make(at_ns, (at_ns + BEFORE_NS) / S))


def linux(at_ns: int, t: float, **more: Any) -> Reading:
    """A calm Linux machine of 64 GiB and 16 cores, whose server works from the request on."""
    busy = max(0.0, at_ns / S)
    base = Reading(
        at_ns=at_ns,
        ram_total_bytes=round(62.7 * GIB),
        ram_available_bytes=round(41.2 * GIB),
        swap_total_bytes=8 * GIB,
        swap_used_bytes=round(0.3 * GIB),
        swap_in_bytes=0,
        swap_out_bytes=0,
        stall_some_us=0,
        stall_full_us=0,
        io_stall_some_us=0,
        disk_read_bytes=0,
        cpu_busy_s=1.1 * busy + 0.2 * t,
        cpu_total_s=16 * t,
        cpu_cores=16,
        cpu_mhz=4700.0,
        cpu_max_mhz=5200.0,
        server=Server(
            pid=4242, name="llama-server", rss_bytes=round(1.2 * GIB), rss_anon_bytes=round(0.4 * GIB),
            rss_file_bytes=round(0.8 * GIB), cpu_s=1.02 * busy, read_bytes=0, threads=17, major_faults=0,
            thread_pct=99.0 if at_ns > 0 else 2.0,
        ),
    )  # fmt: skip
    return replace(base, **more)


def nvidia(name: str, from_s: float = 3.0, ram_gib: float = 62.7, **more: Any) -> Make:
    """The NVML scenario of that name; `from_s`: its time when the readings begin."""
    played = Scene(name, ram_bytes=round(ram_gib * GIB))

    def make(at_ns: int, t: float) -> Reading:
        played.until(from_s + t)
        pids = (4242, 312, 313)
        gpus = played.gpus(*pids)
        return linux(at_ns, t, gpus=gpus, gpu_reason="" if gpus else played.reason(), **more)

    return make


def rtx4090(at_ns: int, t: float) -> Reading:
    """One card that is full in prefill and waits for its memory in decode."""
    phase = 0 if at_ns <= 5 * MS else 1 if at_ns < 2510 * MS else 2
    watts = (22.0, 446.0, 312.0)[phase]
    spent = 22 * min(t, 2.0) + 446 * min(max(t - 2, 0), 2.5) + 312 * max(t - 4.5, 0)
    gpu = Gpu(
        name="NVIDIA GeForce RTX 4090",
        uuid="GPU-a",
        util_pct=(1.0, 99.0, 97.0)[phase],
        util_window_ns=S // 6,
        mem_used_bytes=20 * GIB,
        mem_total_bytes=24 * GIB,
        mem_reserved_bytes=460 * 2**20,
        server_bytes=round(18.4 * GIB),
        power_w=watts,
        power_now_w=watts,
        power_limit_w=450.0,
        energy_mj=round(5e8 + 1000 * spent),
        temperature_c=66.0,
        margin_c=18.0,
        sm_mhz=2640.0,
        sm_max_mhz=3105.0,
        throttle_mask=0x4 if phase == 1 else 0,
        pcie_gen=4,
        pcie_width=16,
        other_processes=1,
        other_bytes=GIB,
        fan_pct=41.0,
    )
    return linux(at_ns, t, gpus=(gpu,))


def processor(at_ns: int, t: float) -> Reading:
    """No GPU: two cores, both of them the server's."""
    busy = max(0.0, at_ns / S)
    server = Server(
        7, "llama-server", rss_bytes=327 * 2**20, cpu_s=1.96 * busy, read_bytes=0, threads=2,
        thread_pct=99.0,
    )  # fmt: skip
    return linux(
        at_ns, t, cpu_cores=2, cpu_busy_s=1.98 * busy, cpu_total_s=2 * t, cpu_mhz=2800.0, cpu_max_mhz=4000.0,
        gpu_reason="no GPU used", server=server, host={"memory": "DDR4-3200 x2"},
    )  # fmt: skip


def unified(name: str, ram_gib: float, used_gib: float, gpu_gib: float, budget_gib: float | None) -> Make:
    """A GPU that shares the RAM."""

    def make(at_ns: int, t: float) -> Reading:
        on = at_ns > 0
        gpu = Gpu(
            name=name,
            util_pct=96.0 if on else 2.0,
            unified=True,
            mem_used_bytes=round(gpu_gib * GIB),
            mem_total_bytes=round(ram_gib * GIB),
            mem_budget_bytes=round(budget_gib * GIB) if budget_gib else None,
            power_w=38.0 if on else 1.0,
        )
        calm = linux(at_ns, t, gpus=(gpu,))
        return replace(
            calm,
            ram_total_bytes=round(ram_gib * GIB),
            ram_available_bytes=round((ram_gib - used_gib) * GIB),
        )

    return make


def m4_max(at_ns: int, t: float) -> Reading:
    """A Mac: a level instead of stalls, compressed memory, no driver that throttles."""
    made = unified("Apple M4 Max", 64, 46.0, 37.2, 48)(at_ns, t)
    return replace(
        made, stall_some_us=None, stall_full_us=None, pressure_level=1, swap_total_bytes=0,
        compressed_bytes=2 * GIB, compressed_original_bytes=5 * GIB,
    )  # fmt: skip


def strix_halo(at_ns: int, t: float) -> Reading:
    return unified("AMD Radeon 8060S", 128, 71.4, 62.0, None)(at_ns, t)


def gb10(at_ns: int, t: float) -> Reading:
    """Its driver tells no memory: what the server holds is its part of the pool."""
    made = unified("NVIDIA GB10", 119.7, 71.4, 0, None)(at_ns, t)
    gpu = replace(made.gpus[0], mem_used_bytes=None, mem_total_bytes=None, server_bytes=round(62.0 * GIB))
    return replace(made, gpus=(gpu,))


def remote(at_ns: int, t: float) -> Reading:
    """The server works elsewhere; what is read here is of the wrong machine."""
    return replace(rtx4090(at_ns, t), remote=True, server=None, server_reason="server is on another machine")


def paging(at_ns: int, t: float) -> Reading:
    """The model is larger than the RAM and is read again for each token; the RAM looks healthy."""
    calm = rtx4090(at_ns, t)
    assert calm.server is not None
    since = max(0.0, at_ns / S)
    return replace(
        calm,
        disk_read_bytes=round(2.2e9 * since),
        io_stall_some_us=round(5e5 * since),
        server=replace(
            calm.server, read_bytes=round(2.1e9 * since), rss_bytes=30 * GIB, rss_file_bytes=29 * GIB,
            major_faults=round(900 * since),
        ),
    )  # fmt: skip


def container(at_ns: int, t: float) -> Reading:
    limits = {
        "limit_bytes": 4 * GIB,
        "limit_available_bytes": round(1.2 * GIB),
        "limit_group": "/docker/3f2a",
    }
    return replace(processor(at_ns, t), **limits)


def throttling(at_ns: int, t: float) -> Reading:
    """The card gets too hot in the middle of the answer."""
    cool = rtx4090(at_ns, t)
    since = at_ns / S
    mask, clock, degrees = (
        (0x6C, 1050.0, 91.0)
        if 4.5 < since < 5.2
        else (0x24, 1905.0, 87.0)
        if 3.4 < since < 6
        else (0x4, 2460.0, 74.0)
    )
    gpu = replace(
        cool.gpus[0], throttle_mask=mask, sm_mhz=clock, temperature_c=degrees, margin_c=91 - degrees + 1
    )
    return replace(cool, gpus=(gpu,))


MACHINES: dict[str, Make] = {
    "rtx4090": rtx4090, "processor": processor, "m4_max": m4_max, "strix_halo": strix_halo, "gb10": gb10,
    "remote": remote, "paging": paging, "container": container, "throttling": throttling,
}  # fmt: skip
