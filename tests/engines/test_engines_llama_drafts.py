"""Tokens that llama.cpp guessed ahead are told apart from those that took a pass of their own."""

from __future__ import annotations

from pathlib import Path

from tui.engines.llama_timings import timings_of
from tui.engines.shapes import mapping, parsed_or_none

CAPTURE = Path(__file__).parents[1] / "data" / "captures" / "llamacpp" / "18-speculative-ngram.jsonl"


def test_the_accepted_ones_of_a_recorded_answer() -> None:
    lines = CAPTURE.read_text(encoding="utf-8").splitlines()
    whole = "".join(str(mapping(parsed_or_none(line.encode())).get("b", "")) for line in lines)
    events = [
        mapping(parsed_or_none(one[6:].encode())) for one in whole.splitlines() if one.startswith("data: {")
    ]
    told = [mapping(event["timings"]) for event in events if "timings" in event]
    last = timings_of(0, told[-1], final=True)
    assert (last.accepted_n, (last.predicted_n or 0) > 11) == (11, True)


def test_without_guesses_none_is_told() -> None:
    assert timings_of(0, {"predicted_n": 5}, final=True).accepted_n is None
