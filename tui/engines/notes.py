"""What the client noted beside the stream: events that need nothing but the note itself."""

from __future__ import annotations

from collections.abc import Mapping

from tui.domain.events import Connected, Connecting, Event, Learned, RivalSeen, SentAll, TokenizeProbed
from tui.domain.rivals import STEPS
from tui.domain.values import count
from tui.domain.wire import Note
from tui.engines.shapes import mapping, plain, text


def noted(note: Note) -> list[Event]:
    """The events of one note; a name that nobody knows gives none."""
    at_ns, fields = note.at_ns, note.fields
    match note.name:
        case "connecting":
            return [Connecting(at_ns)]
        case "connected":
            return [Connected(at_ns, warm=fields.get("warm") is True)]
        case "sent_all":
            return [SentAll(at_ns)]
        case "tokenize_probe":
            took_ns, base_ns = count(fields.get("took_ns")), count(fields.get("base_ns"))
            return [] if took_ns is None else [TokenizeProbed(at_ns, max(0, took_ns - (base_ns or 0)))]
        case "conditions":
            return [Learned(at_ns, dict(mapping(plain(dict(fields)))))]
        case "rival":
            return _rival(at_ns, fields)
        case _:
            return []


def _rival(at_ns: int, fields: Mapping[str, object]) -> list[Event]:
    """A step of a background request; odd fields tell nothing."""
    number, name = count(fields.get("rival")), fields.get("step")
    step = next((known for known in STEPS if known == name), None)
    if number is None or step is None:
        return []
    return [RivalSeen(at_ns, number, step, count(fields.get("chunks")) or 0, text(fields.get("how")))]
