"""An engine's durations with the token counts that its usage tells."""

from __future__ import annotations

from dataclasses import replace

from tui.domain.events import Timings, Usage


def processed(prompt: int | None, cached: int | None) -> int | None:
    """Prompt tokens that were really read: without those that were reused, where they are told."""
    return prompt if prompt is None or cached is None else max(0, prompt - cached)


def counted(timings: Timings, usage: Usage | None) -> Timings:
    """`timings` with the counts of `usage`."""
    cached = usage.cached if usage else None
    return replace(
        timings,
        prompt_n=processed(usage.prompt, cached) if usage else None,
        cached_n=cached,
        predicted_n=usage.completion if usage else None,
        cached_unknown=cached is None,
    )
