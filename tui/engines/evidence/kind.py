"""The form of one engine's evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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

    conditions: what holds for the engine as a whole, and overrides what its chosen model tells. denied: it
    lists its models without a key, and wants one for all else.
    """

    models: tuple[Model, ...]
    version: str = ""
    engine: str = ""
    conditions: Mapping[str, object] = field(default_factory=dict)
    features: Mapping[str, bool] = field(default_factory=dict)
    loading: bool = False
    denied: bool = False
    api: str = "/v1"


@dataclass(frozen=True, slots=True)
class Wish:
    """What the person named: a `model`, or empty; `chosen`: this address, it is not only looked at."""

    model: str = ""
    chosen: bool = True


def listed(heard: Heard) -> tuple[Model, ...]:
    """The models as `/v1/models` names them."""
    return tuple(map(standard, heard.models))


def standard(entry: Object) -> Model:
    """One entry of `/v1/models`, with the context length where an engine adds it."""
    name = text(entry.get("id"))
    context = next((n for n in (count(entry.get(key)) for key in _CONTEXTS) if n), None)
    return Model(name, _short(name), context=context)


def pick(models: Sequence[Model], wanted: str) -> Model:
    """The one of that name, else one that is loaded, else the first that runs there.

    One that runs elsewhere may cost money, so it must be asked for: else it is a model without a name.
    """
    if wanted:
        names = (wanted, f"{wanted}:latest")
        named = (model for model in models if model.name in names or model.label == shown_model(wanted))
        return next(named, Model(wanted, _short(wanted)))
    here = [model for model in models if not model.remote]
    return next((model for model in here if model.loaded), next(iter(here), Model("")))


def _short(name: str) -> str:
    shown = shown_model(name)
    return "" if shown == name else shown


def plain(heard: Heard) -> Facts:
    """What any server with the OpenAI routes tells."""
    return Facts(listed(heard))


def nothing_of(heard: Heard, model: str) -> Mapping[str, object]:
    """Nothing is told about one model alone."""
    return {}


def nothing_more(heard: Heard, wish: Wish) -> list[Ask]:
    """No path tells more about it."""
    return []


@dataclass(frozen=True, slots=True)
class Kind:
    """One engine. `marks`: GET paths that tell it apart; none of them changes anything anywhere.

    likely: the list of models alone speaks for it. known: proven by what was heard. more: asks that describe
    it, wanted until they are heard; they may depend on earlier answers. of_chosen: conditions that it tells
    about one model. wide: a server that nobody knows may be asked for its marks too.
    """

    engine: str
    marks: tuple[str, ...]
    likely: Callable[[Heard], bool]
    known: Callable[[Heard], bool]
    more: Callable[[Heard, Wish], list[Ask]] = nothing_more
    facts: Callable[[Heard], Facts] = plain
    of_chosen: Callable[[Heard, str], Mapping[str, object]] = nothing_of
    wide: bool = True
