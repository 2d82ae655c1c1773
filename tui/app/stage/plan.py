"""Where things stand on the stage: a pure decision from the size of the terminal."""

from __future__ import annotations

from tui.app.layout import Box, Form, Plan, TimeRows
from tui.plot.band import MARGIN
from tui.plot.digits import rows_of
from tui.plot.giant import scale_for

LEAST = (80, 24)
"""Columns and rows below which there is no stage."""

# Rows at the design size 100 x 28; what gives rows away below it, and what grows above it
_ROWS = {
    "band": 3, "air1": 1, "giants": 7, "air2": 1, "names": 1, "lane": 5, "ghost": 1, "axis": 1, "gaps": 3,
    "air3": 1, "dial": 2, "air4": 1, "footer": 1,
}  # fmt: skip
_LESS = ("air4", "giants", "air1", "gaps")
_MORE = (
    *(("lane", 2), ("gaps", 2), ("band", 2), ("air2", 1), ("lane", 2), ("air3", 1), ("air1", 1)),
    *(("lane", 2), ("gaps", 2), ("air2", 1), ("air3", 1)) * 2,
)
_MOST_GAPS = 12
_HEADING = 2  # with the air beneath
_TIME = ("names", "lane", "ghost", "axis", "gaps")


def stage_plan(width: int, height: int, answer: bool = False) -> Plan | None:
    """The stage at this size, None where it has no room. `answer`: it stands in the place of the gaps."""
    if width < LEAST[0] or height < LEAST[1]:
        return None
    rows = _fitted(width, height)
    boxes: dict[str, Box] = {}
    y = 0
    for name, high in rows.items():
        if high and not name.startswith("air") and name not in _TIME:
            boxes[name] = Box(0, y, width, high)
        if name == "names":
            shown = sum(rows[part] for part in _TIME) - (rows["gaps"] if answer else 0)
            boxes["time"] = Box(MARGIN, y, width - 2 * MARGIN, shown)
        if name == "gaps" and answer:
            boxes["answer"] = Box(MARGIN - 1, y, width - 2 * MARGIN + 2, high)
        y += high
    time = TimeRows(**{part: rows[part] for part in _TIME} | ({"gaps": 0} if answer else {}))
    return Plan(Form.STAGE, boxes, time)


def _fitted(width: int, height: int) -> dict[str, int]:
    """Rows of each part so that they sum to `height`: first the digits grow, then the rest."""
    rows = dict(_ROWS)
    spare = height - sum(rows.values())
    for part in _LESS:
        if spare >= 0:
            break
        rows[part] -= 1
        spare += 1
    scale = scale_for(width, rows["giants"] + max(0, spare) - 1)
    grown = max(0, _HEADING + rows_of(scale) - rows["giants"]) if spare > 0 else 0
    rows["giants"] += grown
    spare -= grown
    for part, more in _MORE:
        if spare >= more:
            rows[part] += more
            spare -= more
    higher = min(spare, max(0, _MOST_GAPS - rows["gaps"]))
    rows["gaps"] += higher
    rows["air2"] += (spare - higher) // 2
    rows["air3"] += (spare - higher + 1) // 2
    return rows
