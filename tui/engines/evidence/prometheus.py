"""Single values and labels out of the text that metrics are served as."""

from __future__ import annotations

import re

from tui.domain.values import finite

_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def labels(text: str, name: str) -> dict[str, str]:
    """The labels of a metric's first line."""
    line = next((line for line in text.splitlines() if line.startswith(name + "{")), "")
    return dict(_LABEL.findall(line))


def number(text: str, name: str) -> float | None:
    """The value of a metric's first line, None when there is none or it is no finite number."""
    line = next((it for it in text.splitlines() if it.startswith((name + "{", name + " "))), "")
    try:
        return finite(float(line.rpartition(" ")[2]))
    except ValueError:
        return None
