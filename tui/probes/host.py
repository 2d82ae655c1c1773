"""What does not change while we look: processor, memory, system, power source, and GPUs of other makers."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from tui.probes.kept import read_once

# By the driver a card is bound to: those that tell too little to be read.
_MAKERS = {b"nouveau": "NVIDIA (nouveau)", b"asahi": "Apple", b"radeon": "AMD (radeon)", b"msm": "Qualcomm"}
_MAKERS |= {b"panthor": "ARM", b"panfrost": "ARM", b"v3d": "Broadcom"}
_GIB = 2**30


def facts(
    ram_bytes: int | None, proc: Path = Path("/proc"), sys: Path = Path("/sys"), name: str = ""
) -> dict[str, str]:
    """Facts for people, by name: cpu, memory, system and, where it can be told, power source.

    `name` is the processor's, where the system tells it in another place than /proc.
    """
    cpu = name or processor(read_once(proc / "cpuinfo")) or platform.machine()
    told = {
        "cpu": f"{cpu}, {os.cpu_count()} cores",
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
    """The maker of a GPU that is here and that nothing reads, "" when there is none."""
    for card in sorted((sys / "class/drm").glob("card*/device/uevent")):
        driver = read_once(card).partition(b"DRIVER=")[2].split(b"\n")[0]
        if driver in _MAKERS:
            return _MAKERS[driver]
    return ""
