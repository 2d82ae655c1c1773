"""LM Studio: what to send it, natively as long as its own API can say it, else by the OpenAI route."""

from __future__ import annotations

from tui.engines import openai
from tui.engines.base import Adapter, Plan, Request
from tui.engines.lmstudio_native import DIALECT, LmStudioTongue

PATH = "/api/v1/chat"


def request(plan: Plan) -> Request:
    """The native chat request, whose events tell the phases.

    It knows neither earlier answers nor a seed: plans with those go by the OpenAI route, and so do all plans
    when the server was found to lack the native API (before 0.4.0). It refuses keys it does not know.
    """
    if plan.conditions.get("native_chat") is False or plan.seed is not None or not _single(plan):
        return openai.request(plan)
    asked: dict[str, object] = {
        "model": plan.model,
        "input": plan.turns[-1].content,
        "system_prompt": "\n\n".join(turn.content for turn in plan.turns[:-1]),
        "stream": True,
        "store": False,  # else the server keeps the conversation
        "max_output_tokens": plan.max_tokens,
        "temperature": plan.temperature,
    }
    return Request(PATH, {key: value for key, value in asked.items() if value not in (None, "")})


def _single(plan: Plan) -> bool:
    """One question, with system texts before it at most."""
    return [turn.role == "system" for turn in plan.turns] == [True] * (len(plan.turns) - 1) + [False]


ADAPTER = Adapter("lmstudio", DIALECT, request, LmStudioTongue)
