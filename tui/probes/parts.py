"""Which sources there are on this system; those of other systems are not even loaded."""

from __future__ import annotations

import platform
from collections.abc import Iterator, Sequence
from pathlib import Path

from tui.probes import host
from tui.probes import model_paths as paths
from tui.probes.machine import Counters, Gpus, Parts
from tui.probes.model_file import ModelFile
from tui.probes.watch import ServerWatch

NOT_INSTALLED = "nvidia-ml-py is not installed"
CRASHED = "a GPU driver crashed the sampler and is left out"


def here(drivers: bool = True) -> Parts:
    """The sources of this system. Without `drivers` no library of a GPU's maker is loaded."""
    try:
        match platform.system():
            case "Darwin":
                return darwin(drivers)
            case "Windows":
                return windows(drivers)
    except (OSError, AttributeError):  # a function of the system that this version of it does not have
        return portable(drivers)
    return linux(drivers) if Path("/proc/self/stat").exists() else portable(drivers)


def linux(drivers: bool = True, root: Path = Path("/")) -> Parts:
    """Linux: files of /proc and /sys below `root`."""
    from tui.probes import amd, drm, intel, server, tree
    from tui.probes.cgroup import Group
    from tui.probes.linux import LinuxSource

    proc, sys = root / "proc", root / "sys"
    counters = LinuxSource(proc, sys)
    cards = sys / "class/drm"
    gpus: list[Gpus] = list(_nvidia(counters.read(0).get("ram_total_bytes"))) if drivers else []
    if drm.cards(cards, amd.DRIVERS):
        gpus.append(drm.Drm("AMD", amd.DRIVERS, amd.Amd, cards, proc))
    if drm.cards(cards, intel.DRIVERS):
        gpus.append(drm.Drm("Intel", intel.DRIVERS, intel.Intel, cards, proc))
    return Parts(
        counters=counters,
        tree=tree.TreeSource(proc),
        watch=ServerWatch(server.find, server.family, ModelFile(lambda pid: paths.linux(pid, proc)).look),
        gpus=tuple(gpus),
        facts=lambda ram_bytes: host.facts(ram_bytes, proc, sys),
        limits=Group(proc, sys / "fs/cgroup"),
        gpu_reason=", ".join(filter(None, (_missing(gpus, drivers), _unread(host.unread_gpu(sys))))),
    )


def darwin(drivers: bool = True) -> Parts:
    """macOS. The library of the chip's reports is private, so it counts as a driver."""
    from tui.probes import portable
    from tui.probes.apple import AppleGpu
    from tui.probes.apple_memory import AppleSource
    from tui.probes.apple_process import AppleTree
    from tui.probes.apple_report import Reports, Unreported
    from tui.probes.apple_system import LiveMac, Mac

    def without() -> Reports:
        raise Unreported(CRASHED)

    mac: Mac = LiveMac()
    return Parts(
        counters=AppleSource(mac),
        tree=AppleTree(mac),
        watch=ServerWatch(portable.find, portable.family, ModelFile(paths.portable).look),
        gpus=(AppleGpu(mac, Reports if drivers else without),),
        facts=lambda ram_bytes: portable.facts(ram_bytes, mac.text("machdep.cpu.brand_string")),
    )


def windows(drivers: bool = True) -> Parts:
    """Windows: psutil, and two calls for what it has no name for."""
    from tui.probes.windows import WindowsSource, calls

    return portable(drivers, WindowsSource(calls()))


def portable(drivers: bool = True, counters: Counters | None = None) -> Parts:
    """Any other system: psutil, and NVIDIA's library where it runs."""
    from tui.probes import portable as psutil_half

    counters = counters or psutil_half.PortableSource()
    gpus = tuple(_nvidia(counters.read(0).get("ram_total_bytes"))) if drivers else ()
    return Parts(
        counters=counters,
        tree=psutil_half.PortableTree(),
        watch=ServerWatch(psutil_half.find, psutil_half.family, ModelFile(paths.portable).look),
        gpus=gpus,
        facts=psutil_half.facts,
        gpu_reason=_missing(gpus, drivers),
    )


def _nvidia(ram_bytes: int | None) -> Iterator[Gpus]:
    """The source of NVIDIA cards, unless its module is missing."""
    from tui.probes.nvidia import Nvidia

    try:
        import pynvml
    except ImportError:
        return
    yield Nvidia(pynvml, ram_bytes=ram_bytes)


def _missing(gpus: Sequence[Gpus], drivers: bool) -> str:
    if not drivers:
        return CRASHED
    return "" if gpus else NOT_INSTALLED


def _unread(maker: str) -> str:
    return f"{maker} GPU not read" if maker else ""
