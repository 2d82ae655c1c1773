"""One pool of memory: the GPU's part is inside what is used."""

from __future__ import annotations

from tests.domain.worked import WORKED
from tui.domain.machine import Gpu, Reading
from tui.domain.pool import pool_of
from tui.domain.sizes import GIB


def test_the_gpus_part_is_never_added() -> None:
    told = WORKED["unified_memory"]
    gpu = Gpu(unified=True, mem_used_bytes=told["gpu_in_use"], mem_budget_bytes=48 * GIB)
    free = told["total"] - told["used_by_os_counter"]
    pool = pool_of(Reading(0, ram_total_bytes=told["total"], ram_available_bytes=free, gpus=(gpu,)))
    assert pool is not None
    assert pool.words == told["right"] != told["wrong"]
    assert (pool.used_bytes, pool.budget_bytes) == (told["used_by_os_counter"], 48 * GIB)


def test_a_driver_that_tells_no_memory_is_replaced_by_what_its_processes_hold() -> None:
    gpu = Gpu(unified=True, server_bytes=9 * GIB)
    pool = pool_of(Reading(0, ram_total_bytes=128 * GIB, ram_available_bytes=100 * GIB, gpus=(gpu,)))
    assert pool is not None and (pool.used_bytes, pool.gpu_bytes) == (28 * GIB, 9 * GIB)


def test_a_gpu_with_memory_of_its_own_is_no_part_of_ram() -> None:
    gpu = Gpu(mem_used_bytes=20 * GIB)
    pool = pool_of(Reading(0, ram_total_bytes=64 * GIB, ram_available_bytes=60 * GIB, gpus=(gpu,)))
    assert pool is not None and pool.gpu_bytes is None and pool.words == "4.0 GiB used"
    assert pool_of(Reading(0, ram_total_bytes=64 * GIB)) is None


def test_the_part_is_never_more_than_the_whole() -> None:
    gpu = Gpu(unified=True, mem_used_bytes=40 * GIB)
    pool = pool_of(Reading(0, ram_total_bytes=64 * GIB, ram_available_bytes=50 * GIB, gpus=(gpu,)))
    assert pool is not None and pool.gpu_bytes == pool.used_bytes == 14 * GIB
