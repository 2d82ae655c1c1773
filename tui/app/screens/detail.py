"""Raw detail: what the engine sent, what went wrong, and under which conditions, as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from tui.app.screens.sheet import Sheet, literal
from tui.domain.events import Failed
from tui.domain.view import View
from tui.plot.numbers import ABSENT, count
from tui.settings.keys import by_action

MOST_CHARACTERS = 40_000  # of all messages: the page opens at once
MOST_OF_ONE = 2000  # a proxy may join a whole answer into one message


class DetailScreen(Sheet[None]):
    """The request as it was when the page was opened; `raw` are its latest messages, oldest first.

    prompt: what fills the prompt, and a note about its length.
    """

    BINDINGS: ClassVar[list[BindingType]] = [Binding(",".join(by_action("detail").keys), "back", id="detail")]
    heading = "raw detail"
    hint = "↑ ↓ pgup pgdn scroll · esc back"

    def __init__(
        self, view: View, raw: Iterable[str] = (), prompt: Mapping[str, object] | None = None
    ) -> None:
        super().__init__()
        self._parts = detail(view, raw, prompt or {})

    def body(self) -> ComposeResult:
        with VerticalScroll(classes="sheet-page"):
            yield Static(_page(self._parts), markup=False)


def detail(
    view: View, raw: Iterable[str], prompt: Mapping[str, object] | None = None
) -> tuple[tuple[str, str], ...]:
    """(title, text) of every part there is something to tell about."""
    parts = (
        ("what failed", _failure(view.failure)),
        ("warnings", _pairs(view.warnings)),
        ("this machine read late", literal(view.clock.why) if view.clock.late else ""),
        ("parts of the prompt", _pairs(prompt or {})),
        ("conditions", _pairs(view.conditions)),
        ("latest messages", "\n".join(_latest(raw))),
    )
    told = tuple((title, text) for title, text in parts if text)
    return told or (("nothing yet", "no request was sent"),)


def _failure(failure: Failed | None) -> str:
    if failure is None:
        return ""
    told = {
        "kind": failure.kind.value,
        "status": failure.status,
        "message": failure.message,
        "cause": failure.cause,
        "remedy": failure.remedy,
        "retry after": None if failure.retry_after_s is None else f"{failure.retry_after_s:g} s",
        "body": _cut(failure.raw),
    }
    return _pairs({name: value for name, value in told.items() if value not in ("", None)})


def _pairs(told: Mapping[str, object]) -> str:
    return "\n".join(f"{literal(str(name))}: {literal(_plain(value))}" for name, value in told.items())


def _plain(value: object) -> str:
    """A value as people write it: `temperature 0.7, ignore_eos yes`."""
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case None:
            return ABSENT
        case Mapping():
            return ", ".join(f"{name} {_plain(each)}" for name, each in value.items())
        case list() | tuple():
            return ", ".join(_plain(each) for each in value)
        case _:
            return str(value)


def _latest(raw: Iterable[str]) -> list[str]:
    """The newest messages, oldest first."""
    taken: list[str] = []
    rest = MOST_CHARACTERS
    for message in reversed([*raw]):
        if rest <= 0:
            taken.append("… earlier ones are not shown")
            break
        taken.append(literal(_cut(message)))
        rest -= len(taken[-1])
    return taken[::-1]


def _cut(text: str) -> str:
    more = len(text) - MOST_OF_ONE
    return f"{text[:MOST_OF_ONE]} … {count(more)} more characters" if more > 0 else text


def _page(parts: Iterable[tuple[str, str]]) -> Content:
    pieces = [Content.assemble((title, "bold underline"), f"\n{text}\n") for title, text in parts]
    return Content("\n").join(pieces)
