"""Requests without a screen: find the engine, send, wait, print. Progress goes to stderr."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from tui.capture.session import Session
from tui.capture.target import UNCHECKED, Target
from tui.domain.events import Failed
from tui.domain.knobs import Knobs, fitted
from tui.domain.view import View
from tui.domain.wire import FORMAT
from tui.plot.cells import clean
from tui.plot.numbers import size_of
from tui.report.calibration import calibrate
from tui.report.narrated import Narrator, write
from tui.report.numbers import run_object
from tui.report.passing import Passing
from tui.report.plain import summary
from tui.report.summary import summarised
from tui.report.until import until

COMPLETE, INCOMPLETE, NO_ENGINE = 0, 1, 3
_LOOK_S = 0.1


@dataclass(frozen=True, slots=True)
class Job:
    """What to send and how to tell. `target` None: the first local engine found, else the built-in one.

    records: for each request where its recording goes, None for the usual place. narrated: also a line for
    each change and each second while it runs. calibrate: trial prompts in place of the knobs' one.
    """

    knobs: Knobs
    target: Target | None = None
    engine: str = ""
    model: str = ""
    embedded: bool = False
    gguf: Path | None = None
    download: bool = True
    records: Sequence[Path | None] = (None,)
    as_json: bool = False
    narrated: bool = False
    calibrate: bool = False


def run(session: Session, job: Job, out: TextIO, err: TextIO) -> int:
    """Send the job's requests one after the other; the exit status."""
    problem = _engine(session, job, err)
    if problem or session.found is None:
        err.write(f"toklane: {clean(problem or 'no engine')}\n")
        return NO_ENGINE
    if session.target is not None and session.target.trust(session.found.base.root) == UNCHECKED:
        err.write("toklane: the server's certificate is not checked (--insecure)\n")
    if job.calibrate:
        return calibrate(session, job.knobs, job.as_json, out, err)
    knobs = fitted(job.knobs, session.context)
    if knobs.prompt_tokens != job.knobs.prompt_tokens or knobs.answer_limit != job.knobs.answer_limit:
        told = f"prompt {knobs.prompt_tokens} and answer {knobs.answer_limit} tokens"
        err.write(f"toklane: the context holds {session.context} tokens: {told} are sent\n")
    views: list[View] = []
    unrecorded = False
    for number, record in enumerate(job.records):
        try:
            sent = _sent(session, knobs, record, out if job.narrated else None, Passing(err))
        except SystemExit:  # a signal; what was measured before it is not lost
            if job.as_json and views:
                _tell_all(views, out)
            raise
        if told := session.problem or session.notice:
            err.write(f"toklane: {clean(told)}\n")
            unrecorded = unrecorded or record is not None
        if session.run is None or not sent:
            break
        if session.run.note:
            err.write(f"toklane: {clean(session.run.note)}\n")
        view = _as_wished(session.view(), job.knobs)
        views.append(view)
        if view.failure is not None:
            err.write(f"toklane: {clean(_why(view.failure))}\n")
        if not job.as_json:
            _tell(view, number, len(job.records), out)
    if job.as_json:
        _tell_all(views, out)
    complete = len(views) == len(job.records) and all(view.complete for view in views)
    return COMPLETE if complete and not unrecorded else INCOMPLETE


def _as_wished(view: View, wish: Knobs) -> View:
    """What was asked for is what the person asked for, also where the context held less."""
    if "prompt_tokens_asked" not in view.conditions:  # an own text has the length it has
        return view
    return replace(view, conditions={**view.conditions, "prompt_tokens_asked": wish.prompt_tokens})


def _tell_all(views: Sequence[View], out: TextIO) -> None:
    objects = [run_object(view) for view in views]
    told = {"format": FORMAT, "runs": objects, "summary": summarised(objects)}
    out.write(json.dumps(told, allow_nan=False) + "\n")


def _sent(session: Session, knobs: Knobs, record: Path | None, out: TextIO | None, passing: Passing) -> bool:
    """Send and wait until it is over and recorded; False when it could not be sent.

    It is told to `out`, line by line, else in passing where somebody looks on.
    """
    before = session.run
    session.send(knobs, record)
    narrator, activity = Narrator(), ""

    def over() -> bool:
        nonlocal activity
        if out is not None:
            if session.activity not in ("", activity):
                write([f"preparing  {clean(session.activity)}"], out)
            activity = session.activity
            if session.run is not before:
                write(narrator.follow(session.view()), out)
        elif session.run is not before:
            passing.follow(session.view())
        else:
            passing.show(session.activity)
        return not session.running

    until(session, over)
    passing.clear()
    if session.run is before:
        return False
    until(session, lambda: session.ended or bool(session.problem))
    return True


def _why(failure: Failed) -> str:
    """What happened and what can be done, each a sentence."""
    message, remedy = failure.whole.rstrip(), failure.remedy
    ended = "" if message.endswith((".", "!", "?", "…")) else "."
    return f"{message}{ended} {remedy[:1].upper()}{remedy[1:]}" if remedy else message


def _engine(session: Session, job: Job, err: TextIO) -> str:
    """Aim the session; one line when that failed."""
    if job.target is not None:
        session.aim(job.target)
        until(session, lambda: session.found is not None or bool(session.problem))
        return session.problem
    if not job.embedded:
        session.discover(job.engine, job.model)
        until(
            session, lambda: bool(session.problem) or (session.discovered is not None and not session.aiming)
        )
        if session.found is not None or session.problem:
            return session.problem
        if job.model:
            where = "on the usual local ports; name the engine's address with --url"
            return f"no engine to ask for {job.model} answers {where}"
    return _embed(session, job, err)


def _embed(session: Session, job: Job, err: TextIO) -> str:
    session.gguf, session.download = job.gguf, job.download
    session.builtin.make_room(job.knobs.rivals)
    session.embed()
    told_at = 0.0
    if session.builtin.state == "fetching":
        err.write("toklane: fetching the built-in model (93 MB, once)\n")
    while not session.problem and session.found is None:
        session.wait(_LOOK_S)
        session.drain()
        builtin = session.builtin
        if builtin.state == "fetching" and builtin.done_bytes and time.monotonic() - told_at > 1:
            told_at = time.monotonic()
            done = size_of(builtin.done_bytes, builtin.total_bytes)
            err.write(f"toklane: {builtin.stage} {done.number} {done.unit}\n")
    return session.problem


def _tell(view: View, number: int, of: int, out: TextIO) -> None:
    if of > 1:
        out.write(f"run {number + 1} of {of}\n")
    for name, text in (("reasoning", view.reasoning), ("answer", view.answer)):
        told = "\n".join(clean(line) for line in str(text).split("\n"))
        if told:
            out.write(f"--- {name}\n{told}\n")
    out.write("---\n" + summary(view) + "\n")
