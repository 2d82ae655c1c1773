"""What does not change while we look: processor, memory, system, power source, and GPUs of other makers."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from tui.probes.kept import read_once

_MAKERS = {b"amdgpu": "AMD", b"i915": "Intel", b"xe": "Intel"}  # by the driver a card is bound to
_GIB = 2**30


def facts(ram_bytes: int | None, proc: Path = Path("/proc"), sys: Path = Path("/sys")) -> dict[str, str]:
    """Facts for people, by name: cpu, memory, system and, where it can be told, power source."""
    told = {
        "cpu": f"{processor(read_once(proc / 'cpuinfo')) or platform.machine()}, {os.cpu_count()} cores",
        "memory": f"{ram_bytes / _GIB:.1f} GiB" if ram_bytes else "",
        "system": f"{platform.system()} {platform.release()}",
        "power": power(sys / "class/power_supply"),
    }
    return {name: fact for name, fact in told.items() if fact}


def processor(cpuinfo: bytes) -> str:
    """The processor's name in the text of /proc/cpuinfo, "" when it has none (many ARM machines)."""
    for line in cpuinfo.splitlines():
        key, _, value = line.partition(b":")
        if key.strip() in (b"model name", b"Model"):
            return " ".join(value.decode(errors="replace").split())
    return ""


def power(supplies: Path) -> str:
    """ "mains" or "battery", "" when the machine does not tell (most desktops and servers)."""
    found = {path.parent: read_once(path).strip() for path in supplies.glob("*/type")}
    if any(read_once(one / "online").strip() == b"1" for one, kind in found.items() if kind == b"Mains"):
        return "mains"
    batteries = [one for one, kind in found.items() if kind == b"Battery"]
    if any(read_once(one / "status").strip() == b"Discharging" for one in batteries):
        return "battery"
    return "mains" if batteries else ""


def unread_gpu(sys: Path = Path("/sys")) -> str:
    """The maker of a GPU that is here and that nothing reads yet, "" when there is none."""
    if platform.system() == "Darwin":
        return "Apple"
    for card in sorted((sys / "class/drm").glob("card*/device/uevent")):
        driver = read_once(card).partition(b"DRIVER=")[2].split(b"\n")[0]
        if driver in _MAKERS:
            return _MAKERS[driver]
    return ""
