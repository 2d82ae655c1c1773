"""The findings as lines of at most 80 columns; only a path may be longer. No colour, no control codes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tui.capture.target import UNCHECKED
from tui.engines.abilities.ability import Ability
from tui.engines.found import Model
from tui.plot.cells import clean, width
from tui.plot.numbers import count, size
from tui.report.doctor.findings import Engine, Findings, built_in_abilities, mark_of
from tui.report.doctor.places import Cleared, Place
from tui.report.doctor.terminal import Terminal

COLUMNS = 80
_NAME = 15
_MODELS = 5
_WORDS = {"waited": "only waited for", "untold": "not told", "never": "not in a request"}
_SHOWN = {"cached_tokens": "cached tokens", "progress": "live progress"}
_STAMPS = {
    "kernel": "the kernel's, where it stamps; else when recv returned",
    "recv": "when recv returned; this system's kernel stamps nothing",
}
_DEPTHS = {0: "no colour", 16: "16 colours", 256: "256 colours"}


def lines(told: Findings) -> Iterator[str]:
    """All sections, in order, with an empty line between them."""
    program = told.program
    yield f"toklane {program.version}"
    yield from _item("runs from", str(program.path))
    yield from _item("Python", f"{program.python} ({program.executable})")
    yield from _item("system", program.system)
    yield from _item("arrival times", _STAMPS[program.stamps])
    yield from _engines(told)
    yield from ("", "built-in engine")
    yield from _built_in(told)
    yield from ("", "this machine")
    yield from _machine(told)
    yield from ("", "terminal")
    yield from _terminal(told.terminal)
    yield from ("", "files")
    for place in told.places:
        yield from _item(place.name, _placed(place))
    yield from _item("keys", "never in a file, a recording or on the screen")


def cleared_line(cleared: Cleared, folder: Path) -> str:
    """What `--clear` did."""
    if not cleared.runs and not cleared.learned:
        return f"nothing to delete: no recorded runs in {folder}"
    runs = f"{count(cleared.runs)} recorded run" + ("" if cleared.runs == 1 else "s")
    learned = " and what they taught" if cleared.learned else ""
    return f"deleted {runs}{learned}, {size(cleared.size_bytes)}, from {folder}"


def _engines(told: Findings) -> Iterator[str]:
    yield from ("", "engines")
    if not told.engines:
        yield "  none answers on the usual local ports; --url names another address"
    for at, engine in enumerate(told.engines):
        yield from [""] if at else []
        yield from _engine(engine)
    if told.proxies:
        yield from _item("proxy", f"none is used; not heeded: {', '.join(told.proxies)}")
    for address in told.slow:
        yield from _item("no answer", f"{address}: something is there that did not answer in time")


def _engine(engine: Engine) -> Iterator[str]:
    found = engine.found
    version = f" {clean(found.version)}" if found.version else ""
    yield f"  {clean(found.engine)}{version} at {clean(found.base.root)}"
    if found.auth_needed:
        yield from _item("key", "it wants one: --api-key-env VAR or --api-key-file FILE", 4)
    if found.loading:
        yield from _item("loading", "it is not ready yet: it loads its model", 4)
    if not engine.here:
        yield from _item("elsewhere", "on another machine: memory and GPU of this one say nothing", 4)
    if engine.certificate == UNCHECKED:
        yield from _item("certificate", "not checked (--insecure): anybody could answer there", 4)
    for model in found.models[:_MODELS]:
        chosen = " (requests go to it)" if model.name == found.model and len(found.models) > 1 else ""
        yield from _item("model", _model(model) + chosen, 4)
    if len(found.models) > _MODELS:
        yield from _item("", f"and {count(len(found.models) - _MODELS)} more", 4)
    yield from _abilities(engine.abilities)
    yield from _item("prompt tokens", engine.tokenizer, 4)
    yield from _item("cold prompt", engine.cold, 4)
    if engine.caution:
        yield from _item("careful", engine.caution, 4)


def _model(model: Model) -> str:
    state = {True: "loaded", False: "not loaded", None: ""}[model.loaded]
    context = f"context {count(model.context)}" if model.context else ""
    most = f"at most {count(model.context_most)}" if model.context_most and not model.context else ""
    remote = "runs elsewhere" if model.remote else ""
    told = (clean(model.label), clean(model.quantization), context, most, state, remote)
    return " · ".join(part for part in told if part)


def _abilities(told: Sequence[Ability]) -> Iterator[str]:
    """A line each, then what would make more of them measurable, each remedy once."""
    remedies: dict[str, list[str]] = {}
    for ability in told:
        name = _SHOWN.get(ability.name, ability.name)
        word = f"{mark_of(ability)} {_WORDS.get(ability.status, ability.status)}"
        source = ability.source + (f", {ability.when}" if ability.when else "")
        yield from _lined(f"    {name:<{_NAME}}{word:<19}", source)
        if ability.remedy:
            remedies.setdefault(ability.remedy, []).append(name)
    for remedy, names in remedies.items():
        yield from _lined("    → ", f"{', '.join(names)}: {remedy}")


def _built_in(told: Findings) -> Iterator[str]:
    inside = told.built_in
    library = f"xllamacpp {inside.library}" if inside.library else f"not installed: {inside.remedy}"
    yield from _item("library", library)
    place = f"{inside.model}, {_short(inside.path)}" if inside.fetched else f"{inside.model}, not here yet"
    yield from _item("model", place)
    if inside.library and not inside.fetched:
        yield from _item("", inside.remedy)
    if inside.library and not told.engines:
        yield from _abilities(built_in_abilities())


def _machine(told: Findings) -> Iterator[str]:
    host = [told.host[key] for key in ("cpu", "driver", "power") if told.host.get(key)]
    if host:
        yield from _item("host", ", ".join(host))
    for group in told.machine:
        yield from _item(group.name, group.told if group.readable else f"– {group.told}")
    if told.away:
        yield from _item("", "the engine is on another machine: none of this is about it")


def _terminal(terminal: Terminal) -> Iterator[str]:
    yield from _item("TERM", terminal.term or "not set")
    depth = _DEPTHS.get(terminal.colours, "16.7 million colours")
    yield from _item("colours", depth + (" (NO_COLOR)" if terminal.no_color else ""))
    signs = "all signs" if terminal.utf8 else "signs in ASCII"
    yield from _item("characters", f"{terminal.encoding}: {signs}")
    if terminal.size is not None:
        columns, rows = terminal.size
        yield from _item("size", f"{columns} × {rows}" + ("" if columns >= 80 else ", small: gauges only"))
    within = [terminal.inside, "ssh" if terminal.ssh else ""]
    if any(within):
        yield from _item("inside", ", ".join(part for part in within if part))
    yield from _item("mouse, images", "not needed")
    if not terminal.screen:
        yield from _item("screen", "– no terminal here: plain `toklane` prints lines")


def _placed(place: Place) -> str:
    path = _short(place.path)
    if place.count is not None:
        runs = "1 run" if place.count == 1 else f"{count(place.count)} runs"
        return f"{path} ({runs}, {size(place.size_bytes or 0)})"
    return f"{path} ({'not there' if place.size_bytes is None else size(place.size_bytes)})"


def _short(path: Path) -> str:
    """The person's own folder as they write it."""
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):
        return str(path)


def _item(name: str, text: str, indent: int = 2) -> Iterator[str]:
    return _lined(" " * indent + f"{name:<{_NAME}}", text)


def _lined(start: str, text: str) -> Iterator[str]:
    """The text behind its name, broken between words, every further line below its first word."""
    line, fresh = start, True
    for word in clean(text).split(" "):
        if not fresh and width(line) + 1 + width(word) > COLUMNS:
            yield line.rstrip()
            line, fresh = " " * width(start), True
        line += word if fresh else f" {word}"
        fresh = False
    yield line.rstrip()
