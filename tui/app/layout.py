"""What is shown where: a pure decision from the size of the terminal to the boxes of the panels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Form(Enum):
    """How much detail the size allows."""

    LARGE = "large"  # phase table, memory and GPU in columns
    SMALL = "small"  # the same facts as gauges
    NARROW = "narrow"  # as small, but two figures only
    LINE = "line"  # a sentence, a lane of one row, one line of figures
    TINY = "tiny"  # a sentence and the rate
    STAGE = "stage"  # few and huge things, for a room


@dataclass(frozen=True, slots=True)
class Box:
    """Cells of one panel, from the top left corner of the screen."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class TimeRows:
    """Rows of the time block. `axis` 2: a line and its labels; 1: labels only, the ghost is the line."""

    names: int = 0
    lane: int = 0
    ghost: int = 0
    axis: int = 0
    gaps: int = 0
    load: int = 0

    @property
    def total(self) -> int:
        return self.names + self.lane + self.ghost + self.axis + self.gaps + self.load


@dataclass(frozen=True, slots=True)
class Plan:
    """The screen at one size: which panels are shown, and their cells."""

    form: Form
    boxes: Mapping[str, Box]
    time: TimeRows = field(default_factory=TimeRows)
    maximised: str = ""

    def shows(self, name: str) -> bool:
        return name in self.boxes


PANELS = ("time", "answer", "memory", "gpu", "phases", "dial")
"""What can be maximised, in the order of the keys 1-6."""

SIDE_FROM = 150  # columns from which the machine panels stand beside the time block
_SIDE = 44
_SIDE_ROWS = 36  # in which both machine panels have room for nearly all they tell
_COLUMN = 32  # least width of the memory and the GPU panel
_LARGE = (110, 30)
_SMALL_ROWS = 16
_LINE = (40, 6)

# Rows at the design size; what gives rows away when there are fewer, and what grows when there are more.
_LARGE_ROWS = {
    "header": 1, "air1": 1, "sentence": 2, "figures": 4, "air3": 1,
    "names": 1, "lane": 3, "ghost": 1, "axis": 2, "gaps": 3, "load": 2,
    "panels": 7, "answer": 4, "dial": 3, "footer": 1,
}  # fmt: skip
_LARGE_LESS = ("air1", "sentence", "air3", "answer", "answer", "load", "gaps")
_LARGE_MORE = ("answer",) * 5 + ("gaps",) * 3 + ("load",) * 2 + ("lane",) * 2
_TALL = ("panels", "answer", "gaps", "panels", "answer", "load") * 4
_TALL_SIDE = ("gaps", "answer", "load", "gaps", "answer") * 4  # the machine has its own height there
_SMALL_HAS = {
    "header": 1, "sentence": 2, "figures": 4, "air2": 1,
    "names": 1, "lane": 2, "ghost": 1, "axis": 1, "gaps": 2, "load": 1,
    "gauges": 4, "answer": 1, "dial": 2, "footer": 1,
}  # fmt: skip
_SMALL_LESS = ("sentence", "air2", "dial", "load", "gaps", "gaps", "gauges", "gauges")
_SMALL_MORE = ("answer",) * 7 + ("gaps",) * 4 + ("load",) * 3 + ("lane",) * 3
_LINE_HAS = {
    "header": 1, "sentence": 2, "figures": 1,
    "lane": 1, "axis": 1, "gauges": 2, "answer": 1, "dial": 1, "footer": 1,
}  # fmt: skip
_LINE_LESS = ("axis", "dial", "gauges", "gauges", "header", "sentence")
_TIME = ("names", "lane", "ghost", "axis", "gaps", "load")


def plan(width: int, height: int, maximised: str = "") -> Plan:
    """The plan for a terminal of `width` x `height` cells; with a panel maximised, only it and the edges."""
    if maximised and width >= _LINE[0] and height >= 2 * _LINE[1]:
        return _one(width, height, maximised)
    if width >= _LARGE[0] and height >= _LARGE[1]:
        return _large(width, height)
    if width >= 60 and height >= _SMALL_ROWS:
        form = Form.SMALL if width >= 80 else Form.NARROW
        rows = _fitted(_SMALL_HAS, height, _SMALL_LESS, _SMALL_MORE)
        return Plan(form, _stacked(rows, width), _time(rows))
    if width >= _LINE[0] and height >= _LINE[1]:
        rows = _fitted(_LINE_HAS, height, _LINE_LESS, ())
        return Plan(Form.LINE, _stacked(rows, width), _time(rows))
    return Plan(Form.TINY, {"sentence": Box(0, 0, width, height)})


def _fitted(
    wanted: Mapping[str, int], height: int, less: tuple[str, ...], more: tuple[str, ...]
) -> dict[str, int]:
    """Rows of each part so that they sum to `height`; what is left in the end goes to the answer."""
    rows = dict(wanted)
    for part in less:
        if sum(rows.values()) <= height:
            break
        rows[part] -= 1
    for part in more:
        if sum(rows.values()) >= height:
            break
        rows[part] += 1
    rows["answer"] += height - sum(rows.values())
    return rows


def _time(rows: Mapping[str, int]) -> TimeRows:
    return TimeRows(**{part: rows.get(part, 0) for part in _TIME})


def _stacked(rows: Mapping[str, int], width: int) -> dict[str, Box]:
    """The parts below each other over the whole width; the rows of the time block are one box."""
    boxes: dict[str, Box] = {}
    y = 0
    for part, height in rows.items():
        name = "time" if part in _TIME else part
        if height > 0 and not name.startswith("air"):
            before = boxes.get(name)
            boxes[name] = Box(0, before.y if before else y, width, (before.height if before else 0) + height)
        y += height
    return boxes


def _large(width: int, height: int) -> Plan:
    side = width >= SIDE_FROM
    more = _LARGE_MORE + (_TALL_SIDE if side else _TALL)
    rows = _fitted(_LARGE_ROWS, height, _LARGE_LESS, more)
    boxes = _stacked(rows, width)
    panels = boxes.pop("panels")
    if side:
        left = width - _SIDE - 1
        top, bottom = boxes["figures"].y, boxes["answer"].y
        beside = ["figures", "time"]
        if bottom - top < _SIDE_ROWS:  # then the machine needs the rows beside the answer too
            beside, bottom = [*beside, "answer"], boxes["dial"].y
        for name in beside:
            box = boxes[name]
            boxes[name] = Box(box.x, box.y, left, box.height)
        boxes["phases"] = Box(0, panels.y, left, panels.height)
        half = (bottom - top + 1) // 2
        boxes["memory"] = Box(left + 1, top, _SIDE, half)
        boxes["gpu"] = Box(left + 1, top + half, _SIDE, bottom - top - half)
    else:
        column = max(_COLUMN, min(44, (width - 2 - 60) // 2))
        phases = width - 2 - 2 * column
        boxes["phases"] = Box(0, panels.y, phases, panels.height)
        boxes["memory"] = Box(phases + 1, panels.y, column, panels.height)
        boxes["gpu"] = Box(phases + column + 2, panels.y, column, panels.height)
    return Plan(Form.LARGE, boxes, _time(rows))


def _one(width: int, height: int, name: str) -> Plan:
    """One panel over everything but the header, the sentence and the footer."""
    body = Box(0, 3, width, height - 4)
    boxes = {
        "header": Box(0, 0, width, 1),
        "sentence": Box(0, 1, width, 2),
        name: body,
        "footer": Box(0, height - 1, width, 1),
    }
    form = Form.LARGE if width >= _LARGE[0] else Form.SMALL if width >= 80 else Form.NARROW
    if name != "time":
        return Plan(form, boxes, maximised=name)
    spare = max(0, body.height - 7)
    lane = min(5, 2 + spare // 6)
    load = min(8, 1 + spare // 4)
    gaps = body.height - 6 - lane - load
    return Plan(form, boxes, TimeRows(names=1, lane=lane, ghost=1, axis=2, gaps=gaps, load=load), name)
