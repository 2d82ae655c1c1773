"""The bottom row of the stage: who answers at the left, the knobs and the keys at the right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.app.panels.lines import dotted, ends, most
from tui.app.replay_words import speed, standing
from tui.app.scene import Scene
from tui.app.tour import rows as touring
from tui.domain.knobs import Profile
from tui.plot.rows import Row, row_width


def footing(scene: Scene, shown: Mapping[str, str], width: int) -> Row:
    """A recording says so first of all; what has no room goes: model, knobs, engine, then keys."""
    left: Row = ((" toklane", "text bold"), (" ", "text"))
    if scene.replay:
        left = (*left, (f" RECORDING {speed(scene.replay.speed)} ", "text bold"), (" ", "text"))
    if scene.engine.unchecked:
        left = (*left, ("certificate not checked", "failed bold"), (" ", "text"))
    model = scene.engine.model.rstrip("/").rsplit("/", 1)[-1]
    names = dotted([part for part in (scene.engine.name, model) if part], "secondary")
    keys = _keys(scene, shown)
    while len(keys) > 1 and row_width(left) + row_width(_row(keys)) + 2 > width:
        keys.pop(-2)  # help is the last one to go
    right = _row(keys)
    knobs: Row = ()
    if not scene.replay and (scene.tour is None or scene.tour.turned):
        knobs = ((f"{' · '.join(_turned(scene))}  ", "secondary"),)
    room = width - row_width(right) - 2
    if row_width(most(left, names[:1], room)) + row_width(knobs) > room:
        knobs = ()
    return ends(most(left, names, room - row_width(knobs)), (*knobs, *right), width)


def _keys(scene: Scene, shown: Mapping[str, str]) -> list[tuple[str, str]]:
    """(key, what it does): what goes on, what stops, the way out, help."""
    keys: list[tuple[str, str]] = []
    if scene.tour:
        keys += touring.hints(scene.tour, scene.replay, shown).values()
    elif scene.replay:
        keys += [(shown["send"], "next")] if scene.replay.reel else []
        keys += [(shown["pause"], standing(scene.replay)), (shown["stage"], "leave")]
    else:
        if scene.running:
            keys.append((shown["stop"].split(" ")[0], "stop"))
        elif scene.enter.does:
            keys.append((shown["send"], scene.enter.does))
        keys.append((shown["stage"], "leave"))
    return [*keys, (shown["help"], "help")]


def _row(keys: Sequence[tuple[str, str]]) -> Row:
    spans: list[tuple[str, str]] = []
    for key, does in keys:
        spans += [("  " if spans else "", "text"), (key, "text bold"), (f" {does}", "secondary")]
    return (*spans, (" ", "text"))


def _turned(scene: Scene) -> list[str]:
    knobs = scene.knobs
    told = [f"answer {knobs.answer_limit}", f"cache {knobs.cache.value}"]
    if knobs.profile is not Profile.PLAIN:
        told.append(knobs.profile.value)
    if knobs.rivals:
        told.append(f"rivals {knobs.rivals}")
    return [*told, "auto on"] if knobs.auto else told
