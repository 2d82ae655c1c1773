"""The file of earlier runs and calibrations: JSON Lines, appended whole, read by as many programs as like."""

from __future__ import annotations

import json
import os
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

from tui.domain.calibration import Calibration, calibration_from, fields_of
from tui.domain.expect import MOST_RUNS, Known
from tui.domain.state import learned
from tui.domain.values import finite
from tui.engines.found import Found
from tui.settings import owned

MOST_BYTES = 512_000
_KEPT_BYTES = MOST_BYTES // 2
BUILT_IN = "built-in"  # in place of its address, whose port is another one at each start
_UNUSABLE = "{} could not be written, so nothing is learned: {}"


@dataclass(frozen=True, slots=True)
class Key:
    """Which runs can be compared: same engine at the same address, same model, same cache mode."""

    engine: str
    root: str
    model: str
    cache: str


_KEY = frozenset(field.name for field in fields(Key))
_PLACE = _KEY - {"cache"}


def key_of(found: Found, built_in: bool, cache_mode: str) -> Key:
    """The key of a run that is sent there."""
    # nothing that a person may have hidden in the address is written down
    parts = urlsplit(found.base.root)
    root = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    return Key(found.engine, BUILT_IN if built_in else root, found.model, cache_mode)


class Experience:
    """Reads on where another program has written, and anew where it has put another file in the place.

    Only what `runs` and `calibration` may be asked for is kept. `problem`: why nothing can be learned.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem = ""
        self._stamp: tuple[int, int] | None = None
        self._inode = self._read_bytes = 0
        self._runs: dict[Key, deque[Known]] = {}
        self._calibrations: dict[tuple[str, str, str], Calibration | None] = {}

    def runs(self, key: Key) -> list[Known]:
        """The newest runs of a key, oldest first."""
        self._read()
        return list(self._runs.get(key, ()))

    def calibration(self, key: Key) -> Calibration | None:
        """The newest calibration of an endpoint; its cache mode does not count."""
        self._read()
        return self._calibrations.get((key.engine, key.root, key.model))

    def learn(self, key: Key, run: Known) -> None:
        self._append({"key": asdict(key), "run": {k: v for k, v in asdict(run).items() if v is not None}})

    def keep(self, key: Key, calibration: Calibration) -> None:
        """Takes the place of an earlier one."""
        self._append({"key": asdict(key), "calibration": fields_of(calibration)})

    def clear(self) -> bool:
        """Forget everything; whether there was anything."""
        there = self.path.exists()
        self.path.unlink(missing_ok=True)
        return there

    # -- the file -------------------------------------------------------------------------------------------

    def _read(self) -> None:
        """Take in the lines that are new; damaged ones are passed over."""
        try:
            seen = self.path.stat()
            stamp = (seen.st_mtime_ns, seen.st_size)
            if stamp != self._stamp:
                with self.path.open("rb") as file:
                    self._read_on(file)
                self._stamp = stamp
        except OSError:
            self._stamp = None
            self._forget()

    def _read_on(self, file: BinaryIO) -> None:
        now = os.fstat(file.fileno())
        if now.st_ino != self._inode or now.st_size < self._read_bytes:
            self._forget()
            self._inode, self._read_bytes = now.st_ino, max(0, now.st_size - 2 * MOST_BYTES)
        file.seek(self._read_bytes)
        data = file.read()
        whole = data.rfind(b"\n") + 1  # behind it a line may still be written
        for line in _parsed(data[:whole]):
            self._take(line)
        self._read_bytes += whole

    def _forget(self) -> None:
        self._inode = self._read_bytes = 0
        self._runs, self._calibrations = {}, {}

    def _take(self, line: Mapping[str, object]) -> None:
        told = line.get("key")
        if not isinstance(told, dict) or not all(isinstance(word, str) for word in told.values()):
            return
        if "calibration" in line and told.keys() >= _PLACE:
            place = (told["engine"], told["root"], told["model"])
            self._calibrations[place] = calibration_from(line["calibration"])
        if told.keys() == _KEY and (run := _known(line.get("run"))) is not None:
            self._runs.setdefault(Key(**told), deque(maxlen=MOST_RUNS)).append(run)

    def _append(self, line: Mapping[str, object]) -> None:
        """One write, so that two programs never mix their lines."""
        data = json.dumps(line, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        try:
            owned.folder(self.path.parent)
            descriptor = owned.plain(self.path, os.O_RDWR | os.O_APPEND)
            try:
                size = os.fstat(descriptor).st_size
                if size and os.lseek(descriptor, size - 1, os.SEEK_SET) and os.read(descriptor, 1) != b"\n":
                    data = b"\n" + data  # a program died within its last line
                os.write(descriptor, data)
            finally:
                os.close(descriptor)
            if size > MOST_BYTES:
                self._shorten()
        except OSError as error:
            self.problem = _UNUSABLE.format(self.path, error.strerror or error)

    def _shorten(self) -> None:
        """Replace the file at once by its newest lines and the newest calibration of each endpoint."""
        lines = list(_parsed(self.path.read_bytes()))
        newest = {json.dumps(line.get("key")): n for n, line in enumerate(lines) if "calibration" in line}
        kept: list[bytes] = []
        total = 0
        for n in range(len(lines) - 1, -1, -1):
            calibrated = "calibration" in lines[n]
            data = json.dumps(lines[n], separators=(",", ":")).encode() + b"\n"
            if newest.get(json.dumps(lines[n].get("key"))) == n if calibrated else total < _KEPT_BYTES:
                kept.append(data)
                total += len(data)
        owned.replaced(self.path, b"".join(reversed(kept)))


def _parsed(data: bytes) -> Iterable[Mapping[str, object]]:
    for line in data.splitlines():
        try:
            told = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(told, dict):
            yield told


def _known(told: object) -> Known | None:
    if not isinstance(told, Mapping):
        return None
    asked, ttft_s = learned(told, "asked"), finite(told.get("ttft_s"))
    if not asked or asked < 0 or ttft_s is None or ttft_s <= 0:
        return None
    tokens = learned(told, "tokens")
    expected_s = finite(told.get("expected_s"))
    return Known(
        asked,
        ttft_s,
        tokens if tokens is not None and tokens > 0 else None,
        expected_s if expected_s is not None and expected_s > 0 else None,
        str(told.get("at") or ""),
    )
