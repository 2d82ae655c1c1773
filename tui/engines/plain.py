"""Servers and hosted services that add to the OpenAI dialect no more than a path, a field or an object."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from tui.domain.events import Dialect
from tui.engines.base import Adapter, Plan, Request
from tui.engines.openai import OpenAiTongue, chat_body, request


def spoken(name: str) -> Adapter:
    """An engine that is sent standard fields only: strict services refuse what they don't know."""
    dialect = Dialect(name)
    return Adapter(name, dialect, request, partial(OpenAiTongue, dialect))


def _fireworks(plan: Plan) -> Request:
    """Its durations come in the last chunk when they are asked for."""
    return Request(request(plan).path, chat_body(plan) | {"perf_metrics_in_response": True})


def _ovms(plan: Plan) -> Request:
    """OpenVINO Model Server has its language routes below `/v3`."""
    return Request("/v3/chat/completions", chat_body(plan))


FIREWORKS = replace(spoken("fireworks"), request=_fireworks)
OVMS = replace(spoken("ovms"), request=_ovms)
SPOKEN = {
    name: spoken(name)
    for name in (
        "omlx",
        "mistralrs",
        "litellm",
        "mlx-vlm",
        "groq",
        "cerebras",
        "openrouter",
        "deepseek",
        "together",
    )
}
