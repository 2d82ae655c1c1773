"""One phase or count of an engine: who tells it, under which condition, and what would make it told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tui.domain.values import Provenance

PHASES = ("connect", "load", "queue", "tokenize", "prefill", "decode")
COUNTS = ("tokens", "cached_tokens", "progress")
NAMES = (*PHASES, *COUNTS)
Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Case:
    """One engine as far as it is known. version: None when not told.

    features: what it said is on or off, as detection has them, and two that no harmless question shows:
    `per_request` (its own durations come with each request) and `cache_report` (reused tokens are told). A
    missing one is not known and counts as off, as it is by default.
    """

    engine: str
    version: Version | None = None
    features: Mapping[str, bool] = field(default_factory=dict)

    def on(self, feature: str) -> bool:
        """Whether it is known to be on."""
        return self.features.get(feature) is True

    def older(self, *version: int) -> bool:
        """Whether it is known to be older than this."""
        return self.version is not None and self.version < version


@dataclass(frozen=True, slots=True)
class Ability:
    """`provenance` is what a run's value gets; ABSENT: it is only waited for, or not told.

    when: the condition, "" for always. remedy: what makes it measurable, "" where nothing does. never: it is
    no part of a request here.
    """

    name: str
    provenance: Provenance
    source: str
    when: str = ""
    remedy: str = ""
    never: bool = False

    @property
    def status(self) -> str:
        """One word: measured, observed, derived, estimated, waited, untold or never."""
        if self.never:
            return "never"
        if self.provenance is not Provenance.ABSENT:
            word: str = self.provenance.value
            return word
        return "waited" if self.name in PHASES else "untold"


def measured(name: str, source: str, when: str = "", remedy: str = "") -> Ability:
    """By the engine's own clock or counter."""
    return Ability(name, Provenance.MEASURED, source, when, remedy)


def observed(name: str, source: str, when: str = "", remedy: str = "") -> Ability:
    """By our clock."""
    return Ability(name, Provenance.OBSERVED, source, when, remedy)


def derived(name: str, source: str, when: str = "", remedy: str = "") -> Ability:
    """By a difference."""
    return Ability(name, Provenance.DERIVED, source, when, remedy)


def estimated(name: str, source: str, when: str = "", remedy: str = "") -> Ability:
    """By a probe or a model."""
    return Ability(name, Provenance.ESTIMATED, source, when, remedy)


def missing(name: str, source: str = "", remedy: str = "") -> Ability:
    """Only waited for, or not told."""
    return Ability(name, Provenance.ABSENT, source, remedy=remedy)


LOADED = Ability("load", Provenance.ABSENT, "loaded before it takes requests", never=True)
USUAL = (
    observed("connect", "our clock: the TCP and TLS handshake"),
    LOADED,
    missing("queue", "not told"),
    missing("tokenize", "not told"),
    missing("prefill", "not told"),
    observed("decode", "first to last token at the socket"),
    measured("tokens", "its usage counts, at the end"),
    missing("cached_tokens", "not told"),
    missing("progress", "not told"),
)


def filled(*told: Ability) -> tuple[Ability, ...]:
    """All names in their order: what is `told`, else what holds for any server."""
    known = {ability.name: ability for ability in (*USUAL, *told)}
    return tuple(known[name] for name in NAMES)
