"""Which readings of the machine stay when a request takes long."""

from __future__ import annotations

from collections.abc import Sequence

from tui.domain.machine import Reading

MOST_READINGS = 1200  # two minutes at 10 Hz; longer runs keep every second one, then every fourth, …


def thinned(samples: Sequence[Reading]) -> list[Reading]:
    """Every second reading, the first, the last, and those with facts: they were made at phase edges."""
    inner = samples[1:-1]
    facts = [one.model is not None or bool(one.host) for one in inner]
    few = sum(facts) < MOST_READINGS // 4  # where most carry them, those tell no more than the others
    kept = [one for n, one in enumerate(inner) if n % 2 or (few and facts[n])]
    return [samples[0], *kept, samples[-1]]
