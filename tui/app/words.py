"""The one sentence above the figures: what happens, how far it is, how long it takes."""

from __future__ import annotations

from collections.abc import Sequence

from tui.app.made import made_of
from tui.app.preparing import preparing
from tui.app.replay_words import explained
from tui.app.said import Said
from tui.app.scene import Replay, Scene
from tui.app.warned import warned
from tui.domain.arrivals import Stall
from tui.domain.finish import AT_LIMIT
from tui.domain.rivals import told_rivals
from tui.domain.state import learned
from tui.domain.view import Stage, View
from tui.plot.cells import clean
from tui.plot.numbers import count, duration
from tui.plot.read_so_far import read_so_far


def say(scene: Scene) -> Said:
    """The sentence of a scene."""
    said = preparing(scene) or _of_request(scene)
    if scene.replay is not None:
        return _replayed(said, scene.replay, scene)
    if scene.paused:
        return Said(
            "▌", "Paused", "text", (_standing(scene, said.word.lower()), f"{scene.keys['pause']} goes on")
        )
    if scene.calibrating:
        return Said(said.sign, said.word, said.role, (scene.calibrating, *said.parts))
    if scene.again and scene.running:
        return Said(said.sign, said.word, said.role, (*said.parts, "then once more"))
    return said


def _replayed(said: Said, replay: Replay, scene: Scene) -> Said:
    """The same of a recording; where it stands still at a change of phase, what has begun."""
    word = f"Recorded · {said.word}" if replay.reel or scene.tour else said.word
    if not replay.held:
        return Said(said.sign, word, said.role, said.parts)
    told = explained(scene.view.stage)
    on = f"{scene.keys['pause']} goes on"
    return Said(said.sign, word, said.role, (*((told,) if told else said.parts), on))


def _standing(scene: Scene, word: str) -> str:
    """What a view that stands still shows, and what became of it meanwhile."""
    if scene.running:
        return f"{word}, measuring goes on"
    return f"{word}, it is over by now" if scene.view.running else word


def _of_request(scene: Scene) -> Said:
    view = scene.view
    match view.stage:
        case Stage.CONNECTING:
            to = f"to {scene.engine.address}" if scene.engine.address else ""
            return Said("○", "Connecting", "waiting", (to,))
        case Stage.WAITING if any(p.name == "load" and p.running for p in view.phases):
            return Said(
                "○", "Loading", "load", ("the engine loads its model for this request", _noted(scene))
            )
        case Stage.WAITING:
            return Said("○", "Waiting", "waiting", _waiting(scene))
        case Stage.PREFILL:
            return Said("●", "Reading the prompt", "prefill", _reading(scene))
        case Stage.DECODING:
            word = "Writing the answer" if view.answer.length or not view.reasoning.length else "Thinking"
            return Said("●", word, "decode", _writing(scene))
        case Stage.STALLED:
            return Said("●", "Stalled", "stall", _stalled(view))
        case Stage.FINISHED if not view.complete:
            made, *rest = _summary(scene)
            return Said("■", "Incomplete", "stall", (warned(view), made, *rest[1:]))
        case Stage.FINISHED:
            return Said("✔", "Finished", "finished", _summary(scene))
        case Stage.CANCELLED:
            return Said(
                "■",
                "Stopped",
                "secondary",
                (
                    f"after {duration(view.total_ns or view.now_ns)}",
                    _so_far(view),
                    _ran_beside(view),
                    "some engines go on computing for a while" if view.since_sent.number else "",
                ),
            )
        case Stage.FAILED:
            message = clean(view.failure.message) if view.failure else ""
            return Said("✖", "Failed", "failed", (" ".join(message.split()),))
        case Stage.EMPTY:
            return Said("○", "Ready", "text", ())


def _waiting(scene: Scene) -> tuple[str, ...]:
    if scene.view.slots_busy:
        return (
            "other requests hold all its slots",
            "ours is in the queue",
            _beside(scene.view),
            _noted(scene),
        )
    return (
        "sent, nothing has come back yet",
        scene.remaining,
        _by_now(scene.view),
        "the engine does not say why",
        _beside(scene.view),
        _noted(scene),
    )


def _by_now(view: View) -> str:
    """What a calibration says that a silent engine does."""
    reading = view.phase("prefill")
    return "≈ it reads the prompt by now" if reading and reading.running else ""


def _reading(scene: Scene) -> tuple[str, ...]:
    reports = scene.view.reports
    done = read_so_far(reports[-1]) if reports else ""
    return (done, scene.remaining, _beside(scene.view), _noted(scene))


def _beside(view: View) -> str:
    """Background requests that keep the engine busy while this one runs."""
    number = told_rivals(view.conditions)
    return f"{_rivals(number)} beside it" if number else ""


def _rivals(number: int) -> str:
    return "1 rival" if number == 1 else f"{number} rivals"


def _noted(scene: Scene) -> str:
    """What its prompt could not be made as it was asked for; of a recording only once it is over: it may
    tell of what is still to come."""
    if scene.replay and scene.view.running:
        return ""
    note = scene.run_note.removesuffix(".")
    return note[:1].lower() + note[1:]


def _writing(scene: Scene) -> tuple[str, ...]:
    view = scene.view
    limit = learned(view.conditions, "answer_limit")
    most = f" of at most {count(limit)}" if limit else ""
    return (f"{_so_far(view)}{most}", _usual(view, "one every"), _beside(view))


def _so_far(view: View) -> str:
    """How many tokens came, by the engine's count; else messages, which are not tokens."""
    counts = view.track.columns.tokens
    if view.track.reads and counts[view.track.reads - 1]:
        return f"token {count(counts[view.track.reads - 1])}"
    return f"message {count(view.chunks)}" if view.chunks else "no token"


def _usual(view: View, words: str) -> str:
    return f"{words} {duration(view.gaps.usual_ns)}" if view.gaps.usual_ns else ""


def _stalled(view: View) -> tuple[str, ...]:
    stall = view.open_stall
    if stall is None:
        return ()
    unit = "token" if stall.counted else "message"
    return (
        f"no {unit} for {duration(stall.gap_ns)}",
        f"after {unit} {count(stall.at_token - 1)}",
        _usual(view, "usually one every"),
    )


def _summary(scene: Scene) -> tuple[str, ...]:
    """What the wait was made of, what about it can't be taken at face value, and what hurt."""
    view = scene.view
    stalls = "" if "buffered_delivery" in view.warnings else _stalls(view.stalls)  # a lump is no stall
    limited = view.finish_reason in AT_LIMIT and "stopped_by_context" not in view.warnings
    ending = "the answer limit ended it" if limited else ""
    made, beside = made_of(view)
    return (made, warned(view), _ran_beside(view), stalls, beside, ending, _noted(scene))


def _ran_beside(view: View) -> str:
    """That its times are those of a busy engine."""
    number = told_rivals(view.conditions)
    return f"{_rivals(number)} ran beside it" if number else ""


def _stalls(stalls: Sequence[Stall]) -> str:
    if not stalls:
        return ""
    worst = max(stalls, key=lambda stall: stall.gap_ns)
    unit = "token" if worst.counted else "message"
    if len(stalls) == 1:
        return f"one stall of {duration(worst.gap_ns)} at {unit} {count(worst.at_token)}"
    return f"{len(stalls)} stalls, the longest {duration(worst.gap_ns)} at {unit} {count(worst.at_token)}"
