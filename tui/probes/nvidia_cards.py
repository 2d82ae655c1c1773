"""The NVIDIA cards that answer, and the slices of those that are cut up (MIG)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tui.probes.card import Card
from tui.probes.metric import CardGone, failures

ALL_LOST = 15  # the driver's code for a lost card


@dataclass(frozen=True, slots=True)
class Finder:
    """Builds the cards. `alive` is called before each question that may take long."""

    nvml: Any
    clock: Callable[[], int]
    wall: Callable[[], int]
    ram_bytes: int | None
    proc: Path
    alive: Callable[[], None]

    def find(self) -> tuple[list[Card], tuple[str, ...]]:
        """All cards or slices, and the UUIDs of the cards along the bus.

        Raises the driver's error, that of a lost card when there are some and none answers.
        """
        found, whole = [], []
        handles = self._handles()
        for handle in handles:
            self.alive()
            with contextlib.suppress(CardGone):
                card = self._card(handle)
                parts = [self._card(handle, one, first=i == 0) for i, one in enumerate(self._slices(handle))]
                found += parts or [card]
                whole.append(card.uuid)
        if handles and not found:
            raise self.nvml.NVMLError(ALL_LOST)
        return found, tuple(whole)

    def _handles(self) -> list[Any]:
        """Those of the cards that answer. Raises the error of one that does not when none does."""
        found, failed = [], []
        for i in range(self.nvml.nvmlDeviceGetCount()):
            self.alive()
            try:
                found.append(self.nvml.nvmlDeviceGetHandleByIndex(i))
            except failures(self.nvml) as error:
                failed.append(error)
        if failed and not found:
            raise failed[0]
        return found

    def _card(self, handle: Any, part: Any = None, *, first: bool = True) -> Card:
        return Card(
            self.nvml,
            self.clock,
            handle,
            part,
            first=first,
            ram_bytes=self.ram_bytes if part is None else None,
            wall=self.wall,
            proc=self.proc,
        )

    def _slices(self, handle: Any) -> Iterator[Any]:
        nvml = self.nvml
        with contextlib.suppress(*failures(nvml)):
            if nvml.nvmlDeviceGetMigMode(handle)[0]:
                for i in range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
                    with contextlib.suppress(*failures(nvml)):  # numbers between slices can be free
                        yield nvml.nvmlDeviceGetMigDeviceHandleByIndex(handle, i)
