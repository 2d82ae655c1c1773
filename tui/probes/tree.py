"""What the server's processes use, on Linux: memory, CPU time and disk reads of the whole tree."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from tui.domain.machine import Server
from tui.probes.process import ProcessFiles, Use
from tui.probes.server import Found, printable

_SLOW_NS = 1_000_000_000  # parts of memory, swap and threads: their files are dear to read
_RARE_NS = 5_000_000_000


class TreeSource:
    """Follows one server and reads its tree; counters of processes that ended stay in the sums."""

    def __init__(self, proc: Path = Path("/proc")) -> None:
        self._proc = proc
        self._found = Found()
        self._files: dict[int, ProcessFiles] = {}
        self._ended: list[Use] = []
        self._slow_ns = self._rare_ns = 0

    def read(self, found: Found, now_ns: int, edge: bool = False) -> Server | None:
        """The server of now, None when there is none or it is gone.

        Processes that do nothing are read once a second and at an `edge`, the others each time.
        """
        if found is not self._found:
            self._follow(found)
        slow, rare = now_ns >= self._slow_ns, now_ns >= self._rare_ns
        self._slow_ns = now_ns + _SLOW_NS if slow else self._slow_ns
        self._rare_ns = now_ns + _RARE_NS if rare else self._rare_ns
        for pid, files in list(self._files.items()):
            due = slow or edge or files.busy or pid == found.pid
            if due and not files.refresh(now_ns, slow, rare):
                use = self._files.pop(pid).use
                self._ended += [use] if use.cpu_s is not None else []
        return self._server(found) if found.pid in self._files else None

    def _server(self, found: Found) -> Server:
        alive = [files.use for files in self._files.values()]
        ever = alive + self._ended
        holder = max(self._files.values(), key=lambda files: files.use.rss_bytes or 0)
        busiest = [pct for files in self._files.values() if (pct := files.threads.busiest_pct) is not None]
        return Server(
            pid=found.pid,
            name=found.name,
            rss_bytes=_sum(use.rss_bytes for use in alive),
            cpu_s=_total(use.cpu_s for use in ever),
            read_bytes=_sum(use.read_bytes for use in ever),
            swap_bytes=_sum(use.swap_bytes for use in alive),
            rss_anon_bytes=_sum(use.anon_bytes for use in alive),
            rss_file_bytes=_sum(use.file_bytes for use in alive),
            major_faults=_sum(use.major_faults for use in ever),
            threads=_sum(use.threads for use in alive),
            thread_pct=max(busiest, default=None),
            oom_score=max((use.oom_score for use in alive if use.oom_score is not None), default=None),
            holder=printable(holder.use.name),
            holder_pid=holder.pid,
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
            self._slow_ns = self._rare_ns = 0


def _total(values: Iterable[float | None]) -> float | None:
    """The sum, None when one of the values is unknown."""
    known = list(values)
    return None if None in known else sum(value for value in known if value is not None)


def _sum(values: Iterable[int | None]) -> int | None:
    total = _total(values)
    return None if total is None else int(total)
