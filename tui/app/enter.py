"""What enter does now: the key, the sentence and the footer all ask here."""

from __future__ import annotations

from enum import Enum

from tui.app.feed import Feed, live


class Enter(Enum):
    """What becomes of the key. `does`: the same in a word or two for the footer, "" where it does nothing."""

    SEND = "send"
    AGAIN = "try again"
    CHOOSE = "choose an engine"
    NOTHING = ""

    @property
    def does(self) -> str:
        return self.value


def enter_does(feed: Feed) -> Enter:
    """An engine that was named is asked again; where none was, nothing is started without a choice."""
    engine = live(feed)
    if engine is None or engine.lost:
        return Enter.NOTHING
    if engine.found is not None or feed.running:
        return Enter.SEND
    if engine.aiming or engine.builtin.state in ("fetching", "starting", "ready"):
        return Enter.NOTHING
    if engine.builtin.state == "failed":
        return Enter.CHOOSE
    if engine.target is not None:
        return Enter.AGAIN
    return Enter.NOTHING if engine.discovered is None else Enter.CHOOSE
