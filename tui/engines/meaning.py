"""What one message of a stream means, before and beside what its engine's tongue says about it."""

from __future__ import annotations

from tui.domain.events import Done, Event, Failed, Oddity
from tui.engines.failures import engine_error, said, told_error
from tui.engines.framing import Message, is_done
from tui.engines.shapes import Object, items, mapping, parsed, parsed_or_none
from tui.engines.tongue import Tongue

_NO_WORDS = "an error without a message"


def meaning(tongue: Tongue, at_ns: int, message: Message) -> list[Event]:
    """The events of one message that is no comment."""
    data = message.data
    if is_done(data):
        return [Done(at_ns)]
    odd: list[Event] = []
    try:
        words = data.decode("utf-8")
    except UnicodeDecodeError:
        words = data.decode("utf-8", "replace")
        odd = [Oddity(at_ns, "invalid_utf8", "a message held bytes that are no UTF-8")]
    try:
        value = parsed(words)
    except ValueError:
        return odd + _no_json(tongue, at_ns, message, words)
    body = mapping(value)
    told = told_error(body)
    if told:
        return [*odd, *_beside(tongue, at_ns, body), engine_error(at_ns, told, data)]
    events = odd + tongue.message(at_ns, body, message.event)
    if message.event == "error" and not any(isinstance(event, Failed) for event in events):
        events.append(engine_error(at_ns, said(value) or _NO_WORDS, data))
    return events


def _no_json(tongue: Tongue, at_ns: int, message: Message, words: str) -> list[Event]:
    """A message that is no JSON: an error in plain words, or several messages that no blank line parts."""
    data = message.data
    if message.event == "error":
        return [engine_error(at_ns, said(words) or _NO_WORDS, data)]
    lines = data.split(b"\n")
    if len(lines) > 1 and all(isinstance(parsed_or_none(line), dict) for line in lines):
        return [event for line in lines for event in meaning(tongue, at_ns, Message(line, message.event))]
    return [Oddity(at_ns, "bad_chunk", f"a message of {len(data)} bytes is no JSON")]


def _beside(tongue: Tongue, at_ns: int, body: Object) -> list[Event]:
    """What a chunk holds beside its error: some tell the last text, and why it ended, in the same one."""
    if not items(body.get("choices")):
        return []
    return [event for event in tongue.message(at_ns, body, "") if not isinstance(event, Failed)]
