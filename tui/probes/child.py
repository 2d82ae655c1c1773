"""The sampler child: reads the machine again and again and writes each reading as one line of JSON.

Lines on stdin: {"do": "watch", "host": …, "port": …}, {"do": "rate", "hz": 10}, {"do": "mark"} for one extra
reading now. Lines on stdout: {"mono_ns": …} with the fields of a Reading. Ends when stdin does.
"""

from __future__ import annotations

import ctypes
import json
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable

from tui.domain.machine import Reading, raw_from
from tui.probes.machine import PATIENCE_NS, Machine
from tui.probes.parts import here
from tui.probes.sampler import WITHOUT_DRIVERS

IDLE_HZ, FASTEST_HZ = 1.0, 20.0
BATTERY_HZ = 5.0  # at most, while the machine runs on its battery
_PR_SET_PDEATHSIG = 1


class Orders:
    """Commands as they come in, and the wait for the next reading that a command can cut short."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[dict[str, object]] = queue.SimpleQueue()

    def listen(self) -> None:
        """Reads stdin until it ends; then the process is over, even if another thread hangs in a driver."""
        for line in sys.stdin.buffer:
            try:
                order = json.loads(line)
            except ValueError:
                continue
            if isinstance(order, dict):
                self._queue.put(order)
        os._exit(0)

    def next(self, wait_s: float) -> dict[str, object] | None:
        """The next command, None when none comes in time."""
        try:
            return self._queue.get(timeout=max(wait_s, 0.0))
        except queue.Empty:
            return None


class Loop:
    """Reads at its rate, and once more at each mark."""

    def __init__(self, machine: Machine, orders: Orders) -> None:
        self._machine, self._orders = machine, orders
        self._period_s = 1 / IDLE_HZ
        self._battery = False
        self._writing = threading.Lock()
        self._facts = True  # the facts of the host go with the first reading and with every marked one

    def start(self) -> None:
        """Reads in a thread of its own, so that files that hang are noticed by `watch`."""
        threading.Thread(target=self._leave_when_unheard, args=(self.run,), name="files", daemon=True).start()

    def watch(self) -> None:
        """Until stdin ends: writes what can be told while the reading hangs."""
        self._leave_when_unheard(self._watch)

    def _watch(self) -> None:
        while True:
            time.sleep(PATIENCE_NS / 1e9)
            if told := self._machine.silent():
                self._put(told)

    @staticmethod
    def _leave_when_unheard(work: Callable[[], None]) -> None:
        try:
            work()
        except BrokenPipeError:
            os._exit(0)

    def run(self) -> None:
        """Until stdin ends."""
        due_s = time.monotonic()
        while True:
            order = self._orders.next(due_s - time.monotonic())
            if order is None:
                self._write()
                due_s = max(due_s + self.period_s, time.monotonic())
            elif self._obey(order):
                self._write()
            elif order.get("do") == "rate":
                due_s = time.monotonic()

    @property
    def period_s(self) -> float:
        """Between two readings."""
        return max(self._period_s, 1 / BATTERY_HZ) if self._battery else self._period_s

    def _obey(self, order: dict[str, object]) -> bool:
        """Carries a command out; True when it wants a reading now."""
        match order:
            case {"do": "watch", "host": str(host), "port": int(port)}:
                self._machine.watch(host, port)
            case {"do": "rate", "hz": int(hz) | float(hz)} if hz > 0:
                self._period_s = 1 / min(hz, FASTEST_HZ)
                self._machine.rate(1 / self._period_s)
            case {"do": "mark"}:
                self._machine.mark()
                self._facts = True
                return True
        return False

    def _write(self) -> None:
        reading = self._machine.read(self._facts)
        self._battery = reading.host.get("power", "battery" if self._battery else "") == "battery"
        self._facts = False
        self._put(reading)

    def _put(self, reading: Reading) -> None:
        line = {"mono_ns": reading.at_ns, **raw_from(reading)}
        with self._writing:
            sys.stdout.buffer.write(json.dumps(line, separators=(",", ":")).encode() + b"\n")
            sys.stdout.buffer.flush()


def leave_with_parent() -> None:
    """Die when the parent does (Linux), and leave ctrl-c to the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> None:
    """The process: one thread reads commands, one files, one looks for the server, one asks each driver."""
    leave_with_parent()
    orders = Orders()
    threading.Thread(target=orders.listen, name="orders", daemon=True).start()
    machine = Machine(here(drivers=WITHOUT_DRIVERS not in sys.argv[1:]))
    machine.start()
    loop = Loop(machine, orders)
    loop.start()
    loop.watch()


if __name__ == "__main__":
    main()
