"""All that was found out, in one value; the text and the JSON are both made of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from tui.capture.target import Target
from tui.domain.values import Provenance
from tui.engines.abilities.ability import Ability, Case
from tui.engines.abilities.table import COUNTERS, abilities, case_of, caution
from tui.engines.detect import Found
from tui.engines.registry import adapter
from tui.report.doctor.places import Place
from tui.report.doctor.probed import Group
from tui.report.doctor.program import BuiltIn, Program
from tui.report.doctor.terminal import Terminal

ESTIMATE = "estimated by its characters, corrected by each run"
SWITCH = "cache_prompt: false in the request"
NONCE = "a fresh first line in front of the prompt"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class Engine:
    """One engine that answers, with what can be told of a request there. certificate: see `Target.trust`."""

    found: Found
    abilities: tuple[Ability, ...]
    tokenizer: str
    cold: str
    caution: str
    certificate: str = ""

    @property
    def here(self) -> bool:
        """It runs on this machine, as far as its address tells."""
        host = urlsplit(self.found.base.root).hostname or ""
        return host in _LOOPBACK or host.startswith("127.")


def engine_of(found: Found, target: Target | None = None) -> Engine:
    """What the table of abilities and the adapter say of an engine; `target`: how it was named, if it was."""
    spoken = adapter(found.engine)
    return Engine(
        found,
        abilities(case_of(found)),
        COUNTERS.get(found.engine, ESTIMATE),
        SWITCH if spoken.can_switch_reuse_off else NONCE,
        found.unnamed or caution(found.engine),
        target.trust(found.base.root) if target is not None else "",
    )


@dataclass(frozen=True, slots=True)
class Findings:
    """problem: one line when there is nothing to send a request to. proxies: variables not heeded."""

    program: Program
    engines: tuple[Engine, ...]
    slow: tuple[str, ...]
    built_in: BuiltIn
    machine: tuple[Group, ...]
    host: Mapping[str, str]
    terminal: Terminal
    places: tuple[Place, ...]
    problem: str = ""
    proxies: tuple[str, ...] = ()

    @property
    def usable(self) -> bool:
        """A request can be sent somewhere."""
        return not self.problem

    @property
    def away(self) -> bool:
        """The first engine runs on another machine: this one's readings say nothing about it."""
        return bool(self.engines) and not self.engines[0].here


def built_in_abilities() -> tuple[Ability, ...]:
    """What the built-in engine tells."""
    return abilities(Case("embedded"))


def mark_of(ability: Ability) -> str:
    """The sign of its provenance."""
    return Provenance.ABSENT.mark if ability.never else ability.provenance.mark
