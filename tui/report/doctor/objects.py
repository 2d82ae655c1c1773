"""The findings as JSON: every key always there, null when not known."""

from __future__ import annotations

from collections.abc import Sequence

from tui.domain.wire import FORMAT
from tui.engines.abilities.ability import PHASES, Ability
from tui.engines.found import Model
from tui.report.doctor.findings import Engine, Findings, built_in_abilities, mark_of
from tui.report.doctor.places import Cleared, Place
from tui.report.doctor.terminal import Terminal


def findings_object(told: Findings) -> dict[str, object]:
    """All of it; sizes in bytes, paths whole."""
    program, inside = told.program, told.built_in
    return {
        "format": FORMAT,
        "usable": told.usable,
        "problem": told.problem or None,
        "program": {
            "version": program.version,
            "path": str(program.path),
            "python": program.python,
            "executable": program.executable,
            "system": program.system,
            "stamps": program.stamps,
        },
        "engines": [_engine(engine) for engine in told.engines],
        "slow": list(told.slow),
        "proxies_ignored": list(told.proxies),
        "built_in": {
            "usable": inside.usable,
            "library": inside.library or None,
            "model": inside.model,
            "path": str(inside.path),
            "fetched": inside.fetched,
            "remedy": inside.remedy or None,
            **_abilities(built_in_abilities()),
        },
        "machine": {
            "host": dict(told.host),
            "about_the_server": not told.away,
            "readable": {
                group.name: {"readable": group.readable, "told": group.told} for group in told.machine
            },
        },
        "terminal": _terminal(told.terminal),
        "files": {place.name.replace(" ", "_"): _place(place) for place in told.places},
    }


def cleared_object(cleared: Cleared) -> dict[str, object]:
    """What `--clear` deleted."""
    return {
        "format": FORMAT,
        "cleared": {
            "runs": cleared.runs,
            "learned": cleared.learned,
            "size_bytes": cleared.size_bytes,
            "problem": cleared.problem or None,
        },
    }


def _engine(engine: Engine) -> dict[str, object]:
    found = engine.found
    return {
        "name": found.engine,
        "version": found.version or None,
        "address": found.base.root,
        "model": found.shown or None,
        "models": [_model(model) for model in found.models],
        "context_length": found.context,
        "slots": found.slots,
        "auth_needed": found.auth_needed,
        "loading": found.loading,
        "hosted": found.gateway,
        "here": engine.here,
        "features": dict(found.features),
        **_abilities(engine.abilities),
        "tokenizer": engine.tokenizer,
        "certificate": engine.certificate or None,
        "cold": engine.cold,
        "caution": engine.caution or None,
    }


def _model(model: Model) -> dict[str, object]:
    return {
        "name": model.label,
        "loaded": model.loaded,
        "quantization": model.quantization or None,
        "parameters": model.parameters,
        "size_bytes": model.size_bytes,
        "context_length": model.context,
        "context_trained": model.context_most,
        "remote": model.remote,
    }


def _abilities(told: Sequence[Ability]) -> dict[str, object]:
    """`phases` and `counts`, each a list in order."""
    return {
        "phases": [_ability(ability) for ability in told if ability.name in PHASES],
        "counts": [_ability(ability) for ability in told if ability.name not in PHASES],
    }


def _ability(ability: Ability) -> dict[str, object]:
    return {
        "name": ability.name,
        "status": ability.status,
        "mark": mark_of(ability),
        "source": ability.source,
        "when": ability.when or None,
        "remedy": ability.remedy or None,
    }


def _terminal(terminal: Terminal) -> dict[str, object]:
    columns, rows = terminal.size or (None, None)
    return {
        "term": terminal.term or None,
        "screen": terminal.screen,
        "colours": terminal.colours,
        "no_color": terminal.no_color,
        "encoding": terminal.encoding,
        "utf8": terminal.utf8,
        "columns": columns,
        "rows": rows,
        "inside": terminal.inside or None,
        "ssh": terminal.ssh,
    }


def _place(place: Place) -> dict[str, object]:
    told: dict[str, object] = {"path": str(place.path), "size_bytes": place.size_bytes}
    return told if place.count is None else told | {"count": place.count}
