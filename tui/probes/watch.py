"""Looks for the server's process in a thread of its own: name servers and long process lists take time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

from tui.domain.shape import ModelShape
from tui.probes.server import GONE, NOT_VISIBLE, REMOTE, Found

CHILDREN_S = 5.0  # between two looks at the server's children
EAGER_S, EAGER = 1.0, 6  # after a phase began: a runner may start with the request
AGAIN_S = 15.0  # between two searches for a server that is not there


class ServerWatch:
    """Keeps `found` up to date. Finding is rare: for a new target, a process that is gone, or when asked."""

    def __init__(
        self,
        find: Callable[[str, int], Found],
        family: Callable[[int], tuple[int, ...]],
        shape: Callable[[tuple[int, ...]], ModelShape | None] = lambda pids: None,
    ) -> None:
        """`shape`: of the model that these processes hold, by the header of its file."""
        self._find, self._family, self._shape = find, family, shape
        self._read: tuple[int, ...] = ()
        self.model: ModelShape | None = None
        self._target = ("", 0)
        self._asked = threading.Event()
        self._eager = 0
        self.found = Found(reason="no server chosen")

    def start(self) -> None:
        """The thread is never joined: it ends with the process."""
        threading.Thread(target=self._run, name="server", daemon=True).start()

    def target(self, host: str, port: int) -> None:
        """Watch the server at this address; an empty host: none."""
        self._target = (host, port)
        self.found = Found(reason="looking for the server" if host else "no server chosen")
        self._asked.set()

    def look(self) -> None:
        """Look again now and in the next seconds: a phase began."""
        self._eager = EAGER
        self._asked.set()

    def gone(self, found: Found) -> None:
        """The process of `found` is gone; the next look searches for a new one."""
        if found is self.found:
            self.found = Found(reason=GONE)
            self._asked.set()

    def refresh(self) -> None:
        """One look: the children of a server that is known, else a search for it."""
        target, found = self._target, self.found
        if found.pid:
            pids = self._family(found.pid)
            new = found if pids == found.tree else replace(found, tree=pids)
        elif found.reason == REMOTE or not target[0]:
            return
        else:
            new = self._find(*target)
            if not new.pid and found.reason == GONE and new.reason.startswith(NOT_VISIBLE):
                return
        if target == self._target and found is self.found:  # nobody chose another one meanwhile
            self.found = new

    def read_model(self) -> None:
        """Looks for the model of processes not asked before, and goes on while there is none."""
        tree = self.found.tree
        if self.model is None or tree != self._read:
            self._read, self.model = tree, self._shape(tree)

    def _run(self) -> None:
        while True:
            self._asked.wait(self.pause_s())
            self._asked.clear()
            self.refresh()
            self.read_model()

    def pause_s(self) -> float:
        """Seconds to the next look, when nobody asks before."""
        if not self.found.pid:
            return AGAIN_S
        self._eager, eager = max(self._eager - 1, 0), self._eager
        return EAGER_S if eager else CHILDREN_S
