"""The fixtures of the panels, and a fake NVIDIA driver with a clock that the test moves."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tui.domain.machine import Gpu
from tui.probes.nvidia import Nvidia

BEGAN_NS = 1_700_000_000_000_000_000
DATA = Path(__file__).parents[1] / "data" / "panels"


def _fake_nvml() -> Any:
    spec = importlib.util.spec_from_file_location("fake_nvml", Path(__file__).with_name("fake_nvml.py"))
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.FakeNVML


class Scene:
    """One scenario in fake time: rounds of questions up to a moment, then what is known of the cards."""

    def __init__(self, name: str, ram_bytes: int = 64 * 2**30, proc: Path = Path("/nowhere")) -> None:
        text = (DATA / "nvml" / f"{name}.json").read_text()
        self.script: dict[str, Any] = json.loads(text)
        self.now_s = 0.0
        self.nvml = _fake_nvml()(self.script, clock=lambda: self.now_s, sleep=self._pass)
        self.nvidia = Nvidia(
            self.nvml, self._ns, ram_bytes, sys=Path("/nowhere"), wall=self.wall_ns, proc=proc
        )
        self.nvidia.rate(10)

    def _pass(self, seconds: float) -> None:
        self.now_s += seconds

    def _ns(self) -> int:
        return round(self.now_s * 1e9)

    def wall_ns(self) -> int:
        """The time of day, counted from one fixed moment."""
        return BEGAN_NS + self._ns()

    def until(self, at_s: float) -> Scene:
        """Rounds of questions, as the thread does them, up to this moment."""
        while self.now_s < at_s:
            self._pass(self.nvidia.step())
        return self

    def gpus(self, *server_pids: int) -> tuple[Gpu, ...]:
        return self.nvidia.gpus(self._ns(), server_pids)[0]

    def reason(self) -> str:
        return self.nvidia.gpus(self._ns(), ())[1]

    def calls(self, function: str) -> list[float]:
        """When a function was called, in seconds."""
        return [at_s for at_s, name in self.nvml.calls if name == function]


@pytest.fixture
def panels() -> Path:
    """The folder of the panels' fixtures."""
    return DATA


@pytest.fixture
def scene() -> type[Scene]:
    """Makes scenes: scene("rtx4090_normal")."""
    return Scene
