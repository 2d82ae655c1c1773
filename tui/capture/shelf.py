"""Where recordings lie: one directory, names with date and run number, a cap on the total."""

from __future__ import annotations

import os
import re
from datetime import datetime
from pathlib import Path

from tui.settings import owned

_NAME = re.compile(r"(\d{8}-\d{6})-run(\d{4,})\.jsonl")
CAP_BYTES = 200_000_000


class Shelf:
    """The recordings of one directory. Files with other names are left alone."""

    def __init__(self, directory: Path, cap_bytes: int = CAP_BYTES) -> None:
        self.directory = directory
        self._cap_bytes = cap_bytes

    def reserve(self, now: datetime) -> Path:
        """An empty new file (0600), never shared; drops the oldest beyond the cap. Raises OSError."""
        owned.folder(self.directory)
        recordings = self.listing()
        self._drop_oldest(recordings)
        number = max((_number(path) for path in recordings), default=0) + 1
        while True:
            path = self.directory / f"{now:%Y%m%d-%H%M%S}-run{number:04}.jsonl"
            try:
                os.close(owned.new(path))
            except FileExistsError:
                number += 1
            else:
                return path

    def listing(self) -> list[Path]:
        """The recordings, newest first."""
        try:
            found = [path for path in self.directory.iterdir() if _NAME.fullmatch(path.name)]
        except FileNotFoundError:
            return []
        return sorted(found, key=lambda path: path.name, reverse=True)

    def clear(self) -> int:
        """Delete every recording; returns how many."""
        recordings = self.listing()
        for path in recordings:
            path.unlink(missing_ok=True)
        return len(recordings)

    def _drop_oldest(self, newest_first: list[Path]) -> None:
        total = 0
        for path in newest_first:
            try:
                total += path.stat().st_size
            except FileNotFoundError:  # another instance was faster
                continue
            if total > self._cap_bytes:
                path.unlink(missing_ok=True)


def _number(path: Path) -> int:
    named = _NAME.fullmatch(path.name)
    return int(named[2]) if named else 0
