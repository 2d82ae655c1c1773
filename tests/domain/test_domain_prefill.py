"""Forecasts of the first token, held against recorded prompts whose end is known."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tui.domain.prefill import Report, bend, forecast, interpolated, speed_now
from tui.domain.values import Provenance

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


def told_by_arrival(*steps: tuple[int, int], total: int = 1000) -> list[Report]:
    """Reports of an engine without a clock: (ms since sent, tokens)."""
    return [Report(at * 1_000_000, total, 0, done, None, whole=False) for at, done in steps]


def test_reports_without_engine_time_are_timed_by_their_arrival() -> None:
    told = told_by_arrival((300, 200), (500, 400), (700, 600))
    first = forecast(told[:1], 100_000_000)
    assert first is not None and first.bound and first.total_ns == 1_000_000_000
    third = forecast(told, 100_000_000)
    assert third is not None and not third.bound
    assert third.total_ns == pytest.approx(1_000_000_000, rel=0.01)
    assert forecast(told_by_arrival((100, 200)), 100_000_000) is None, "it came with the beginning"


def test_interpolation_without_engine_time_stays_within_the_largest_step() -> None:
    told = told_by_arrival((300, 200))
    assert interpolated(told, 100_000_000, 300_000_000) == 200
    assert interpolated(told, 100_000_000, 400_000_000) == 300
    assert interpolated(told, 100_000_000, 9_000_000_000) == 400


def test_speed_says_whose_time_it_is() -> None:
    by_engine = speed_now([Report(0, 1000, 200, 200, 0), Report(400, 1000, 200, 456, 400)], 0)
    assert (by_engine.number, by_engine.provenance) == (256e9 / 400, Provenance.MEASURED)
    told = told_by_arrival((300, 200), (500, 600))
    by_arrival = speed_now(told, 100_000_000)
    assert (by_arrival.number, by_arrival.provenance) == (2000.0, Provenance.OBSERVED)
    guessed = speed_now([replace(report, estimated=True) for report in told], 100_000_000)
    assert guessed.provenance is Provenance.ESTIMATED


def test_no_speed_of_shares_single_tokens_or_one_packet() -> None:
    shares = [replace(report, unit="share") for report in told_by_arrival((300, 200), (500, 600))]
    assert speed_now(shares, 0).number is None
    last_alone = told_by_arrival((300, 200), (500, 600), (600, 601))
    assert speed_now(last_alone, 100_000_000).number == 2000.0
    one_packet = told_by_arrival((300, 200), (300, 600))
    assert speed_now(one_packet, 100_000_000).number == 1000.0
    assert speed_now(told_by_arrival((100, 200)), 100_000_000).number is None


def test_one_token_by_the_engines_clock_is_no_speed() -> None:
    told = [Report(0, 602, 0, 600, 600), Report(700, 602, 0, 601, 700)]
    assert speed_now(told, 0).number is None
