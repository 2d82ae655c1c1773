"""Line by line: each change once, about one line a second, nothing that is not known, no control codes."""

import io
from itertools import pairwise
from pathlib import Path

import pytest

from tui.capture.live import Live
from tui.capture.recording import read
from tui.report.again import tell_as_it_was
from tui.report.narrated import Narrator, narrate

CAPTURES = Path("tests/data/captures")
LONG = CAPTURES / "llamacpp" / "02-chat-long-progress.jsonl"


class Clock:
    """Time that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def told(file: Path, speed: float = 1.0) -> tuple[list[str], float]:
    """(lines, seconds it took)"""
    out, clock = io.StringIO(), Clock()
    narrate(read(file), speed, out, clock, clock.sleep)
    return out.getvalue().splitlines(), clock.now - 100


def times(lines: list[str]) -> list[float]:
    return [float(line.split(" s  ")[0]) for line in lines]


def words(lines: list[str]) -> list[str]:
    return [line.split(" s  ")[1] for line in lines]


def test_a_long_prompt_is_told_from_the_sending_to_the_end() -> None:
    lines, _ = told(LONG)
    said = words(lines)
    assert said[:3] == ["connecting", "sent  waiting for the engine", "reading the prompt"]
    assert any(line.startswith("reading  768 of 1,674 tokens · ") for line in said)
    first = next(
        n for n, line in enumerate(said) if line.startswith("writing  the first token came after 18.1 s")
    )
    assert any(" of at most " in line and "tok/s (last 1 s)" in line for line in said[first + 1 :])
    assert said[-1] == "finished  after token 28"
    assert said.count("reading the prompt") == 1


def test_there_is_a_line_at_least_every_second_and_hardly_more() -> None:
    at = times(told(LONG)[0])
    assert at == sorted(at)
    assert max(after - before for before, after in pairwise(at)) <= 1.11
    assert len(at) <= at[-1] + 5


@pytest.mark.parametrize("speed", [0.5, 1.0, 16.0])
def test_it_takes_as_long_as_it_took_and_says_the_same_at_any_speed(speed: float) -> None:
    lines, took = told(LONG, speed)
    assert lines == told(LONG)[0]
    assert took == pytest.approx(times(lines)[-1] / speed, abs=0.2 / speed)


def test_numbers_that_are_not_known_are_not_told() -> None:
    """An engine that tells no progress and counts no token while it writes."""
    lines, _ = told(CAPTURES / "llamacpp" / "09-chat-plain-openai.jsonl")
    said = "\n".join(words(lines))
    assert "reading" not in said and "0 of" not in said
    assert "token 0" not in said and " 0 tok/s" not in said
    assert "finished  after message " in said


def test_what_fails_says_so_at_once() -> None:
    lines, _ = told(CAPTURES / "llamacpp" / "06m-401-no-key.jsonl")
    assert words(lines)[-1].startswith("failed  401: ") and len(lines) == 3
    assert all(line.isprintable() for line in lines)


def test_a_stall_is_told_when_it_begins_and_when_it_ends() -> None:
    """Another request took the processor away while this one was written."""
    lines = words(told(CAPTURES / "llamacpp" / "04f-two-slots-first.jsonl")[0])
    kinds = [line.split("  ")[0] for line in lines]
    begun = kinds.index("stalled")
    assert lines[begun].startswith("stalled  nothing for ") and " · after token 5" in lines[begun]
    assert "went on" in kinds[begun + 1 :] and kinds.count("went on") == 3


def test_one_look_at_the_end_tells_every_change_once() -> None:
    live, narrator = Live(), Narrator()
    live.feed(read(LONG).records)
    view = live.view()
    said = [line.split(" s  ")[1] for line in narrator.follow(view)]
    assert [line.split("  ")[0] for line in said] == ["sent", "reading the prompt", "writing", "finished"]
    assert "since 0.0 s" in said[1], "what is told late says when it was"
    assert narrator.follow(view) == []


def test_the_numbers_follow_and_the_status_is_that_of_the_request() -> None:
    out, err = io.StringIO(), io.StringIO()
    assert tell_as_it_was(LONG, 1e9, out, err) == 0
    assert "---\n  phase " in out.getvalue() and "first token (TTFT)" in out.getvalue()
    assert "\x1b" not in out.getvalue() and err.getvalue() == ""
    assert tell_as_it_was(Path("none.jsonl"), 1.0, out, err) == 2
    assert err.getvalue().startswith("toklane: none.jsonl: No such file")


def test_every_line_is_written_at_once() -> None:
    class Out(io.StringIO):
        unflushed = 0

        def write(self, text: str) -> int:
            assert not self.unflushed, "a line waits"
            self.unflushed += text.count("\n")
            return super().write(text)

        def flush(self) -> None:
            self.unflushed = 0

    clock = Clock()
    narrate(read(LONG), 1.0, Out(), clock, clock.sleep)
