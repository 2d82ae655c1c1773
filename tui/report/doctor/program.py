"""toklane itself: its version and folder, its Python, its clock of arrivals, and the built-in engine."""

from __future__ import annotations

import platform
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from tui import locations
from tui.engines import embedded, model

_LIBRARY = "xllamacpp"


@dataclass(frozen=True, slots=True)
class Program:
    """stamps: where arrival times come from on this system, kernel or recv."""

    version: str
    path: Path
    python: str
    executable: str
    system: str
    stamps: str


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """The built-in engine without starting it. library: its version, "" when it is not installed."""

    library: str
    model: str
    path: Path
    fetched: bool

    @property
    def usable(self) -> bool:
        """Nothing is missing."""
        return bool(self.library) and self.fetched

    @property
    def remedy(self) -> str:
        """What to do for it to be usable; empty when it is."""
        if not self.library:
            return embedded.EXTRA
        return "" if self.fetched else "`toklane model --fetch` fetches its model (93 MB, once)"


def program() -> Program:
    """Of the program that runs now."""
    return Program(
        version=_version("toklane") or "(not installed)",
        path=locations.PACKAGE,
        python=platform.python_version(),
        executable=sys.executable,
        system=f"{platform.system()} {platform.release()} {platform.machine()}",
        stamps="kernel" if sys.platform == "linux" else "recv",
    )


def built_in(gguf: Path | None = None) -> BuiltIn:
    """Whether its library and its model, or the file `gguf`, are there; nothing is loaded."""
    library = ""
    if find_spec(_LIBRARY) is not None:
        library = _version(_LIBRARY) or "unknown"
    place = gguf or model.locate()
    return BuiltIn(
        library,
        gguf.stem if gguf else model.NAME,
        place or model.path(),
        place is not None and place.is_file(),
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
