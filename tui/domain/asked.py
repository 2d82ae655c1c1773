"""What was asked for, as far as a run tells: the knobs of a request that was recorded."""

from __future__ import annotations

from tui.domain.knobs import Cache, Knobs, Profile
from tui.domain.rivals import told_rivals
from tui.domain.state import State, learned


def knobs_of(state: State) -> Knobs:
    """The knobs of that request; a prompt of 0 tokens is of unknown length."""
    told = state.conditions
    asked = learned(told, "prompt_tokens_asked") or state.prompt_tokens or 0
    limit = learned(told, "answer_limit") or 0
    mode = str(told.get("cache_mode", "")).partition(":")[0]
    profile = str(told.get("profile", ""))
    base = Knobs()
    return Knobs(
        prompt_tokens=max(0, asked),
        answer_limit=limit if limit > 0 else base.answer_limit,
        cache=Cache(mode) if mode in {c.value for c in Cache} else base.cache,
        profile=Profile(profile) if profile in {p.value for p in Profile} else base.profile,
        rivals=told_rivals(told),
    )
