"""The server's tree on macOS: psutil's figures, with footprint, page-ins and disk reads from the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tui.domain.machine import Server
from tui.probes.apple_system import Mac
from tui.probes.portable import PortableTree
from tui.probes.server import Found


class AppleTree:
    """Reads the tree; resident memory alone understates a server that works on the GPU."""

    def __init__(self, mac: Mac, tree: PortableTree | None = None) -> None:
        self._mac, self._tree = mac, tree or PortableTree()
        self._page_bytes = mac.number("hw.pagesize") or 16384
        self._ever: dict[int, dict[str, int]] = {}  # by process; of ended ones the counters stay
        self._pid = 0

    def read(self, found: Found, now_ns: int, edge: bool = False) -> Server | None:
        """The server of now, None when there is none or it is gone."""
        server = self._tree.read(found, now_ns, edge)
        if server is None:
            return None
        if found.pid != self._pid:
            self._pid, self._ever = found.pid, {}
        alive = {pid: usage for pid in found.tree if (usage := self._mac.usage(pid))}
        self._ever |= alive
        if not alive or len(alive) < server.processes:
            return server
        return replace(
            server,
            footprint_bytes=_sum([one.get("phys_footprint") for one in alive.values()]),
            read_bytes=_sum([one.get("diskio_bytesread") for one in self._ever.values()]),
            pagein_bytes=_sum([one.get("pageins") for one in self._ever.values()], self._page_bytes),
        )


def _sum(values: Sequence[int | None], scale: int = 1) -> int | None:
    """The sum, None when one of the values is unknown."""
    return None if None in values else sum(value or 0 for value in values) * scale
