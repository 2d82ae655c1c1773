"""The sampler child as it runs, and what its parent does when it dies."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tui.domain.machine import Reading, reading_from
from tui.probes.sampler import COMMAND, STOPPED, WITHOUT_DRIVERS, Sampler, crashed

ROOT = Path(__file__).parents[2]
PATIENCE_S = 20.0
ONE_LINE = 'print(\'{"mono_ns": 5, "oom_kills": 1}\', flush=True)'


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-S", "-c", code)


def readings(sampler: Sampler, enough: Callable[[Reading], bool]) -> list[Reading]:
    """All readings until one is as it should be."""
    seen: list[Reading] = []
    late = time.monotonic() + PATIENCE_S
    while not (seen and enough(seen[-1])):
        assert time.monotonic() < late, seen[-1:]
        if sampler._child is not None:
            select.select([sampler._pipe()], [], [], 0.2)
        seen += [reading_from(mono_ns, fields) for mono_ns, fields in sampler.drain()]
    return seen


@pytest.fixture
def sampler() -> Iterator[Sampler]:
    sampler = Sampler()
    sampler.start()
    yield sampler
    sampler.close()


def test_the_child_reads_this_machine(sampler: Sampler) -> None:
    before_ns = time.monotonic_ns()
    first, *_ = readings(sampler, lambda one: True)
    assert before_ns < first.at_ns < time.monotonic_ns()
    assert (first.ram_total_bytes or 0) > (first.ram_available_bytes or 0) > 0
    assert first.cpu_cores == os.cpu_count()
    assert {"cpu", "memory", "system"} <= set(first.host)
    assert first.gpus or first.gpu_reason
    assert (first.server, first.server_reason) == (None, "no server chosen")


def test_a_mark_brings_a_reading_now_and_the_facts_of_the_host(sampler: Sampler) -> None:
    readings(sampler, lambda one: True)
    asked_ns = time.monotonic_ns()
    sampler.mark()
    *_, marked = readings(sampler, lambda one: bool(one.host))
    assert marked.at_ns - asked_ns < 900_000_000


def test_a_higher_rate_brings_more_readings(sampler: Sampler) -> None:
    readings(sampler, lambda one: True)
    sampler.rate(20)
    start_ns = time.monotonic_ns()
    seen = readings(sampler, lambda one: one.at_ns > start_ns + 250_000_000)
    assert len(seen) >= 4
    assert all(not one.host for one in seen)


def test_the_server_is_found_and_its_end_is_noticed(sampler: Sampler) -> None:
    code = "import socket; s = socket.create_server(('127.0.0.1', 0)); print(s.getsockname()[1], flush=True)"
    code += "; input()"
    with subprocess.Popen(python(code), stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdout is not None
        sampler.rate(20)
        sampler.watch("127.0.0.1", int(server.stdout.readline()))
        *_, found = readings(sampler, lambda one: one.server is not None)
        assert found.server is not None and found.server.pid == server.pid
        server.communicate(b"\n")
        *_, gone = readings(sampler, lambda one: one.server is None)
    assert gone.server_reason == "server process gone"


def test_the_child_survives_ctrl_c_and_ends_with_its_input(sampler: Sampler) -> None:
    readings(sampler, lambda one: True)
    child = sampler._child
    assert child is not None
    child.send_signal(signal.SIGINT)
    sampler.mark()
    readings(sampler, lambda one: bool(one.host))
    assert child.stdin is not None
    child.stdin.close()
    assert child.wait(PATIENCE_S) == 0


def test_a_child_that_dies_is_started_once_more_and_told_again_what_to_do() -> None:
    code = f"import sys; {ONE_LINE}; print(sys.stdin.readline() + sys.stdin.readline(), file=sys.stderr)"
    sampler = Sampler(python(code))
    sampler.start()
    sampler.watch("127.0.0.1", 80)
    sampler.rate(10)
    seen = readings(sampler, lambda one: one.gpu_reason == STOPPED)
    sampler.close()
    assert [one.oom_kills for one in seen] == [1, 1, None]
    assert seen[-1].server_reason == STOPPED
    assert sampler.reason == STOPPED
    assert sampler.drain() == []


def test_a_child_that_a_library_aborts_is_started_again_without_libraries() -> None:
    code = "import os, sys; len(sys.argv) > 1 or os.abort(); "
    code += 'print(\'{"mono_ns": 5, "gpu_reason": "\' + sys.argv[1] + \'"}\', flush=True); sys.stdin.read()'
    sampler = Sampler(python(code))
    sampler.start()
    *_, last = readings(sampler, lambda one: True)
    sampler.close()
    assert last.gpu_reason == WITHOUT_DRIVERS


def test_an_end_from_outside_is_no_crash() -> None:
    assert [crashed(code) for code in (0, 1, None, -signal.SIGKILL, -signal.SIGTERM)] == [False] * 5
    assert crashed(-signal.SIGSEGV) and crashed(0xC0000005)


def test_lines_that_make_no_sense_are_left_out() -> None:
    lines = "print('oops'); print('[1]'); print('{}'); "
    sampler = Sampler(python(lines + ONE_LINE + "; input()"))
    sampler.start()
    seen = readings(sampler, lambda one: True)
    sampler.close()
    assert [one.at_ns for one in seen] == [5]


def test_a_child_that_ignores_the_end_of_its_input_is_ended() -> None:
    sampler = Sampler(python(f"import time; {ONE_LINE}; time.sleep(60)"))
    sampler.start()
    readings(sampler, lambda one: True)
    child, start = sampler._child, time.monotonic()
    sampler.close()
    assert child is not None and child.returncode == -signal.SIGKILL
    assert time.monotonic() - start < PATIENCE_S, "it sleeps 60 s"


def test_a_sampler_that_cannot_start_says_so() -> None:
    sampler = Sampler((str(ROOT / "no such program"),))
    sampler.start()
    sampler.mark()
    assert sampler.drain() == []
    assert sampler.reason.startswith(STOPPED)


def test_the_parent_loads_no_driver_module() -> None:
    code = "import sys, tui.probes.sampler; print({'psutil', 'pynvml', 'ctypes'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_command_is_the_child_module() -> None:
    assert COMMAND[1:] == ("-m", "tui.probes.child")
