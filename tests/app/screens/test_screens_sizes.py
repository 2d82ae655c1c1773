"""Every page at the sizes it must work at: title, content and keys are seen, and esc goes back."""

from collections.abc import Callable
from typing import Any

import pytest

from tui.app.screens.choices import BuiltIn
from tui.app.screens.detail import DetailScreen
from tui.app.screens.engine import EngineScreen
from tui.app.screens.exact import ExactScreen
from tui.app.screens.explain import ExplainScreen
from tui.app.screens.help import HelpScreen
from tui.app.screens.own import OwnScreen
from tui.app.screens.welcome import WelcomeScreen
from tui.domain.knobs import Knobs
from tui.domain.view import View
from tui.engines.detect import Found, Model
from tui.engines.urls import Base

LLAMA = Found(
    "llama.cpp", Base("http://127.0.0.1:8080"), "small", (Model("small", context=8192),), context=8192
)
PAGES: tuple[tuple[Callable[[], Any], tuple[str, ...]], ...] = (
    (HelpScreen, ("help", "send the request")),
    (lambda: ExplainScreen(View(), "ttft"), ("TTFT", "why not", "nothing was sent yet")),
    (lambda: DetailScreen(View()), ("raw detail", "no request was sent")),
    (lambda: ExactScreen(Knobs(), 8192), ("prompt length", "8,128 at most", "512 tokens")),
    (lambda: OwnScreen(Knobs(own_text="ask")), ("own prompt", "ask", "temperature", "seed", "ignore end")),
    (lambda: EngineScreen(lambda: (LLAMA,), BuiltIn(there=True)), ("engine and model", "small", "key is in")),
    (lambda: WelcomeScreen(BuiltIn(there=False)), ("no engine answers", "93 MB", "address")),
)


@pytest.mark.parametrize(("page", "needed"), PAGES)
async def test_a_page_works_at_every_size_and_goes_back_with_esc(
    show: Callable[..., Any], page: Callable[[], Any], needed: tuple[str, ...]
) -> None:
    async with show(page(), (120, 36)) as seen:
        for size in ((120, 36), (80, 24), (60, 20), (40, 10)):
            await seen.pilot.resize_terminal(*size)
            await seen.pilot.pause()
            for words in (*needed, "esc"):
                assert words in seen.text, size
        await seen.press("escape")
        assert seen.results == [None]
