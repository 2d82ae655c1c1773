"""A wait that could not be split says why, and what would split it: as plain lines, under `i`, in JSON."""

from __future__ import annotations

from tests.engines.seen import MS, end_ns, records_of, run
from tests.engines.test_engines_vllm import around
from tui.app.screens.evidence import evidence
from tui.domain.view import View
from tui.domain.wire import Poll
from tui.report.hatched import unsplit
from tui.report.numbers import run_object
from tui.report.plain import summary

FLAG = "to split it: start vLLM with --enable-per-request-metrics --enable-prompt-tokens-details"
NOTE = "not attributable: other requests ran meanwhile"


def crowded() -> View:
    """vLLM with two requests at once: its counters are nobody's alone."""
    polls: list[Poll] = around("metrics-two-at-once")
    return run(records_of("vllm/metrics-two-at-once", polls, engine_version="0.32.0"))[0]


def test_plain_lines_name_the_reason_and_the_flag() -> None:
    told = summary(crowded()).splitlines()
    assert f"  {NOTE}" in told and f"  {FLAG}" in told


def test_the_json_carries_the_reason() -> None:
    conditions = run_object(crowded())["conditions"]
    assert isinstance(conditions, dict) and conditions["timings_note"] == NOTE
    quiet = run_object(run(records_of("vllm/default-short"))[0])["conditions"]
    assert isinstance(quiet, dict) and quiet["timings_note"] is None


def test_the_explanation_of_the_wait_has_both() -> None:
    (wait,) = [number for number in evidence(crowded()) if "waiting" in number.definition.name]
    assert NOTE in wait.value.note and FLAG in wait.value.note


def test_a_split_run_needs_no_remedy() -> None:
    view, _ = run(records_of("vllm/flags-short"))
    assert unsplit(view) == ()


def test_while_it_runs_the_engine_may_still_tell() -> None:
    records = records_of("vllm/default-short", engine_version="0.32.0")
    assert unsplit(run(records)[0]) == (FLAG,)
    half = [record for record in records if getattr(record, "at_ns", 0) < end_ns("vllm/default-short") - MS]
    assert unsplit(run(half)[0]) == ()


def test_a_hostile_note_is_made_harmless() -> None:
    view, _ = run(records_of("vllm/default-short", timings_note="\x1b[2Jgone"))
    assert "\x1b" not in "".join(unsplit(view))
