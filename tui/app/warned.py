"""What about a request must not be taken at face value, in the few words that a sentence has room for."""

from __future__ import annotations

from tui.domain.view import View
from tui.plot.cells import clean

_LATE = "read late"  # no code of the engine's: it is about us
_WORDS = {
    "ended_without_finish": "the stream ended without a finish reason",
    "done_without_finish": "it ended without a reason, so it may be cut off",
    "empty_output": "the engine answered nothing",
    "tokens_without_text": "tokens were counted, but no text came",
    "stopped_by_context": "the context was full before the answer limit",
    "prompt_truncated_suspected": "the engine probably cut the prompt",
    "buffered_delivery": "delivered in lumps: gaps are not the engine's",
    "not_streamed": "it came as one whole reply: nothing is known between",
    "engine_timings_implausible": "the engine's times can't be true",
    "engine_timings_do_not_add_up": "the engine's times do not add up to the wait",
    _LATE: "this machine read late, the gaps are not the engine's alone",
    "bad_chunk": "a message could not be read",
    "usage_missing": "the engine told no token count",
    "closed_uncleanly": "the connection broke after the answer",
    "extra_choices": "several answers came, the first is shown",
    "invalid_utf8": "some text was no UTF-8",
}
"""By code, what falsifies most first."""


def warned(view: View) -> str:
    """The gravest warning of a request, "" without one; `d` shows all of them in full."""
    raised = {*view.warnings, *((_LATE,) if view.clock.late else ())}
    known = next((words for code, words in _WORDS.items() if code in raised), "")
    return known or next((clean(told) for told in view.warnings.values()), "")
