"""The GPU inside a Jetson, where NVIDIA's library tells little or is not there: load and clock from /sys."""

from __future__ import annotations

from pathlib import Path

from tui.domain.machine import Gpu
from tui.probes.kept import read_once

_GPUS = (b"gp10b", b"gv11b", b"ga10b", b"gb10b", b"gpu")  # names in the device tree


class Tegra:
    """Found by its place among the devices whose clock the kernel scales."""

    def __init__(self, sys: Path = Path("/sys"), proc: Path = Path("/proc")) -> None:
        scaled = sorted((sys / "class/devfreq").glob("*/device/of_node/name"))
        names = (path for path in scaled if read_once(path).strip(b"\0\n") in _GPUS)
        self._folder = next((path.parents[2] for path in names), None)
        self._name = read_once(proc / "device-tree/model").strip(b"\0\n").decode(errors="replace")

    def gpu(self, ram_bytes: int | None) -> Gpu | None:
        """The values of now, None on other machines. The kernel tells the load in thousandths."""
        if self._folder is None:
            return None
        load = _number(self._folder / "device/load")
        now_hz, top_hz = _number(self._folder / "cur_freq"), _number(self._folder / "max_freq")
        return Gpu(
            name=self._name or "NVIDIA Jetson",
            util_pct=None if load is None else load / 10,
            mem_total_bytes=ram_bytes,
            sm_mhz=None if now_hz is None else now_hz / 1e6,
            sm_max_mhz=None if top_hz is None else top_hz / 1e6,
            unified=True,
        )


def _number(path: Path) -> int | None:
    text = read_once(path).strip()
    return int(text) if text.isdigit() else None
