"""The form of one engine's evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.conditions import shown_model
from tui.engines.evidence.heard import Heard
from tui.engines.found import Model
from tui.engines.shapes import Object, text

_CONTEXTS = ("max_model_len", "context_length", "context_window", "max_context_length")


@dataclass(frozen=True, slots=True)
class Facts:
    """What an engine tells about itself. `engine` is a more exact name than its kind's.

    conditions: what holds for the engine as a whole, and overrides what its chosen model tells.
    """

    models: tuple[Model, ...]
    version: str = ""
    engine: str = ""
    conditions: Mapping[str, object] = field(default_factory=dict)
    features: Mapping[str, bool] = field(default_factory=dict)
    loading: bool = False
    has_tokenizer: bool = False
    api: str = "/v1"


@dataclass(frozen=True, slots=True)
class Wish:
    """`model`: what the person named, or empty. `chosen`: the person chose this engine, it is not only seen."""

    model: str = ""
    chosen: bool = True


def listed(heard: Heard) -> tuple[Model, ...]:
    """The models as `/v1/models` names them."""
    return tuple(map(standard, heard.models))


def standard(entry: Object) -> Model:
    """One entry of `/v1/models`, with the context length where an engine adds it."""
    name = text(entry.get("id"))
    context = next((n for n in (count(entry.get(key)) for key in _CONTEXTS) if n), None)
    shown = shown_model(name)
    return Model(name, "" if shown == name else shown, context=context)


def plain(heard: Heard) -> Facts:
    """What any server with the OpenAI routes tells."""
    return Facts(listed(heard))


def nothing_more(heard: Heard, wish: Wish) -> list[Ask]:
    """No path tells more about it."""
    return []


@dataclass(frozen=True, slots=True)
class Kind:
    """One engine. `marks`: GET paths that tell it apart; none of them changes anything anywhere.

    likely: the list of models alone speaks for it. known: proven by what was heard. more: asks that describe
    it, wanted until they are heard; they may depend on earlier answers.
    """

    engine: str
    marks: tuple[str, ...]
    likely: Callable[[Heard], bool]
    known: Callable[[Heard], bool]
    more: Callable[[Heard, Wish], list[Ask]] = nothing_more
    facts: Callable[[Heard], Facts] = plain
