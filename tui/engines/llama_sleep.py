"""A llama.cpp server that put its model away: what asks its tokenizer would load it again, out of sight."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tui.engines.asking import Ask, Asking
from tui.engines.base import Turn
from tui.engines.shapes import mapping, parsed_or_none
from tui.engines.token_count import counted
from tui.engines.tokenize_probe import probe

PROPS = "/props"
SLEEPING = "is_sleeping"  # in the answer of PROPS, which does not wake it
WOKEN = "it slept: from sent to the response head, its tokenization and any queue within"
_TIMEOUT_S = 1.0


def sleeps(body: bytes) -> bool:
    """Whether the properties tell that no model is loaded now."""
    return mapping(parsed_or_none(body)).get(SLEEPING) is True


def counted_awake(model: str, prompts: Sequence[Sequence[Turn]]) -> Asking[list[int] | None]:
    """Tokens of each prompt; None where the engine does not tell, or would load its model to do so."""
    if (yield from _asleep()):
        return None
    return (yield from counted(model, prompts))


def probed_awake(body: Mapping[str, object]) -> Asking[dict[str, int] | None]:
    """The tokenizer's time; None where the engine can't tell, or would load its model to do so."""
    if (yield from _asleep()):
        return None
    return (yield from probe(body))


def _asleep() -> Asking[bool]:
    (answer,) = yield [Ask("GET", PROPS, _TIMEOUT_S)]
    return answer.status == 200 and sleeps(answer.body)
