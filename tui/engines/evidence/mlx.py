"""MLX-LM: Python's plain web server with its kind of health, and models that name no owner."""

from __future__ import annotations

from tui.engines.conditions import shown_model
from tui.engines.evidence.heard import MODELS, Heard
from tui.engines.evidence.kind import Facts, Kind, listed
from tui.engines.found import Model
from tui.engines.shapes import text

DEFAULT = "default_model"
_HEALTH = "/health"


def _likely(heard: Heard) -> bool:
    """Without a hub cache its list is an empty body, by a known mistake."""
    return heard.answer(MODELS).headers.get("server", "").startswith("BaseHTTP/") and not heard.owner


def _known(heard: Heard) -> bool:
    return _likely(heard) and heard.object(_HEALTH).get("status") == "ok"


def _facts(heard: Heard) -> Facts:
    """The folder it was started with is listed as a path; any other name makes it load another model."""
    folder = next((it for it in heard.models if shown_model(text(it["id"])) != it["id"]), None)
    if folder is None and len(heard.models) == 1:
        folder = heard.models[0]
    own = Model(DEFAULT, shown_model(text(folder["id"])) if folder else "")
    others = (model for model in listed(heard) if folder is None or model.name != folder["id"])
    return Facts((own, *others))


KIND = Kind("mlx-lm", (_HEALTH,), _likely, _known, facts=_facts, wide=False)
