"""What the server's processes use, on Linux: memory, CPU time and disk reads of the whole tree."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tui.domain.machine import Server
from tui.probes.kept import Kept, number
from tui.probes.server import Found

_SLOW_NS = 1_000_000_000  # swap: its file is dear to read


@dataclass(slots=True)
class Use:
    """What one process uses now; counters are kept when it ends, so that the sum of the tree only grows."""

    rss_bytes: int | None = None
    cpu_s: float | None = None
    read_bytes: int | None = None
    swap_bytes: int | None = None


class ProcessFiles:
    """The open files of one process."""

    def __init__(self, pid: int, proc: Path) -> None:
        folder = proc / str(pid)
        self._stat, self._io, self._status = (Kept(folder / name) for name in ("stat", "io", "status"))
        self._page_bytes, self._ticks_per_s = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
        self.use = Use()

    def refresh(self, swap: bool) -> bool:
        """Read again; False once the process is gone (its last values stay)."""
        words = self._stat.read().rpartition(b")")[2].split(None, 22)
        if len(words) < 22 or words[0] == b"Z":
            self.close()
            return False
        self.use.rss_bytes = int(words[21]) * self._page_bytes
        self.use.cpu_s = (int(words[11]) + int(words[12])) / self._ticks_per_s
        self.use.read_bytes = number(self._io.read(), b"read_bytes:")
        if swap:
            kib = number(self._status.read(), b"VmSwap:")
            self.use.swap_bytes = None if kib is None else kib * 1024
        return True

    def close(self) -> None:
        for file in (self._stat, self._io, self._status):
            file.close()


class TreeSource:
    """Follows one server and reads its tree; counters of processes that ended stay in the sums."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._found = Found()
        self._files: dict[int, ProcessFiles] = {}
        self._ended: list[Use] = []
        self._slow_ns = 0

    def read(self, found: Found, now_ns: int) -> Server | None:
        """The server of now, None when there is none or it is gone."""
        if found is not self._found:
            self._follow(found)
        swap = now_ns >= self._slow_ns
        for pid in [pid for pid, files in self._files.items() if not files.refresh(swap)]:
            use = self._files.pop(pid).use
            self._ended += [use] if use.cpu_s is not None else []
        self._slow_ns = now_ns + _SLOW_NS if swap else self._slow_ns
        if found.pid not in self._files:
            return None
        alive = [files.use for files in self._files.values()]
        ever = alive + self._ended
        return Server(
            pid=found.pid,
            name=found.name,
            rss_bytes=_sum(use.rss_bytes for use in alive),
            cpu_s=_total(use.cpu_s for use in ever),
            read_bytes=_sum(use.read_bytes for use in ever),
            swap_bytes=_sum(use.swap_bytes for use in alive),
            processes=len(alive),
            note=found.note,
        )

    def _follow(self, found: Found) -> None:
        if found.pid != self._found.pid:
            for files in self._files.values():
                files.close()
            self._files, self._ended = {}, []
        self._found = found
        for pid in set(found.tree) - self._files.keys():
            self._files[pid] = ProcessFiles(pid, self._proc)
            self._slow_ns = 0


def _total(values: Iterable[float | None]) -> float | None:
    """The sum, None when one of the values is unknown."""
    known = list(values)
    return None if None in known else sum(value for value in known if value is not None)


def _sum(values: Iterable[int | None]) -> int | None:
    total = _total(values)
    return None if total is None else int(total)
