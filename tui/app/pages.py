"""The pages over the monitor: which one a key opens, and what becomes of its result."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.app.feed import Live
from tui.app.screens.choices import BuiltIn, Choice, UseBuiltIn, UseUrl
from tui.app.screens.detail import DetailScreen
from tui.app.screens.engine import EngineScreen
from tui.app.screens.exact import ExactScreen
from tui.app.screens.explain import ExplainScreen
from tui.app.screens.help import HelpScreen
from tui.app.screens.own import OwnScreen
from tui.app.screens.welcome import BUILT_IN, WelcomeScreen
from tui.capture.target import Target
from tui.domain.knobs import Knobs, exact_prompt
from tui.domain.view import Stage, View
from tui.engines import model

if TYPE_CHECKING:
    from tui.app.main import Monitor

_BY_STAGE = {
    Stage.PREFILL: "prefill_now",
    Stage.DECODING: "decode_now",
    Stage.STALLED: "stall",
    Stage.FINISHED: "ttft",
}
_BY_PANEL = {"time": "since_sent", "phases": "prefill", "answer": "decode"}


def help_page(app: Monitor) -> None:
    app.push_screen(HelpScreen(app.keys))


def detail_page(app: Monitor, view: View, raw: list[str]) -> None:
    app.push_screen(DetailScreen(view, raw))


def explain_page(app: Monitor, view: View, selected: str) -> None:
    """Begins with what the cursor is on, else with what happens now."""
    app.push_screen(ExplainScreen(view, _BY_PANEL.get(selected) or _BY_STAGE.get(view.stage, "since_sent")))


def exact_page(app: Monitor, knobs: Knobs, context: int | None, turn: Callable[[Knobs], None]) -> None:
    def take(tokens: int | None) -> None:
        if tokens is not None:
            turn(exact_prompt(knobs, tokens, context))

    app.push_screen(ExactScreen(knobs, context), take)


def own_page(app: Monitor, knobs: Knobs, turn: Callable[[Knobs], None]) -> None:
    app.push_screen(OwnScreen(knobs), lambda changed: turn(changed) if changed is not None else None)


def builtin() -> BuiltIn:
    """Whether the built-in engine can be had here."""
    missing = importlib.util.find_spec("xllamacpp") is None
    why = "the built-in engine is not installed: pip install 'toklane[embedded]'" if missing else ""
    return BuiltIn(model.locate() is not None, why)


def engine_page(app: Monitor, feed: Live, type_url: bool = False) -> None:
    """Looks for engines anew and takes over what is chosen."""
    feed.discover()
    app.push_screen(
        EngineScreen(lambda: feed.discovered, builtin(), type_url=type_url), lambda choice: use(feed, choice)
    )


def welcome_page(app: Monitor, feed: Live) -> None:
    def take(choice: str | None) -> None:
        if choice == BUILT_IN:
            feed.embed()
        elif choice is not None:
            engine_page(app, feed, type_url=True)

    app.push_screen(WelcomeScreen(builtin()), take)


def use(feed: Live, choice: Choice | None) -> None:
    """Aim at what was chosen; the key itself is read from the environment, here and nowhere else."""
    match choice:
        case UseBuiltIn():
            feed.embed()
        case UseUrl(url, name, api_key_env):
            feed.aim(Target(url, os.environ.get(api_key_env, "") if api_key_env else "", name))
        case None:
            pass
