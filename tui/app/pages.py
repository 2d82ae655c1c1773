"""The pages over the monitor: which one a key opens, and what becomes of its result."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from tui.app.feed import Feed, Live
from tui.app.panels.machine_rows import NOT_YET, not_read
from tui.app.scene import Scene
from tui.app.screens.choices import BuiltIn, Choice, UseBuiltIn, UseUrl
from tui.app.screens.detail import DetailScreen
from tui.app.screens.engine import EngineScreen
from tui.app.screens.exact import ExactScreen
from tui.app.screens.explain import ExplainScreen
from tui.app.screens.help import HelpScreen
from tui.app.screens.own import OwnScreen
from tui.app.screens.span import NUMBERS, SpanScreen
from tui.app.screens.welcome import BUILT_IN, DEMO, WelcomeScreen
from tui.capture.target import Target
from tui.domain.explain import explain
from tui.domain.knobs import Knobs, exact_prompt
from tui.domain.spans import Span
from tui.domain.view import Stage, View
from tui.engines import model
from tui.engines.urls import BadUrl, normalised
from tui.plot.numbers import count
from tui.settings.config import ConfigError
from tui.settings.credentials import from_variable
from tui.settings.definitions import of_phase
from tui.settings.usage import extra

if TYPE_CHECKING:
    from tui.app.main import Monitor
    from tui.app.playing import Playing

_BY_STAGE = {
    Stage.PREFILL: "prefill_now",
    Stage.DECODING: "decode_now",
    Stage.STALLED: "stall",
    Stage.FINISHED: "ttft",
}
_BY_PANEL = {"time": "since_sent", "phases": "prefill", "answer": "decode", "memory": "ram"}


def help_page(app: Monitor) -> None:
    app.push_screen(HelpScreen(app.keys))


def detail_page(app: Monitor, view: View, feed: Feed) -> None:
    run = feed.run
    prompt = {name: f"{count(tokens)} tokens" for name, tokens in run.parts} if run else {}
    app.push_screen(DetailScreen(view, feed.raw(), prompt | ({"note": run.note} if run and run.note else {})))


def explain_page(
    app: Monitor, scene: Scene, selected: str, span: Span | None = None, at_ns: int | None = None
) -> None:
    """Begins with what the cursor is on: a span of the answer, the phase at a moment, a panel; else with what
    happens now."""
    if span is not None:
        marks = scene.told.moments.marks if scene.told is not None else ()

        def go_on(wanted: str | None) -> None:
            if wanted == NUMBERS:
                explain_page(app, scene, selected)

        app.push_screen(SpanScreen(explain(scene.view, span, marks)), go_on)
        return
    now = scene.pressure.latest
    by_panel = _BY_PANEL | {"gpu": "gpu_use" if now and now.gpus else "cores"}
    at = next((p for p in scene.view.phases if at_ns is not None and p.start_ns <= at_ns < p.end_ns), None)
    name = (
        of_phase(at.name).name
        if at is not None
        else by_panel.get(selected) or _BY_STAGE.get(scene.view.stage, "since_sent")
    )
    app.push_screen(ExplainScreen(scene.view, name, scene.pressure, not_read(scene) or NOT_YET, scene.told))


def exact_page(app: Monitor, knobs: Knobs, context: int | None, turn: Callable[[Knobs], None]) -> None:
    def take(tokens: int | None) -> None:
        if tokens is not None:
            turn(exact_prompt(knobs, tokens, context))

    app.push_screen(ExactScreen(knobs, context), take)


def own_page(app: Monitor, knobs: Knobs, turn: Callable[[Knobs], None]) -> None:
    app.push_screen(OwnScreen(knobs), lambda changed: turn(changed) if changed is not None else None)


def builtin(used: bool = False) -> BuiltIn:
    """Whether the built-in engine can be had here. used: requests go to it now."""
    missing = importlib.util.find_spec("xllamacpp") is None
    why = f"the built-in engine is not installed: {extra('embedded')}" if missing else ""
    return BuiltIn(model.locate() is not None, why, used)


def engine_page(app: Monitor, feed: Live, type_url: bool = False) -> None:
    """Looks for engines anew and takes over what is chosen."""
    feed.discover()

    def take(choice: Choice | None) -> None:
        if why := use(feed, choice):
            app.say(why)

    ours = feed.builtin.engine is not None
    page = EngineScreen(
        lambda: feed.discovered,
        builtin(ours),
        type_url=type_url,
        slow=lambda: feed.slow,
        using=None if ours else feed.found,
    )
    app.push_screen(page, take)


def watch(desk: Playing) -> None:
    """The recordings that come along; one line where they can't be read."""
    from tui.capture.demo import DemoSession

    try:
        desk.show_demo(DemoSession())
    except (OSError, ValueError) as error:
        desk.say(f"no recordings to watch: {error}")


def welcome_page(app: Monitor, feed: Live) -> None:
    def take(choice: str | None) -> None:
        if choice == BUILT_IN:
            feed.embed()
        elif choice == DEMO and app.desk is not None:
            watch(app.desk)
        elif choice is not None:
            engine_page(app, feed, type_url=True)

    app.push_screen(WelcomeScreen(builtin(), feed.slow, failed=feed.builtin.state == "failed"), take)


def use(feed: Live, choice: Choice | None, environ: Mapping[str, str] = os.environ) -> str:
    """Aim at what was chosen; one line where its key can't be had. The key is read here and nowhere else.

    The same address keeps what was set for it: its certificates, and its key unless another one is named.
    """
    match choice:
        case UseBuiltIn():
            feed.embed()
        case UseUrl(url, name, api_key_env):
            before = feed.target
            target = (
                replace(before, url=url, model=name)
                if before and _same(before.url, url)
                else Target(url, model=name)
            )
            try:
                if api_key_env:
                    target = replace(
                        target, key=from_variable(api_key_env, environ), key_variable=api_key_env
                    )
            except ConfigError as error:
                return str(error)
            feed.aim(target)
        case None:
            pass
    return ""


def _same(one: str, other: str) -> bool:
    try:
        return normalised(one).root == normalised(other).root
    except BadUrl:
        return False
