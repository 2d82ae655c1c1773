"""What a replay says about itself: which file, how fast, where it is, and why it stands still."""

from __future__ import annotations

from collections.abc import Mapping

from tui.app.scene import Reel, Replay
from tui.domain.view import Stage
from tui.plot.numbers import clock

OWN = ("a real request, recorded", "your own: {engine} picks an engine", "toklane --embedded")
"""What a demo is, and how to send what is one's own, with which key."""

_FRACTIONS = {0.25: "¼", 0.5: "½", 0.75: "¾"}
_EXPLAINED: Mapping[Stage, str] = {
    Stage.CONNECTING: "a connection is opened, nothing was sent yet",
    Stage.WAITING: "the request was sent, and nothing came back yet: others may be before it",
    Stage.PREFILL: "the engine works through the whole prompt before it writes a word",
    Stage.DECODING: "the first token is here, the others follow one after the other",
}


def speed(times: float) -> str:
    """`×2`, `×¼`."""
    return f"×{_FRACTIONS.get(times) or f'{times:g}'}"


def place(replay: Replay) -> str:
    """`3.2 of 18.4 s`: of the time from "sent" to the end."""
    at_ns, end_ns = max(0, replay.position_ns), replay.end_ns
    if end_ns < 1_000_000_000:
        return f"{at_ns / 1e6:.0f} of {end_ns / 1e6:.0f} ms"
    if end_ns < 100_000_000_000:
        return f"{at_ns / 1e9:.1f} of {end_ns / 1e9:.1f} s"
    return f"{clock(at_ns)} of {clock(end_ns)} min"


def marks(replay: Replay) -> list[str]:
    """What was switched on."""
    return ["loop"] * replay.loop + ["freeze"] * replay.freeze


def standing(replay: Replay) -> str:
    """What space does to it."""
    if replay.playing:
        return "pause"
    return "hold" if replay.reel and replay.reel.next_in_s else "play"


def countdown(reel: Reel, hold: str) -> list[str]:
    """That the next recording begins by itself, how soon, and the key (`hold`) that keeps this one."""
    if reel.next_in_s is None:
        return []
    what = "the first again" if reel.number == reel.of else "next"
    return [f"{what} in {reel.next_in_s} s", f"{hold} holds"]


def source(replay: Replay, name: str) -> str:
    """Where it is from: `recording 2 of 5`, or `replay` and the file's name."""
    if replay.reel is None:
        return f"replay {name}".strip()
    return f"recording {replay.reel.number} of {replay.reel.of}"


def explained(stage: Stage) -> str:
    """What has begun at a change of phase, for who sees it for the first time; "" where the sentence does."""
    return _EXPLAINED.get(stage, "")
