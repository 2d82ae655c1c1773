"""The sentence before there is a request: which engine there is, and what the key that sends would do."""

from __future__ import annotations

from tui.app.enter import Enter
from tui.app.said import Said
from tui.app.scene import Scene
from tui.domain.view import Stage
from tui.plot.numbers import count

_SENDING = {
    Enter.SEND: "",
    Enter.AGAIN: "tries again",
    Enter.CHOOSE: "offers the built-in one or an address",
    Enter.NOTHING: "",
}


def preparing(scene: Scene) -> Said | None:
    """What comes before a request is sent; None when there is a request to tell about."""
    if scene.activity and not scene.view.running:
        return Said("○", "Preparing", "waiting", (scene.activity,))
    if scene.view.stage is not Stage.EMPTY:
        return None
    setup = scene.setup
    if setup.state == "fetching":
        return Said(
            "○", "Fetching the model", "load", (_megabytes(setup.done_bytes, setup.total_bytes), setup.stage)
        )
    if setup.state == "starting":
        return Said("○", "Starting the engine", "load", ("it loads its model",))
    if setup.state == "failed":
        return Said("✖", "No engine", "failed", (setup.why, _offer(scene)))
    if scene.problem:
        return Said("✖", "No engine", "failed", (scene.problem, _offer(scene)))
    if scene.replay and scene.tour:
        return Said("○", "Ready", "text", (f"{scene.keys['send']} plays {scene.tour.title}",))
    if scene.replay:
        return Said("○", "Replay", "waiting", (f"{scene.keys['pause']} plays",))
    if scene.aiming and not scene.engine.name:
        return Said(
            "○", "Reaching the engine", "waiting", ("asking what it is", "it may still load its model")
        )
    if scene.searching:
        return Said("○", "Looking for an engine", "waiting", ("on this computer's usual ports",))
    if not scene.engine.name:
        return Said("○", "No engine yet", "text", (_offer(scene), f"{scene.keys['engine']} picks one"))
    if scene.engine.loading:
        return Said("○", "Loading", "load", ("the engine loads its model",))
    if scene.running:
        return Said("○", "Preparing", "waiting", ("the request is about to be sent",))
    return Said("○", "Ready", "text", _ready(scene))


def _offer(scene: Scene) -> str:
    """What the key that sends does where there is no engine."""
    does = _SENDING[scene.enter]
    other = f", {scene.keys['engine']} picks another" if scene.enter is Enter.AGAIN else ""
    return f"{scene.keys['send']} {does}{other}" if does else ""


def _ready(scene: Scene) -> tuple[str, ...]:
    knobs, send = scene.knobs, scene.keys["send"]
    what = "your own prompt" if knobs.own else f"a prompt of {count(knobs.prompt_tokens)} tokens"
    return f"{send} sends {what}", "so does every turn of a knob" if knobs.auto else ""


def _megabytes(done: int, total: int) -> str:
    if not total:
        return ""
    return f"{done / 1e6:.1f} of {total / 1e6:.1f} MB" if done else f"{total / 1e6:.0f} MB, once"
