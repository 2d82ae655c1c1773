"""What limits each phase, in one line with its evidence: the longest wording that fits."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.panels.fold import Block
from tui.app.panels.lines import measured
from tui.app.scene import Scene
from tui.domain.evidence import Verdict
from tui.plot.cells import clean
from tui.plot.cells import width as cells_of
from tui.plot.rows import Row

_STYLES = {"info": "text bold", "warn": "text bold", "crit": "stall bold"}
_SIGNS = {"info": "", "warn": "▲ ", "crit": "✖ "}
_RANKS = ("info", "warn", "crit")
_SETTLED_NS = 2_000_000_000
_SAYS_NOTHING = ("unclear", "no verdict")


def verdicts(scene: Scene) -> list[tuple[str, Verdict]]:
    """(phase, verdict) of each phase that has one."""
    told = scene.told
    if told is None:
        return []
    both = (("prefill", told.prefill_verdict), ("decode", told.decode_verdict))
    return [(name, verdict) for name, verdict in both if verdict is not None and not _early(scene, name)]


def _early(scene: Scene, name: str) -> bool:
    """A phase that has just begun: the gauges still average over what was before."""
    phase = scene.view.phase(name)
    return phase is not None and phase.running and phase.duration_ns < _SETTLED_NS


def telling(scene: Scene) -> tuple[str, Verdict] | None:
    """The one to show where there is room for one: the gravest, then one that says something, the latest."""
    both = verdicts(scene)
    if not both:
        return None
    return max(
        enumerate(both),
        key=lambda one: (_RANKS.index(one[1][1].level), one[1][1].word not in _SAYS_NOTHING, one[0]),
    )[1]


def judged(scene: Scene, width: int) -> list[Block]:
    """One verdict, in the words that fit; where there is room both in full."""
    one = telling(scene)
    if one is None:
        return []
    if one[1].word == "no verdict":
        return [Block(6, [one_line(*one, width)])]
    every = [row for name, verdict in verdicts(scene) for row in lines(name, verdict, width)]
    return [Block(6, every, less=[one_line(*one, width)])]


def one_line(name: str, verdict: Verdict, width: int) -> Row:
    """The longest wording that fits into a row."""
    sign, room = _SIGNS[verdict.level], width - 2
    said = next(
        (text for text in _wordings(name, verdict) if cells_of(sign + text) <= room), clean(verdict.word)
    )
    return ((f" {sign}{said}", _STYLES[verdict.level]),)


def lines(name: str, verdict: Verdict, width: int) -> list[Row]:
    """The whole of it over as many rows as it takes."""
    text = f"{_SIGNS[verdict.level]}{name} {clean(verdict.line)}"
    return [((f" {line}", _STYLES[verdict.level]),) for line in measured(text, width - 2)]


def _wordings(name: str, verdict: Verdict) -> Sequence[str]:
    """From long to short: with its phase, without it, with less and less of the evidence, and alone."""
    word, evidence = clean(verdict.word), clean(verdict.evidence)
    if not evidence:
        return (f"{name} {word}", word)
    if verdict.word == "no verdict":
        return (f"{word}: {evidence}", evidence)
    result = evidence.rpartition(" = ")[2]
    about = evidence.startswith("≈") and result != evidence
    less = [f"≈ {word}: {result}"] if about else [f"{word}: {part}" for part in _less(evidence)]
    named = [f"{name} {text}" for text in less[:1]]
    return (f"{name} {word}: {evidence}", f"{word}: {evidence}", *named, *less, f"{name} {word}", word)


def _less(evidence: str) -> list[str]:
    """The evidence without its last part, again and again."""
    parts = []
    for end in (", ", " during ", " while ", " on ", " of ", " from "):
        shorter = evidence.split(end, maxsplit=1)[0]
        if shorter != evidence:
            parts.append(shorter)
            evidence = shorter
    return parts or [evidence]
