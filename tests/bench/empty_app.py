"""The least that Textual can draw: what every start is measured against."""

from __future__ import annotations

from textual.app import App, ComposeResult
from textual.widgets import Static


class Empty(App[None]):
    """One word."""

    BINDINGS = [("q", "quit", "quit")]  # noqa: RUF012 - as Textual declares it

    def compose(self) -> ComposeResult:
        yield Static("READYMARK")


if __name__ == "__main__":
    Empty().run()
