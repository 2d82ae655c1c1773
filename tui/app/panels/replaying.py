"""Rows that only a replay has: its keys in the footer, and the caption of a demo in the place of the dial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.app.panels.lines import dotted, most
from tui.app.replay_words import OWN, countdown, standing
from tui.app.scene import Replay
from tui.plot.rows import Row, join, row_width

Hints = dict[str, tuple[str, str]]
LAST_TO_GO = (
    "next",
    "send",
    "back",
    "edge",
    "engine",
    "quit",
    "help",
    "token",
    "pace",
    "stage",
    "loop",
    "ghost",
)
"""Of the hints of a replay, the most needed first."""


def hints(replay: Replay, shown: Mapping[str, str]) -> Hints:
    """(key, what it does) by name, in the order in which they stand."""
    told: Hints = {}
    if replay.reel is not None:
        told["next"] = (shown["send"], "next")
    told["send"] = (shown["pause"], standing(replay))
    told["token"] = (f"{shown['token_back']} {shown['token_forward']}", "token")
    told["edge"] = (f"{shown['edge_back']} {shown['edge_forward']}", "phase")
    told["pace"] = (f"{shown['slower']} {shown['faster']}", "speed")
    told["loop"] = (shown["loop"], "loop off" if replay.loop else "loop")
    if replay.reel is not None:
        told["engine"] = (shown["engine"], "your engine")
    return told


def caption(replay: Replay, width: int, height: int, keys: Mapping[str, str]) -> Sequence[Row]:
    """What the recording of a demo shows, and how to send one's own; what has no room goes.

    Before it goes on by itself it says so, and which of the `keys` keeps it.
    """
    reel = replay.reel
    if reel is None:
        return ()
    head: Row = ((f" {reel.number}/{reel.of} ", "text bold"),)
    said = [((f" {words}", "text"),) for words in (reel.caption, reel.title)]
    first = next((join(head, row) for row in said if row_width(head) + row_width(row) <= width), head)
    leaving = countdown(reel, keys["pause"])
    if leaving and height < 2:
        return (most(head, dotted(["", *leaving], "text"), width),)
    told = dotted((*leaving, *(words.format_map(keys) for words in OWN)), "secondary")
    soon: list[Row] = [tuple((text, "text bold") for text, _ in row) for row in told[: len(leaving)]]
    return (first, most(((" ", "text"),), [*soon, *told[len(leaving) :]], width))[:height]
