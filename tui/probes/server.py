"""Which process is the server, on Linux: found by its listening socket, or by its name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tui.probes.kept import read_once
from tui.probes.linux import wsl
from tui.probes.listener import (
    ON_THIS_MACHINE,
    Address,
    forwarder,
    is_ours,
    listeners,
    resolve,
    serving,
)

NOT_VISIBLE = "server process not visible"
OUTSIDE = f"{NOT_VISIBLE}: it works outside of WSL2"
REMOTE = "server is on another machine"
GONE = "server process gone"
KNOWN = ("ollama", "llama-server", "llama", "vllm", "sglang", "mlx_lm", "trtllm", "lms", "koboldcpp")
NAME_LENGTH = 40


@dataclass(frozen=True, slots=True)
class Process:
    """One process as everybody may see it."""

    pid: int
    parent: int
    name: str
    command: tuple[str, ...]
    uid: int

    @property
    def names(self) -> set[str]:
        """The kernel's name and the file name of the command."""
        return {self.name, self.command[0].rpartition("/")[2] if self.command else ""} - {""}


@dataclass(frozen=True, slots=True)
class Found:
    """The server's process and its descendants, or why there is none. `remote`: it works elsewhere."""

    pid: int = 0
    name: str = ""
    tree: tuple[int, ...] = ()
    note: str = ""
    reason: str = ""
    remote: bool = False


def find(host: str, port: int, proc: Path = Path("/proc")) -> Found:
    """The process that answers at host and port. Can take seconds: it may ask the name server."""
    target = locate(host, port)
    if isinstance(target, Found):
        return target
    tables = [read_once(proc / "net" / name).decode() for name in ("tcp", "tcp6")]
    listener = serving(target, [one for table in tables for one in listeners(table, port)])
    if listener is None:
        return Found(reason=OUTSIDE if wsl(proc) else f"{NOT_VISIBLE}: nothing listens here")
    everyone = processes(proc)
    holders = [one for one in everyone if _holds(proc, one.pid, listener.inode)]
    if holders:
        return judge(_eldest(holders), everyone, "")
    by_name = guess(everyone, listener.uid, port)
    if by_name is None:
        return Found(reason=f"{NOT_VISIBLE}: it belongs to another user")
    return judge(by_name, everyone, "matched by name")


def locate(host: str, port: int) -> Address | Found:
    """The address of this machine that `host` means, or why it is none."""
    if not host:
        return Found(reason="no server chosen")
    try:
        addresses = resolve(host, port)
    except (OSError, ValueError):
        return Found(reason=NOT_VISIBLE + ": unknown host name")
    ours = [address for address in addresses if is_ours(address)]
    return ours[0] if ours else Found(reason=REMOTE, remote=True)


def judge(one: Process, everyone: list[Process], note: str) -> Found:
    """The process with its tree, unless it only passes requests on."""
    name = forwarder(one.names)
    if name in ON_THIS_MACHINE:
        return Found(reason=f"server is in a container (behind {name})")
    if name:
        return Found(reason=f"behind {name}: the real server is elsewhere", remote=True)
    return Found(one.pid, one.name, tree(one.pid, {other.pid: other.parent for other in everyone}), note)


def tree(pid: int, parents: Mapping[int, int]) -> tuple[int, ...]:
    """The process and all its descendants, given each process's parent."""
    pids = {pid}
    while more := {child for child, parent in parents.items() if parent in pids} - pids:
        pids |= more
    return tuple(sorted(pids))


def family(pid: int, proc: Path = Path("/proc")) -> tuple[int, ...]:
    """The process and its descendants of now; only itself when it is gone."""
    stats = {int(name): read_once(proc / name / "stat") for name in os.listdir(proc) if name.isdigit()}
    return tree(pid, {child: parent for child, text in stats.items() if (parent := _parent(text))})


def _parent(stat: bytes) -> int | None:
    # The name stands in brackets and may itself hold brackets and blanks.
    words = stat[stat.rfind(b")") + 2 :].split(None, 2)
    return int(words[1]) if len(words) > 2 else None


def guess(everyone: list[Process], uid: int, port: int) -> Process | None:
    """The process of user `uid` that was started for this port, else the only known server of that user."""
    own = [one for one in everyone if one.uid == uid]
    asked = [
        one for one in own if str(port) in " ".join(one.command).replace("=", " ").replace(":", " ").split()
    ]
    known = [one for one in own if any(name.startswith(KNOWN) for name in one.names)]
    pick = [one for one in asked if one in known] or asked or known
    return _eldest(pick) if pick else None


def _eldest(some: list[Process]) -> Process:
    """The one whose parent is not among them: workers share the socket of the process that opened it."""
    pids = {one.pid for one in some}
    return min(some, key=lambda one: (one.parent in pids, one.pid))


def processes(proc: Path) -> list[Process]:
    """All processes that can be seen."""
    pids = [int(name) for name in os.listdir(proc) if name.isdigit()]
    return [one for pid in pids if (one := _process(proc, pid))]


def _process(proc: Path, pid: int) -> Process | None:
    folder = proc / str(pid)
    stat = read_once(folder / "stat")
    try:
        uid = folder.stat().st_uid
    except OSError:
        return None
    parent = _parent(stat)
    if parent is None:
        return None
    name = stat[stat.find(b"(") + 1 : stat.rfind(b")")].decode(errors="replace")
    command = read_once(folder / "cmdline").decode(errors="replace").split("\0")
    return Process(pid, parent, printable(name), tuple(filter(None, command)), uid)


def printable(name: str) -> str:
    """A process name without control characters: any program may call itself anything."""
    return "".join(c for c in name if c.isprintable())[:NAME_LENGTH]


def _holds(proc: Path, pid: int, inode: int) -> bool:
    folder = f"{proc}/{pid}/fd"
    try:
        return any(_link(f"{folder}/{fd}") == f"socket:[{inode}]" for fd in os.listdir(folder))
    except OSError:
        return False


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""
