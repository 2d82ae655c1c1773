"""The last record of an Ollama reply: counts and durations, and what they mean in each version."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tui.domain.events import Event, Learned, Oddity, Timings, Usage, Wait
from tui.domain.values import Provenance, count
from tui.engines.shapes import Object, nanoseconds

Version = tuple[int, int, int]

_LOADED_NS = 1_000_000_000  # a longer load_duration means that the model was just loaded: nothing is cached
_WARM_NS = 300_000_000  # a shorter one is the handling of a request whose model is in memory
_SLOT_NS = 200_000_000  # a longer rest is a wait for a slot, unless the prompt is long
_SLOT_TOKEN_NS = 200_000  # twenty times what a slow tokenizer needs for a token
_ROUNDING_NS = 5_000_000
_UNSPLIT = "queue + tokenize (not split by Ollama)"
_NO_CLOCK = "this server imitates Ollama's API: the durations it sends are no measurements"
_TOO_LONG = "the durations are longer together than the whole request: they are no measurements"
_TWO_PASSES = "the answer took two passes (format with thinking): Ollama's numbers describe only the second"
_ELSEWHERE = "the model runs on another machine, and the durations were taken there"


@dataclass(frozen=True, slots=True)
class Seen:
    """What the run showed before its last record.

    lines: records with text; thought: some of it was thinking. listed, arrived: see `ollama_ps.Residence`.
    remote: Ollama hands the request on to another machine.
    """

    version: Version | None = None
    lines: int = 0
    thought: bool = False
    listed: bool | None = None
    arrived: bool = False
    remote: bool = False


@dataclass(frozen=True, slots=True)
class _Told:
    """Durations in ns; None where they are not told, or all 0 or 1, which imitations send."""

    total: int | None
    load: int | None
    prompt: int | None
    decode: int | None

    @property
    def parts(self) -> int:
        return sum(span or 0 for span in (self.load, self.prompt, self.decode))

    @property
    def absurd(self) -> bool:
        return self.total is not None and self.parts > self.total + max(_ROUNDING_NS, self.total // 50)


_NOTHING = _Told(None, None, None, None)


def version_of(words: str) -> Version | None:
    """A release number; None for builds from source (0.0.0) and for what is none."""
    found = re.match(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})", words)
    if found is None:
        return None
    version = (int(found[1]), int(found[2]), int(found[3]))
    return version if any(version) else None


def metrics(at_ns: int, body: Object, seen: Seen) -> list[Event]:
    """Counts and durations of the record with `done: true`. Ollama leaves out what is zero."""
    told = _told(body)
    predicted = count(body.get("eval_count"))
    if seen.thought and predicted is not None and predicted < seen.lines:
        return _second_pass(at_ns, told)
    notes: list[Event] = []
    if told == _NOTHING:
        notes = [_note(at_ns, _NO_CLOCK)]
        predicted = predicted or (None if seen.lines else predicted)  # an imitation that counts nothing
    elif told.absurd:
        odd = f"{told.parts / 1e6:.0f} ms of load, prompt and answer in {(told.total or 0) / 1e6:.0f} ms"
        notes, told = [_note(at_ns, _TOO_LONG), Oddity(at_ns, "engine_timings_implausible", odd)], _NOTHING
    elif seen.remote:
        notes = [_note(at_ns, _ELSEWHERE)]
    total, processed, cached = _prompt(body, seen, told)
    timings = Timings(
        at_ns,
        prompt_n=processed,
        cached_n=cached,
        prompt_ns=told.prompt,
        predicted_n=predicted,
        predicted_ns=told.decode,
        load_ns=None if seen.listed and not seen.arrived else told.load,
        total_ns=told.total,
        cached_unknown=cached is None and not _only_new(seen) and not _just_loaded(seen, told),
        waits=_waits(seen, told, total, predicted),
        final=True,
        source="taken on the machine where the model runs" if seen.remote else "",
    )
    return [*notes, Usage(at_ns, total, predicted, cached), timings]


def _told(body: Object) -> _Told:
    """The durations; no work takes 0 or 1 ns, so one such beside others is kept only to be doubted."""
    names = ("total", "load", "prompt_eval", "eval")
    total, load, prompt, decode = (nanoseconds(body.get(f"{name}_duration"), 1) for name in names)
    if not any(_works(span) for span in (total, load, prompt, decode)):
        return _NOTHING
    counted = [(count(body.get(f"{name}_count")) or 0) > 1 for name in ("prompt_eval", "eval")]
    return _Told(
        _works(total),
        _works(load),
        prompt if counted[0] else _works(prompt),
        decode if counted[1] else _works(decode),
    )


def _works(span: int | None) -> int | None:
    return span if span is not None and span > 1 else None


def _note(at_ns: int, words: str) -> Learned:
    return Learned(at_ns, {"timings_note": words})


def _second_pass(at_ns: int, told: _Told) -> list[Event]:
    """Before 0.33.3 a reply in two passes has the counts and times of its second one: they describe neither
    the prompt that was sent nor the answer that was seen.
    """
    uncounted = Oddity(at_ns, "usage_missing", "Ollama counted only the second of two passes")
    timings = Timings(at_ns, load_ns=told.load, total_ns=told.total, final=True)
    return [_note(at_ns, _TWO_PASSES), uncounted, timings]


def _prompt(body: Object, seen: Seen, told: _Told) -> tuple[int | None, int | None, int | None]:
    """(tokens of the prompt, tokens processed, tokens reused), each None where it is not told.

    With `prompt_eval_cached_count` beside it (from 0.33.3 on), `prompt_eval_count` is the whole prompt.
    Without, it is the whole prompt too and may hold reused tokens, except up to 0.1.48 and in 0.30.0: there
    it counts only what was processed, so the prompt's length is known only when nothing can have been reused.
    """
    told_n = count(body.get("prompt_eval_count")) or None
    cached = count(body.get("prompt_eval_cached_count"))
    if told_n is None or cached is not None:
        return told_n, None if told_n is None else max(0, told_n - (cached or 0)), cached
    whole = told_n if not _only_new(seen) or _just_loaded(seen, told) else None
    return whole, told_n, None


def _only_new(seen: Seen) -> bool:
    """Versions that count only prompt tokens which were not reused."""
    return seen.version is not None and (seen.version <= (0, 1, 48) or seen.version == (0, 30, 0))


def _just_loaded(seen: Seen, told: _Told) -> bool:
    """The model was loaded for this very request: nothing can have been reused."""
    load = told.load or 0
    if seen.arrived:
        return True
    if seen.listed is False:
        return load > _WARM_NS
    return seen.listed is None and load > _LOADED_NS


def _waits(seen: Seen, told: _Told, prompt_tokens: int | None, predicted: int | None) -> tuple[Wait, ...]:
    """The time before the prompt was read, as far as load_duration and the answers of `/api/ps` split it.

    load_duration (L) runs until a ready runner was handed over: it holds the scheduler's wait and the load.
    The rest R = total - load - prompt_eval - eval holds templating, tokenization and the wait for a slot.
    """
    untimed = not _works(told.decode) and (predicted or 0) > 1  # the rest would hold the answer too
    if told.load is None or not _works(told.prompt) or untimed:
        return ()
    rest = (told.total or told.parts) - told.parts
    held = rest > max(_SLOT_NS, _SLOT_TOKEN_NS * (prompt_tokens or 0))
    slot = Wait("queue", None, Provenance.ESTIMATED, f"{_UNSPLIT}; so long a rest is a wait for a slot")
    if seen.listed is None:
        unseen = "Ollama's load_duration; whether the model was in memory was not seen"
        left = f"total - load - prompt_eval - eval: {_UNSPLIT}"
        return (
            Wait("load", told.load, Provenance.DERIVED, unseen),
            Wait("unattributed", None, Provenance.DERIVED, left),
        )
    after = slot if held else Wait("waiting", None, Provenance.OBSERVED, _UNSPLIT)
    if not seen.listed:
        how = "Ollama's load_duration, any wait in its scheduler in it; /api/ps did not list the model before"
        return Wait("load", told.load, Provenance.MEASURED, how), after
    if seen.arrived:
        again = (
            "Ollama's load_duration; /api/ps listed the model, then no more, then again: it was loaded anew"
        )
        return Wait("load", told.load, Provenance.DERIVED, again), after
    if told.load <= _WARM_NS:
        if not held:
            return (Wait("waiting", None, Provenance.OBSERVED, f"handling, {_UNSPLIT}"),)
        return Wait("waiting", told.load, Provenance.DERIVED, "handling; the model was in memory"), slot
    why = "Ollama's load_duration although /api/ps listed the model before: the scheduler's wait or a reload"
    name = "waiting" if early(seen.version) else "queue"  # early ones list a model that is still loading
    scheduler = Wait(name, told.load, Provenance.DERIVED, why)
    if held and name == "queue":
        return (Wait("queue", None, Provenance.ESTIMATED, f"{why}; then a wait for a slot"),)
    return scheduler, after


def early(version: Version | None) -> bool:
    """Versions before 0.30: `/api/ps` lists a model while it is still loading."""
    return version is not None and version < (0, 30, 0)
