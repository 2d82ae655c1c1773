"""The machine at a moment: from a reading near it, else nothing."""

from tui.domain.machine import Gpu, Reading
from tui.domain.machine_at import MachineAt, machine_at

MS = 1_000_000
GIB = 1 << 30


def reading(at_ms: int, busy_s: float, gpu_pct: float | None = None) -> Reading:
    card = Gpu(util_pct=gpu_pct, mem_used_bytes=20 * GIB, mem_total_bytes=24 * GIB, power_w=312.0)
    return Reading(
        at_ms * MS,
        ram_total_bytes=16 * GIB,
        ram_available_bytes=4 * GIB,
        cpu_busy_s=busy_s,
        cpu_total_s=2 * at_ms / 1000,
        cpu_cores=2,
        gpus=() if gpu_pct is None else (card,),
    )


READINGS = [reading(0, 0.0, 10.0), reading(100, 0.2, 97.0), reading(200, 0.25, 12.0)]


def test_load_is_that_of_the_time_around_the_moment() -> None:
    first, second = machine_at(READINGS, 60 * MS), machine_at(READINGS, 160 * MS)
    assert (first.cpu_pct, first.gpu_pct) == (100.0, 97.0)
    assert second.cpu_pct is not None and round(second.cpu_pct) == 25
    assert (second.gpu_pct, second.vram_bytes, second.power_w) == (12.0, 20 * GIB, 312.0)
    assert (second.ram_bytes, second.ram_total_bytes, second.age_ns) == (12 * GIB, 16 * GIB, 40 * MS)


def test_nothing_is_known_far_from_every_reading_or_of_another_machine() -> None:
    assert machine_at(READINGS, 1300 * MS) == machine_at([], 0) == MachineAt()
    assert machine_at([Reading(0, remote=True, ram_total_bytes=1)], 0) == MachineAt(remote=True)


def test_what_is_not_read_stays_unknown() -> None:
    now = machine_at([reading(0, 0.0)], 0)
    assert (now.cpu_pct, now.gpu_pct, now.vram_bytes, now.power_w) == (None, None, None, None)
    frozen = Reading(0, gpus=(Gpu(util_pct=97.0, power_w=300.0, reason="GPU lost"),))
    assert machine_at([frozen], 0).gpu_pct is None
