"""`toklane run --calibrate`: trial prompts without a screen, progress on stderr, the result on stdout."""

from __future__ import annotations

import json
from typing import TextIO

from tui.capture.calibrating import summary_of
from tui.capture.session import Session
from tui.domain.calibration import Calibration
from tui.domain.knobs import Knobs
from tui.domain.view import View
from tui.domain.wire import FORMAT
from tui.plot.cells import clean
from tui.plot.numbers import duration
from tui.report.numbers import run_object
from tui.report.summary import summarised
from tui.report.until import until

DONE, FAILED = 0, 1


def calibrate(session: Session, knobs: Knobs, as_json: bool, out: TextIO, err: TextIO) -> int:
    """Calibrate the engine that the session is aimed at; 0 when a curve was found and kept, else 1."""
    cost = session.calibrate(knobs)
    if session.calibrating:
        err.write(f"toklane: calibrating: {cost}; the first one is to warm up; ctrl+c stops\n")
    views: list[View] = []
    work = session.calibrating

    def told() -> bool:
        for view in work.seen[len(views) :] if work else ():
            views.append(view)
            err.write(f"toklane: prompt {len(views)} of {work.of if work else 0}: {_words(view)}\n")
        return session.calibrating is None

    until(session, told)
    told()
    found = session.calibrated
    if as_json:
        objects = [run_object(view) for view in views]
        whole = {"format": FORMAT, "runs": objects, "summary": summarised(objects)}
        out.write(json.dumps(whole, allow_nan=False) + "\n")
    if not isinstance(found, Calibration):
        err.write(f"toklane: not calibrated: {clean(found or session.problem or 'stopped')}\n")
        return FAILED
    if not as_json:
        out.write(f"{summary_of(found)}\n")
    if session.notice != summary_of(found):
        err.write(f"toklane: {clean(session.notice)}\n")
        return FAILED
    return DONE


def _words(view: View) -> str:
    tokens = view.prompt_tokens or view.conditions.get("prompt_tokens_asked")
    ttft = view.ttft.number
    told = "no token came" if ttft is None else f"first token after {duration(round(ttft * 1e9))} ○"
    return f"{tokens:,} tokens, {told}" if isinstance(tokens, int) else told
