"""Whether the NVIDIA cards of a laptop sleep or may: told by the kernel, without waking them up."""

from __future__ import annotations

from pathlib import Path

from tui.probes import host
from tui.probes.kept import read_once

_MAKER = b"0x10de"
_DISPLAY = b"0x03"  # class of the device; cards carry a sound device of the same maker


class Sleep:
    """The NVIDIA cards on the PCI bus below `sys`."""

    def __init__(self, sys: Path = Path("/sys")) -> None:
        makers = (sys / "bus/pci/devices").glob("*/vendor")
        devices = [path.parent for path in makers if read_once(path).strip() == _MAKER]
        self._power = [one / "power" for one in devices if read_once(one / "class")[:4] in (b"", _DISPLAY)]
        self._supplies = sys / "class/power_supply"

    def asleep(self) -> bool:
        """All of them are switched off to save power; a question to the driver would wake them up."""
        return self._all("runtime_status", b"suspended")

    def may(self) -> bool:
        """The system would switch them off if nobody used them, and it is one that runs on a battery."""
        return self._all("control", b"auto") and host.power(self._supplies) != ""

    def on_battery(self) -> bool:
        """The machine runs on its battery now."""
        return host.power(self._supplies) == "battery"

    def _all(self, file: str, word: bytes) -> bool:
        return bool(self._power) and all(read_once(folder / file).strip() == word for folder in self._power)
