"""Forecasts of the first token, held against recorded prompts whose end is known."""

import json
from pathlib import Path

import pytest

from tui.domain.prefill import Report, bend, forecast, interpolated

CAPTURES = Path(__file__).parents[1] / "data/captures/llamacpp"


def reports(name: str) -> list[Report]:
    found = []
    for line in (CAPTURES / name).read_text().splitlines()[1:]:
        record = json.loads(line)
        for part in str(record.get("b", "")).split("\n\n"):
            if '"prompt_progress"' in part:
                told = json.loads(part.removeprefix("data: "))["prompt_progress"]
                at = round(record["t"] * 1e9)
                ms = told["time_ms"] * 1_000_000
                found.append(Report(at, told["total"], told["cache"], told["processed"], ms))
    return found


def test_no_work_no_forecast() -> None:
    assert forecast([]) is None
    assert forecast(reports("02-chat-long-progress.jsonl")[:1]) is None


def test_one_or_two_reports_give_a_lower_bound() -> None:
    told = reports("02-chat-long-progress.jsonl")
    for n in (2, 3):
        guess = forecast(told[:n])
        assert guess is not None and guess.bound
        assert guess.total_ns < told[-1].engine_ns


def test_from_the_third_report_the_forecast_bends() -> None:
    told = reports("02-chat-long-progress.jsonl")
    guess = forecast(told[:4])
    assert guess is not None and not guess.bound
    assert guess.total_ns == pytest.approx(told[-1].engine_ns, rel=0.05)
    straight = told[3].engine_ns / told[3].worked * told[3].work
    assert abs(straight - told[-1].engine_ns) > 3 * abs(guess.total_ns - told[-1].engine_ns)


def test_bend_finds_its_own_curve() -> None:
    a, b = bend([(n, 3.0 * n + 0.25 * n * n) for n in (64, 128, 192, 256)])
    assert (a, b) == (pytest.approx(3.0), pytest.approx(0.25))


def test_bend_never_goes_negative() -> None:
    a, b = bend([(100, 100.0), (200, 150.0), (300, 160.0)])
    assert a >= 0 and b >= 0
    a, b = bend([(100, 1.0), (200, 100.0), (300, 900.0)])
    assert a >= 0 and b >= 0


def test_interpolation_stays_within_one_step_and_the_whole() -> None:
    told = [Report(0, 1000, 200, 200, 0), Report(400, 1000, 200, 456, 400)]
    assert interpolated(told, 0, 400) == 456
    assert interpolated(told, 0, 500) == 456 + 64
    assert interpolated(told, 0, 10_000) == 456 + 256
    assert interpolated([*told, Report(900, 1000, 200, 900, 900)], 0, 10**6) == 1000
