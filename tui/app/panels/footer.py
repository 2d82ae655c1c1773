"""The bottom row: the keys that act now, with the values of the knobs; or a word that passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.app.layout import PANELS, Form
from tui.app.panels.lines import most
from tui.app.panels.panel import SLOW, Panel
from tui.app.panels.replaying import LAST_TO_GO
from tui.app.panels.replaying import hints as replayed
from tui.app.scene import Scene
from tui.app.stage.footing import footing
from tui.app.theming import Ink
from tui.app.tour import rows as touring
from tui.plot.cells import clean, clusters, width
from tui.plot.rows import Row, row_width
from tui.settings.keys import Key, first_key

_LAST_TO_GO = (
    "send",
    "stop",
    "back",
    "prompt",
    "answer",
    "quit",
    "help",
    "cache",
    "rivals",
    "ghost",
    "stage",
    "engine",
    "profile",
    "auto",
)


class Footer(Panel):
    every = SLOW

    def __init__(self, ink: Ink, name: str, keys: Sequence[Key]) -> None:
        super().__init__(ink, name)
        self._shown = {key.action: key.shown for key in keys}
        self.said = ""

    def rows(self, scene: Scene, width: int, height: int) -> Sequence[Row]:
        if self.said:
            said = fitted(clean(self.said).split(), width)
            return (most((), [((f" {word}", "text bold"),) for word in said], width),)
        if self.plan.form is Form.STAGE:
            return (footing(scene, self._shown, width),)
        return (footer(scene, self._shown, width, self.plan.form, self.plan.maximised),)


def fitted(words: Sequence[str], cells: int) -> list[str]:
    """The words; where they don't fit, the longest of them (a path) loses its beginning: the reason stays."""
    parts = list(words)
    over = sum(1 + width(part) for part in parts) - cells
    if over > 0:
        at = max(range(len(parts)), key=lambda n: width(parts[n]))
        parts[at] = "…" + _end(parts[at], width(parts[at]) - over - 1)
    return parts


def _end(text: str, cells: int) -> str:
    kept = ""
    for cluster, wide in reversed(list(clusters(text))):
        cells -= wide
        if cells < 0:
            break
        kept = cluster + kept
    return kept


def footer(scene: Scene, shown: Mapping[str, str], width: int, form: Form, maximised: str = "") -> Row:
    """Keys and what they do, as many as fit; the least needed go first."""
    hints = _hints(scene, shown, form is Form.LARGE, maximised)
    order = LAST_TO_GO if scene.replay and maximised not in ("time", "answer") else _LAST_TO_GO
    if scene.knobs.auto and not scene.replay:
        order = ("auto", *order)  # what sends at a turn is seen wherever anything is
    if scene.tour:
        order = tuple(dict.fromkeys((*touring.FIRST, *order)))
    keep = [name for name in dict.fromkeys(order) if name in hints]
    row: Row = ()
    while keep:
        row = _row(hints, keep)
        if row_width(row) <= width:
            break
        keep.pop()
    return row


def _row(hints: Mapping[str, tuple[str, str]], keep: Sequence[str]) -> Row:
    spans: list[tuple[str, str]] = []
    for name, (key, does) in hints.items():
        if name in keep:
            spans += [("  " if spans else " ", "text"), (key, "text bold"), (f" {does}", "secondary")]
    return tuple(spans)


def _hints(scene: Scene, shown: Mapping[str, str], wide: bool, maximised: str) -> dict[str, tuple[str, str]]:
    knobs = scene.knobs
    first = first_key(shown.get("stop", ""))
    hints: dict[str, tuple[str, str]] = {}
    if scene.tour:
        hints |= touring.hints(scene.tour, scene.replay, shown)
    elif scene.replay:
        hints |= replayed(scene.replay, shown)
    elif scene.running:
        hints["stop"] = (first, "stop")
    elif scene.enter.does:
        hints["send"] = (shown["send"], scene.enter.does)
    if maximised:
        # while a request runs esc stops it: then the panel's own number goes back
        hints["back"] = (str(PANELS.index(maximised) + 1) if scene.running else first, "back")
    if maximised == "time":
        hints["prompt"] = (f"{shown['shorter']} {shown['longer']}", "cursor")
        hints["answer"] = (f"{shown['zoom_in']} {shown['zoom_out']} {shown['zoom_all']}", "zoom")
    elif maximised == "answer":
        hints["prompt"] = (f"{shown['shorter']} {shown['longer']}", "piece")
        hints["answer"] = (f"{shown['finer_shorter'].split(' ')[0]} {shown['longer']}", "span")
        hints["cache"] = (shown["explain"], "explain")
        hints["rivals"] = (shown["gaps"], "gaps")
    elif not scene.replay:
        if not knobs.own:
            hints["prompt"] = (f"{shown['shorter']} {shown['longer']}", "prompt")
        hints["answer"] = (f"{shown['more_answer']} {shown['less_answer']}", f"answer {knobs.answer_limit}")
        hints["cache"] = (shown["cache"], f"cache {knobs.cache.value}" if wide else knobs.cache.value)
        hints["profile"] = (shown["profile"], knobs.profile.value)
        hints["rivals"] = (shown["rivals"], f"rivals {knobs.rivals}")
        hints["auto"] = (shown["auto"], "auto on" if knobs.auto else "auto off")
        hints["engine"] = (shown["engine"], "engine")
    hints["ghost"] = (shown["ghost"], "ghost")
    hints["stage"] = (shown["stage"], "stage")
    hints["help"] = (shown["help"], "help")
    hints["quit"] = (shown["quit"], "quit")
    return hints
