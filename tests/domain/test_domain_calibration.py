"""The calibrated split: right for a known truth, marked, and left out where it may not be said."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.app.scripted import opening, writing
from tui.domain import events as ev
from tui.domain.calibration import Calibration, calibrated, calibration_from, fields_of
from tui.domain.knobs import Knobs
from tui.domain.look import look
from tui.domain.reduce import reduce
from tui.domain.state import State
from tui.domain.values import Provenance
from tui.domain.view import Stage, View
from tui.report.numbers import run_object

MS, S = 1_000_000, 1_000_000_000
SILENT = ev.Dialect("openai")
CURVE = Calibration(0.2, 0.001, 0.0, 0.02, 8, 128, 2048, "then")  # 1024 tokens: 200 ms + 1,024 ms
FIRST = 1224 * MS


def seen(
    *more: ev.Event,
    first_ns: int | None = FIRST,
    now_ns: int | None = None,
    told: object = None,
    **asked: object,
) -> View:
    conditions = {"calibration": fields_of(CURVE) if told is None else told, "prompt_tokens_asked": 1024}
    events: list[ev.Event] = [*opening(Knobs(), SILENT), ev.Learned(0, conditions | asked), *more]
    if first_ns is not None:
        events += writing(first_ns, 4, 20 * MS)
        events += [ev.Finish(first_ns + 90 * MS, "stop"), ev.Done(first_ns + 90 * MS)]
    state = State()
    for event in events:
        reduce(state, event)
    return look(state, now_ns)


def test_trials_of_a_known_server_give_its_factors_back() -> None:
    lengths = (128, 512, 1024, 2048) * 2
    found = calibrated([(n, 0.2 + 0.001 * n) for n in lengths], "then")
    assert isinstance(found, Calibration)
    assert (found.a_s, found.b_s, found.c_s) == (pytest.approx(0.2), pytest.approx(0.001), 0.0)
    assert (found.runs, found.least, found.most, found.at) == (8, 128, 2048, "then")
    assert "from 8 calibration runs" in found.source and "± 2 %" in found.source


@pytest.mark.parametrize(
    ("trials", "why"),
    [
        ([(128, 1.0)] * 3, "only 3"),
        ([(128, 1.0)] * 8, "one length"),
        ([(n, 0.5) for n in (128, 512, 1024, 2048) * 2], "does not grow"),
    ],
)
def test_what_is_no_calibration_says_why(trials: list[tuple[int, float]], why: str) -> None:
    assert why in str(calibrated(trials))


def test_a_silent_wait_is_tiled_into_waiting_and_prefill_both_estimated() -> None:
    view = seen()
    waiting, prefill = view.phase("waiting"), view.phase("prefill")
    assert waiting is not None and prefill is not None
    assert waiting.provenance is prefill.provenance is Provenance.ESTIMATED
    assert prefill.duration_ns == 1024 * MS
    assert waiting.end_ns == prefill.start_ns
    assert view.ttft.number == pytest.approx(prefill.end_ns / S)
    assert sum(p.duration_ns for p in view.phases if p.start_ns >= 0) == view.total_ns
    assert "from 8 calibration runs" in prefill.source and "± 2 %" in prefill.source


def test_no_figure_is_made_of_an_estimated_split() -> None:
    told = run_object(seen())
    assert told["prefill_s"] is None and told["prefill_tok_s"] is None and told["queue_s"] is None
    phases = told["phases"]
    assert isinstance(phases, list)
    assert [p["provenance"] for p in phases if p["name"] in ("waiting", "prefill")] == ["estimated"] * 2


def test_while_it_waits_it_is_waiting_first_and_then_reads_but_nobody_is_told_so_as_a_fact() -> None:
    early, late = seen(first_ns=None, now_ns=150 * MS), seen(first_ns=None, now_ns=700 * MS)
    assert early.phase("prefill") is None and early.phases[-1].provenance is Provenance.ESTIMATED
    reading = late.phase("prefill")
    assert reading is not None and reading.running and reading.start_ns == 200 * MS
    assert early.stage is late.stage is Stage.WAITING


@pytest.mark.parametrize(
    ("view", "why"),
    [
        (seen(first_ns=4 * S), "longer than the calibration runs"),
        (seen(first_ns=None, now_ns=4 * S), "longer than the calibration runs"),
        (seen(first_ns=300 * MS), "faster than the calibration runs"),
        (seen(cache_mode="same"), "reused"),
        (seen(cache_mode="tail:64"), "reused"),
        (seen(ev.Usage(S, prompt=1024, cached=700)), "reused"),
        (seen(rivals=1), "other requests"),
        (seen(prompt_tokens_asked=16384), "other lengths"),
    ],
)
def test_where_it_may_not_be_split_the_wait_says_why(view: View, why: str) -> None:
    waiting = view.phase("waiting")
    assert view.phase("prefill") is None
    assert waiting is not None and waiting.provenance is Provenance.OBSERVED and why in waiting.source


def test_the_engines_own_word_is_never_replaced() -> None:
    told = ev.Timings(FIRST + 80 * MS, prompt_n=1024, prompt_ns=900 * MS, predicted_n=4, final=True)
    prefill = seen(told, first_ns=FIRST).phase("prefill")
    assert prefill is not None and prefill.provenance is Provenance.MEASURED


@pytest.mark.parametrize("told", [7, [], {}, fields_of(CURVE) | {"b_s": "x"}, fields_of(CURVE) | {"a_s": -1}])
def test_a_damaged_calibration_splits_nothing(told: object) -> None:
    assert calibration_from(told) is None
    assert seen(told=told).phase("prefill") is None


def test_a_calibration_survives_its_file() -> None:
    assert calibration_from(fields_of(CURVE)) == CURVE
    assert replace(CURVE, c_s=1e-7).reading_s(1000) == pytest.approx(1.1)
