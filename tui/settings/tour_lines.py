"""On which line of a script something stands: the parser of TOML tells only where it no longer is TOML."""

from __future__ import annotations

import re
import tomllib

_HEAD = re.compile(r"\s*\[\[\s*scene\s*\]\]")
_KEY = re.compile(r"""\s*(?:\[{1,2}\s*)?["']?([\w-]+)["']?\s*(?:=|\.|\])""")
_AT = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)")
_QUOTES = ('"""', "'''")


class Lines:
    """The lines of a script, by scene (from 0; None: before the first one) and key."""

    def __init__(self, text: str, name: str) -> None:
        self._name = name
        self._found: dict[tuple[int | None, str], int] = {}
        self._count = max(1, len(text.splitlines()))
        scene: int | None = None
        inside = ""
        for number, line in enumerate(text.splitlines(), start=1):
            if not inside:
                if _HEAD.match(line):
                    scene = 0 if scene is None else scene + 1
                    self._found[scene, ""] = number
                elif key := _KEY.match(line):
                    self._found.setdefault((scene, key[1]), number)
            for quotes in _QUOTES:
                if line.count(quotes) % 2 and inside in ("", quotes):
                    inside = "" if inside else quotes

    def at(self, scene: int | None, key: str) -> str:
        """`tour.toml, line 12`: of a key, else of the scene's beginning, else of the file's."""
        number = (
            self._found.get((scene, key)) or self._found.get((scene, "")) or self._found.get((None, key), 1)
        )
        return f"{self._name}, line {number}"

    def of_syntax(self, error: tomllib.TOMLDecodeError) -> str:
        """One line for what is no TOML."""
        words = " ".join(str(error).split())
        place = _AT.search(words)
        number = int(place[1]) if place and place[1] else self._count
        said = _AT.sub("", words)
        where = f"{self._name}, line {number}" if place else self._name
        return f"{where}: {said}; a line is name = value, and texts stand in quotes"
