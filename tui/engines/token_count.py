"""How many tokens a prompt has: told by the engine without running it, or estimated from characters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tui.domain.values import count
from tui.engines.asking import Answer, Ask, Asking
from tui.engines.base import Turn
from tui.engines.shapes import items, mapping, parsed_or_none, text
from tui.engines.tokenize_probe import INPUT_TOKENS

_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Estimate:
    """What earlier runs taught about a model: characters per prompt token, tokens of its template."""

    chars_per_token: float = 4.5
    template_tokens: int = 16

    def tokens(self, turns: Sequence[Turn]) -> int:
        """Tokens of a prompt, about."""
        characters = sum(len(turn.content) for turn in turns)
        return round(characters / self.chars_per_token) + self.template_tokens


def counted(model: str, prompts: Sequence[Sequence[Turn]]) -> Asking[list[int] | None]:
    """Tokens of each prompt as llama.cpp counts them, template included; None where it does not tell.

    Builds without the counting endpoint render the template first and tokenize the result.
    """
    bodies = [{"model": model, "messages": _messages(prompt)} for prompt in prompts]
    answers = yield [Ask("POST", INPUT_TOKENS, _TIMEOUT_S, body) for body in bodies]
    counts = [count(_of(answer, "input_tokens")) for answer in answers]
    if None in counts:
        answers = yield [Ask("POST", "/apply-template", _TIMEOUT_S, body) for body in bodies]
        rendered = [text(_of(answer, "prompt")) for answer in answers]
        if not all(rendered):
            return None
        answers = yield [
            Ask("POST", "/tokenize", _TIMEOUT_S, {"content": words, "add_special": True})
            for words in rendered
        ]
        counts = [len(items(_of(answer, "tokens"))) or None for answer in answers]
    known = [number for number in counts if number is not None]
    return known if len(known) == len(prompts) else None


def _messages(prompt: Sequence[Turn]) -> list[dict[str, str]]:
    return [{"role": turn.role, "content": turn.content} for turn in prompt]


def _of(answer: Answer, key: str) -> object:
    return mapping(parsed_or_none(answer.body)).get(key) if answer.status == 200 else None
