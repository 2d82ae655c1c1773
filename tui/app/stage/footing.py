"""The bottom row of the stage: who answers at the left, the knobs and the help key at the right."""

from __future__ import annotations

from collections.abc import Mapping

from tui.app.panels.lines import dotted, ends, most
from tui.app.replay_words import speed
from tui.app.scene import Scene
from tui.app.tour import rows as touring
from tui.app.tour.shown import Shown
from tui.domain.knobs import Profile
from tui.plot.rows import Row, row_width


def footing(scene: Scene, shown: Mapping[str, str], width: int) -> Row:
    """A recording says so first of all; what has no room goes: knobs before the names, names before keys."""
    left: Row = ((" toklane", "text bold"), (" ", "text"))
    if scene.replay:
        left = (*left, (f" RECORDING {speed(scene.replay.speed)} ", "text bold"), (" ", "text"))
    if scene.engine.unchecked:
        left = (*left, ("certificate not checked", "failed bold"), (" ", "text"))
    model = scene.engine.model.rstrip("/").rsplit("/", 1)[-1]
    names = dotted([part for part in (scene.engine.name, model) if part], "secondary")
    helped: Row = ((shown["help"], "text bold"), (" help ", "secondary"))
    knobs = (
        _toured(scene.tour, scene, shown, width - row_width(left) - row_width(helped) - 2)
        if scene.tour
        else _knobs(scene, shown)
    )
    right = (*knobs, *helped)
    kept = right if scene.tour or scene.replay else helped
    left = most(left, names, width - row_width(kept) - 2)
    if row_width(left) + row_width(right) + 2 <= width:
        return ends(left, right, width)
    return ends(left, helped, width)


def _knobs(scene: Scene, shown: Mapping[str, str]) -> Row:
    """The knobs that are not on the dial: turned on a stage, they must be seen to turn."""
    if scene.replay:
        does = "pause" if scene.replay.playing else "play"
        after = ((shown["send"], "text bold"), (" next  ", "secondary")) if scene.replay.reel else ()
        return (*after, (shown["pause"], "text bold"), (f" {does}  ", "secondary"))
    return ((f"{' · '.join(_turned(scene))}  ", "secondary"),)


def _toured(tour: Shown, scene: Scene, shown: Mapping[str, str], room: int) -> Row:
    """The keys of a tour; before them the knobs, where one was turned and they have room too."""
    told = touring.hints(tour, scene.replay, shown).values()
    keys: Row = tuple(
        span for key, does in told for span in ((key, "text bold"), (f" {does}  ", "secondary"))
    )
    turned: Row = ((f"{' · '.join(_turned(scene))}  ", "secondary"),) if tour.turned else ()
    return (*turned, *keys) if row_width(turned) + row_width(keys) <= room else keys


def _turned(scene: Scene) -> list[str]:
    knobs = scene.knobs
    told = [f"answer {knobs.answer_limit}", f"cache {knobs.cache.value}"]
    if knobs.profile is not Profile.PLAIN:
        told.append(knobs.profile.value)
    if knobs.rivals:
        told.append(f"rivals {knobs.rivals}")
    return [*told, "auto on"] if knobs.auto else told
