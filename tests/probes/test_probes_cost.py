"""What the sampling costs is measured at the process that samples."""

from __future__ import annotations

import re
import sys

import pytest

from tui.probes import cost
from tui.probes.sampler import Sampler


def test_the_cost_of_this_machine_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "SETTLED_S", 0.3)
    line = cost.main(["0.5", "20"])
    assert re.fullmatch(r"sampling takes \d+\.\d\d % of a core at 20 Hz \(\d+ readings in 0\.5 s\)", line), (
        line
    )


def test_the_share_is_cpu_time_over_time() -> None:
    code = "print('{\"mono_ns\": 5}', flush=True); input()"
    sampler = Sampler((sys.executable, "-S", "-c", code))
    sampler.start()
    used = iter((1.0, 1.1))
    share, readings = cost.cost(sampler, 0.2, 0.0, lambda: next(used))
    sampler.close()
    assert 0 < share <= 50  # 0.1 s of work in 0.2 s, or in as much more as a busy machine takes
    assert readings <= 1


def test_a_sampler_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost, "Sampler", lambda: Sampler(("/no such program",)))
    assert cost.main([]).startswith("sampler stopped")
