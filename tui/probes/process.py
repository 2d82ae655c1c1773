"""One process on Linux: memory, CPU time, faults and disk reads from its files, kept open."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tui.probes.kept import Kept, number, read_now, read_once

THREADS = 512  # of one process are looked at, no more
_TOLD = (
    9,
    11,
    12,
    17,
    21,
)  # faults, CPU time of user and system, threads and resident pages, behind the name


@dataclass(slots=True)
class Use:
    """What one process uses now. CPU time, reads and faults are counters."""

    name: str = ""
    rss_bytes: int | None = None
    cpu_s: float | None = None
    read_bytes: int | None = None
    major_faults: int | None = None
    threads: int | None = None
    swap_bytes: int | None = None
    anon_bytes: int | None = None
    file_bytes: int | None = None
    oom_score: int | None = None

    @property
    def counters(self) -> tuple[float | None, int | None, int | None]:
        """What grows while the process does anything."""
        return self.cpu_s, self.read_bytes, self.major_faults


class ProcessFiles:
    """The open files of one process. `busy`: it did something between the last two looks."""

    def __init__(self, pid: int, proc: Path) -> None:
        self.pid, self._folder = pid, proc / str(pid)
        self._stat, self._io, self._status = (Kept(self._folder / name) for name in ("stat", "io", "status"))
        self._page_bytes, self._ticks_per_s = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
        self.use = Use()
        self.busy = True
        self.threads = Threads(self._folder / "task", self._ticks_per_s)

    def refresh(self, now_ns: int, slow: bool, rare: bool) -> bool:
        """Read again; False once the process is gone (its last values stay).

        `slow` adds what its dear files tell and looks at its threads, `rare` adds the kernel's score.
        """
        text = self._stat.read()
        words = text.rpartition(b")")[2].split(None, 22)
        if len(words) < 22 or words[0] == b"Z":
            self.close()
            return False
        if not all(words[place].isdigit() for place in _TOLD):
            return True
        before, use = self.use.counters, self.use
        use.name = use.name or text[text.find(b"(") + 1 : text.rfind(b")")].decode(errors="replace")
        use.rss_bytes = int(words[21]) * self._page_bytes
        use.cpu_s = (int(words[11]) + int(words[12])) / self._ticks_per_s
        use.major_faults = int(words[9])
        use.threads = int(words[17])
        use.read_bytes = number(self._io.read(), b"read_bytes:")
        self.busy = use.counters != before
        if slow:
            self._slow(now_ns)
        if rare:
            score = read_once(self._folder / "oom_score").strip()
            use.oom_score = int(score) if score.isdigit() else None
        return True

    def _slow(self, now_ns: int) -> None:
        status = self._status.read()
        self.use.swap_bytes = _kib(status, b"VmSwap:")
        self.use.anon_bytes = _kib(status, b"RssAnon:")
        self.use.file_bytes = _kib(status, b"RssFile:")
        self.threads.look(self.use.cpu_s or 0.0, now_ns)

    def close(self) -> None:
        for file in (self._stat, self._io, self._status):
            file.close()


class Threads:
    """The busiest thread of one process, over the time between two looks.

    Looking takes a read for each thread, so it is left out while the whole process uses less than a core
    nearly filled: no thread can be the one that holds everything up then.
    """

    WORTH = 0.9  # cores

    def __init__(self, folder: Path, ticks_per_s: int) -> None:
        self._folder, self._ticks_per_s = folder, ticks_per_s
        self._process: tuple[float, int] | None = None
        self._before: tuple[dict[str, int], int] | None = None
        self.busiest_pct: float | None = None

    def look(self, cpu_s: float, now_ns: int) -> None:
        """Measure; `cpu_s` is the counter of the whole process."""
        old, self._process = self._process, (cpu_s, now_ns)
        span_ns = now_ns - old[1] if old else 0
        if old is None or span_ns <= 0:
            return
        cores = (cpu_s - old[0]) * 1e9 / span_ns
        if cores < self.WORTH:
            self._before = self.busiest_pct = None
            return
        ticks, before = self._ticks(), self._before
        self._before = (ticks, now_ns)
        self.busiest_pct = None
        if before and now_ns > before[1]:
            grown = max((now - before[0].get(tid, now) for tid, now in ticks.items()), default=0)
            self.busiest_pct = 100 * grown / self._ticks_per_s * 1e9 / (now_ns - before[1])

    def _ticks(self) -> dict[str, int]:
        try:
            tids = os.listdir(self._folder)[:THREADS]
        except OSError:
            return {}
        return {tid: ticks for tid in tids if (ticks := self._of(tid)) is not None}

    def _of(self, tid: str) -> int | None:
        try:
            words = read_now(f"{self._folder}/{tid}/stat").rpartition(b")")[2].split(None, 14)
        except OSError:
            return None
        return int(words[11]) + int(words[12]) if len(words) > 12 else None


def _kib(text: bytes, key: bytes) -> int | None:
    value = number(text, key)
    return None if value is None else value * 1024
