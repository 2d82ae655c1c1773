"""A control group (container, systemd unit), versions 1 and 2: its memory limit, stalls and kills."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from tui.probes.kept import Kept, number, read_once
from tui.probes.linux import Fields, stalls

SLOW_NS = 1_000_000_000  # between two looks at the limits
_UNLIMITED = 1 << 62  # version 1 says "no limit" with a number just below 2^63


@dataclass(frozen=True, slots=True)
class Limit:
    """The smallest limit on the way to the root, and what is left: below it, or below a larger one that
    others share. `group` is who sets it."""

    limit_bytes: int
    available_bytes: int | None
    group: str


def limit(proc_cgroup: bytes, root: Path) -> Limit | None:
    """The limit that holds for a process with this text of /proc/<pid>/cgroup; None when there is none.

    `root` is where the control groups are mounted. Version 2: memory.max and memory.high of all ancestors.
    Available = limit - (current - what the kernel can drop: inactive file pages and reclaimable slab).
    """
    paths = dict(_paths(proc_cgroup))
    if "" in paths and b"memory" in read_once(root / "cgroup.controllers").split():
        found = [one for group in _upwards(paths[""], root) if (one := _version2(root, group))]
    elif "memory" in paths:
        base = root / "memory"
        found = [one for group in _upwards(paths["memory"], base) if (one := _version1(base, group))]
    else:
        found = []
    smallest = min(found, key=lambda one: one.limit_bytes, default=None)
    left = [one.available_bytes for one in found if one.available_bytes is not None]
    return smallest and replace(smallest, available_bytes=min(left, default=None))


def home(proc_cgroup: bytes, root: Path) -> tuple[Path, int] | None:
    """The folder of the group that counts the memory of a process, and its version; None when none does."""
    paths = dict(_paths(proc_cgroup))
    if "" in paths and b"memory" in read_once(root / "cgroup.controllers").split():
        return root / next(_upwards(paths[""], root)).lstrip("/"), 2
    if "memory" in paths:
        return root / "memory" / next(_upwards(paths["memory"], root / "memory")).lstrip("/"), 1
    return None


def events(text: bytes) -> Fields:
    """From `memory.events`, or `memory.oom_control` of version 1, which has no limit that slows down."""
    return {"group_oom_kills": number(text, b"oom_kill "), "limit_hits": number(text, b"high ")}


class Group:
    """Follows the control group of one process after the other. Limits are read once a second."""

    def __init__(self, proc: Path = Path("/proc"), root: Path = Path("/sys/fs/cgroup")) -> None:
        self._proc, self._root = proc, root
        self._pid = -1
        self._text = b""
        self._pressure: Kept | None = None
        self._events: Kept | None = None
        self._limit: Limit | None = None
        self._slow_ns = 0

    def read(self, pid: int, ram_bytes: int | None, now_ns: int, edge: bool = False) -> Fields:
        """The group of this process. A limit above the machine's RAM is none.

        For pid 0 (no server is known) the limit is that of our own group, and nothing is counted. The files
        stay open when the process ends: a kill is counted after it.
        """
        if pid != self._pid:
            self._follow(pid)
        if edge or now_ns >= self._slow_ns:
            self._slow_ns = now_ns + SLOW_NS
            self._limit = limit(self._text, self._root)
        told: Fields = {}
        if self._pressure and self._events:
            told |= stalls(self._pressure.read(), "group_stall") | events(self._events.read())
        if self._limit and (ram_bytes is None or self._limit.limit_bytes < ram_bytes):
            told["limit_bytes"] = self._limit.limit_bytes
            told["limit_available_bytes"] = self._limit.available_bytes
            told["limit_group"] = self._limit.group
        return told

    def _follow(self, pid: int) -> None:
        for file in (self._pressure, self._events):
            if file:
                file.close()
        self._pid, self._slow_ns, self._pressure, self._events = pid, 0, None, None
        self._text = read_once(self._proc / f"{pid or 'self'}/cgroup")
        if pid and (found := home(self._text, self._root)):
            folder, version = found
            self._pressure = Kept(folder / "memory.pressure")
            self._events = Kept(folder / ("memory.events" if version == 2 else "memory.oom_control"))


def _paths(proc_cgroup: bytes) -> Iterator[tuple[str, str]]:
    """Controller name ("" for version 2) and group path of each line `id:controllers:path`."""
    for line in proc_cgroup.decode(errors="replace").splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        for controller in controllers.split(","):
            yield controller, path


def _upwards(path: str, base: Path) -> Iterator[str]:
    """The group and its ancestors. In a container the path may name one of the host: only the root."""
    group = PurePosixPath("/", path)
    if ".." in group.parts or not (base / group.relative_to("/")).is_dir():
        group = PurePosixPath("/")
    yield str(group)
    yield from map(str, group.parents)


def _version2(root: Path, group: str) -> Limit | None:
    folder = root / group.lstrip("/")
    limits = [int(text) for name in ("memory.max", "memory.high") if (text := _word(folder / name)).isdigit()]
    if not limits:
        return None
    stat = read_once(folder / "memory.stat")
    dropped = (number(stat, b"inactive_file ") or 0) + (number(stat, b"slab_reclaimable ") or 0)
    return Limit(min(limits), _left(min(limits), _word(folder / "memory.current"), dropped), group)


def _version1(base: Path, group: str) -> Limit | None:
    folder = base / group.lstrip("/")
    text = _word(folder / "memory.limit_in_bytes")
    if not text.isdigit() or int(text) >= _UNLIMITED:
        return None
    dropped = number(read_once(folder / "memory.stat"), b"total_inactive_file ") or 0
    return Limit(int(text), _left(int(text), _word(folder / "memory.usage_in_bytes"), dropped), group)


def _left(limit_bytes: int, used: bytes, dropped: int) -> int | None:
    return max(limit_bytes - max(int(used) - dropped, 0), 0) if used.isdigit() else None


def _word(path: Path) -> bytes:
    return read_once(path).strip()
