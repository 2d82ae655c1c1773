"""Cards in a folder that a test may write to, in a time that it moves."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from tui.domain.machine import Gpu
from tui.probes import amd, intel
from tui.probes.amd import Amd
from tui.probes.drm import Drm
from tui.probes.intel import Intel

SECOND = 1_000_000_000


class Bench:
    """Cards in a folder that a test may write to, in a time that it moves."""

    def __init__(self, fixture: Path, root: Path, maker: str = "AMD") -> None:
        self.root, self.proc, self.now_ns = root / "drm", root / "proc", 0
        shutil.copytree(fixture, self.root)
        self.proc.mkdir()
        drivers, make = (amd.DRIVERS, Amd) if maker == "AMD" else (intel.DRIVERS, Intel)
        self.drm = Drm(maker, drivers, make, self.root, self.proc, lambda: self.now_ns)
        self.drm.rate(10)

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    def opened(self, pid: int, fdinfo: bytes) -> None:
        """The process has a card open, on two descriptors of one client."""
        for folder in ("fd", "fdinfo"):
            (self.proc / str(pid) / folder).mkdir(parents=True, exist_ok=True)
        for number in ("7", "8"):
            link = self.proc / str(pid) / "fd" / number
            if not link.is_symlink():
                link.symlink_to("/dev/dri/renderD128")
            (self.proc / str(pid) / "fdinfo" / number).write_bytes(fdinfo)

    def after(self, seconds: float, *pids: int) -> tuple[Gpu, ...]:
        """What is known once that much time has passed and the driver was asked again."""
        self.now_ns += round(seconds * SECOND)
        self.drm.gpus(self.now_ns, pids)
        self.drm.step()
        return self.drm.gpus(self.now_ns, pids)[0]


def expected(panels: Path, name: str) -> dict[str, Any]:
    folder = panels / "drm"
    path = folder / name / "expected.json"
    told: dict[str, Any] = json.loads(
        (path if path.exists() else folder / f"{name}_expected.json").read_text()
    )
    return told


def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of all files that are opened for one read."""
    seen: list[str] = []
    original = os.open

    def noted(path: Any, *rest: Any, **more: Any) -> int:
        seen.append(str(path))
        return original(path, *rest, **more)

    monkeypatch.setattr(os, "open", noted)
    return seen
