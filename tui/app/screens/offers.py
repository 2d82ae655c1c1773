"""The engines that can be chosen, as rows: one per model, and one that folds where an engine has several."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from tui.app.screens.choices import Choice, UseUrl
from tui.engines.detect import Found, Model
from tui.plot.cells import clean, fit, width
from tui.plot.numbers import count

MANY = 6
"""An engine with more models than this begins folded."""
IN_USE = "in use"
_LOCAL = ("127.0.0.1", "::1", "localhost")
_ENGINE, _MODEL, _FORMAT, _CONTEXT, _STATE = 10, 25, 8, 8, 11  # cells


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the list. `root` is the engine's; without a choice it is the one that folds its models."""

    words: str
    choice: Choice | None
    root: str = ""


def rows(found: Iterable[Found], turned: Collection[str], using: Found | None = None) -> Iterator[Row]:
    """Every engine with its models; `turned` has the roots of those that are not as they began.

    using: the one that requests go to now, wherever it is.
    """
    found = tuple(found)
    if using is not None and all(engine.base.root != using.base.root for engine in found):
        found = (using, *found)
    for engine in found:
        used = using.model if using is not None and using.base.root == engine.base.root else None
        root, models = engine.base.root, engine.models or (Model(engine.model),)
        if len(models) == 1:
            yield Row(_line("  ", engine, models[0], used is not None), UseUrl(root, models[0].name), root)
            continue
        is_open = (len(models) <= MANY) is (root not in turned)
        loaded = sum(model.loaded is True for model in models)
        folded = IN_USE if used is not None else f"{loaded} loaded" if loaded else ""
        state = _engine_state(engine) or ("" if is_open else folded)
        mark = "▾ " if is_open else "▸ "
        yield Row(_cells(mark, engine.engine, f"{len(models)} models", "", "", state, root), None, root)
        if is_open:
            for model in models:
                yield Row(_model_line(model, model.name == used), UseUrl(root, model.name), root)


def head() -> str:
    """What stands over the columns."""
    return _cells("  ", "engine", "model", "format", "context", "state", "at")


def _line(mark: str, engine: Found, model: Model, used: bool) -> str:
    state = _engine_state(engine) or _model_state(model, used)
    return _cells(
        mark,
        engine.engine,
        model.label or "no model",
        model.quantization,
        _context(model),
        state,
        engine.base.root,
    )


def _model_line(model: Model, used: bool) -> str:
    return _cells("  ", "", model.label, model.quantization, _context(model), _model_state(model, used), "")


def _cells(mark: str, engine: str, model: str, kind: str, context: str, state: str, root: str) -> str:
    where = urlsplit(root) if "://" in root else None
    at = (
        root
        if where is None
        else f":{where.port}"
        if where.hostname in _LOCAL and where.port
        else where.netloc
    )
    columns = (
        _column(engine, _ENGINE),
        _column(model, _MODEL),
        _column(kind, _FORMAT),
        _column(context, _CONTEXT, right=True),
        _column(state, _STATE),
        clean(at),
    )
    return (mark + " ".join(columns)).rstrip()


def _column(text: str, cells: int, right: bool = False) -> str:
    """The text in so many cells; what is too long ends in an ellipsis."""
    text = clean(text)
    if width(text) > cells:
        text = fit(text, cells - 1) + "…"
    gap = " " * (cells - width(text))
    return gap + text if right else text + gap


def _context(model: Model) -> str:
    """What a request may hold, else what the model could be loaded with."""
    if model.context:
        return count(model.context)
    return f"≤{count(model.context_most)}" if model.context_most else ""


def _engine_state(engine: Found) -> str:
    return "wants a key" if engine.auth_needed else "loading" if engine.loading else ""


def _model_state(model: Model, used: bool) -> str:
    if used:
        return IN_USE
    if model.remote:
        return "elsewhere"
    return {True: "loaded", False: "not loaded", None: ""}[model.loaded]
