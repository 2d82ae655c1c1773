"""What detection tells: an engine with its models, or that there is none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.engines.gateways import NAMES
from tui.engines.urls import Base

_LIST_ALL = ("ollama", "lmstudio")  # they load by name and list whatever there is to load
_LIST_LOADED = ("mlx-vlm",)  # it loads by name, and a name that it can't load puts away the model it had


@dataclass(frozen=True, slots=True)
class Model:
    """A model that an engine offers. `name` is what a request sends, `shown` what a person reads.

    parameters: their count, or the engine's own rounded words. size_bytes: weights as the engine states them.
    context: tokens that a request may hold now; context_most: what the model could hold. loaded: None when
    the engine does not say. remote: the engine passes it on to another machine.
    """

    name: str
    shown: str = ""
    quantization: str = ""
    parameters: int | str | None = None
    size_bytes: int | None = None
    context: int | None = None
    context_most: int | None = None
    loaded: bool | None = None
    remote: bool = False

    @property
    def label(self) -> str:
        """The name for screens: no folders."""
        return self.shown or self.name


@dataclass(frozen=True, slots=True)
class Found:
    """An engine that answers. `conditions` has keys of the product's JSON; None is not told.

    model: the name that requests send, empty where the person must say which. slots: how many requests run at
    once. context: tokens a request may hold. auth_needed: it wants a key, or another one. loading: not ready
    yet. features: what it said is on or off; a missing one was not told. api: what stands for `/v1` there.
    """

    engine: str
    base: Base
    model: str
    models: tuple[Model, ...] = ()
    conditions: Mapping[str, object] = field(default_factory=dict)
    slots: int | None = None
    context: int | None = None
    auth_needed: bool = False
    loading: bool = False
    features: Mapping[str, bool] = field(default_factory=dict)
    api: str = "/v1"

    @property
    def version(self) -> str:
        """The engine's version, empty when not told."""
        told = self.conditions.get("engine_version")
        return told if isinstance(told, str) else ""

    @property
    def chosen(self) -> Model:
        """The model that requests go to; only its name where the engine does not list it."""
        return next((model for model in self.models if model.name == self.model), Model(self.model))

    @property
    def shown(self) -> str:
        """The chosen model's name for screens."""
        return self.chosen.label

    @property
    def unnamed(self) -> str:
        """Why no request can be sent before a model is named; empty when one can."""
        if not self.model and not self.models and self.engine in _LIST_ALL and not self.auth_needed:
            return f"{self.engine} has no model that writes text; get one there first"
        if not self.model and not self.models and self.engine in _LIST_LOADED and not self.auth_needed:
            return f"{self.engine} has no model loaded; name the one to load with --model"
        if self.model or not self.models:
            return ""
        elsewhere = " elsewhere" if all(model.remote for model in self.models) else ""
        several = "" if len(self.models) == 1 else "s"
        offered = f"{len(self.models)} model{several}{elsewhere}"
        return f"{self.engine} offers {offered}; name the one to use with --model (on screen: e)"

    @property
    def gateway(self) -> bool:
        """A hosted service: this machine's readings say nothing about it."""
        return self.engine in NAMES


@dataclass(frozen=True, slots=True)
class Nothing:
    """No engine there; the reason in one plain line. slow: something is there that did not answer in time."""

    reason: str
    slow: bool = False
