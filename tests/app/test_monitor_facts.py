"""Nothing on the screen is invented: what a request or a recording does not tell is not claimed."""

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.conftest import Clock, Watch, Watched, watching
from tests.app.scripted import MS, S, ScriptedSession, machine_reading, opening, reading, whole, writing
from tui.app.dress import page_theme
from tui.app.main import Monitor
from tui.app.panels.ending import ending
from tui.capture.recording import read
from tui.capture.replay_session import ReplaySession
from tui.domain import events as ev
from tui.domain.events import ErrorKind, Event, Failed
from tui.domain.knobs import Knobs
from tui.domain.pressure import step
from tui.domain.view import Stage, View
from tui.settings import themes

CAPTURE = Path("tests/data/captures/llamacpp/01-chat-short-cold.jsonl")
NO_SAMPLES = "the recording holds no machine samples"
Play = Callable[..., AbstractAsyncContextManager[Watched]]


@pytest.fixture
def play(clock: Clock, session: ScriptedSession, watch: Watch) -> Play:
    """A recording, played to its end."""
    del watch

    @asynccontextmanager
    async def opened(file: Path, size: tuple[int, int]) -> AsyncIterator[Watched]:
        player = ReplaySession(read(file), file, clock=clock)
        player.seek(None)
        app = Monitor(lambda: (player, player.knobs))
        async with watching(app, size, session, clock) as watched:
            yield watched

    return opened


@pytest.fixture
def untold(tmp_path: Path) -> Path:
    """A recording that tells neither a limit nor the length of the prompt, but 5,000 tokens."""

    def data(choice: dict[str, object] | None, **more: object) -> str:
        return f"data: {json.dumps({'choices': [choice] if choice else []} | more)}\n\n"

    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
    lines: list[dict[str, object]] = [
        {"meta": {"engine": "openai", "model": "m", "request": {"body": body}}},
        {"t": 0.0, "event": {"name": "sent"}},
        {
            "t": 0.1,
            "event": {"name": "head", "status": 200, "headers": [["content-type", "text/event-stream"]]},
        },
        {"t": 0.2, "b": data({"index": 0, "delta": {"content": "one"}})},
        {"t": 0.3, "b": data({"index": 0, "delta": {"content": " two"}, "finish_reason": "stop"})},
        {"t": 0.4, "b": data(None, usage={"completion_tokens": 5000}) + "data: [DONE]\n\n"},
        {"t": 0.4, "end": "eof"},
    ]
    file = tmp_path / "untold.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return file


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 10)])
async def test_a_recording_without_samples_says_so_and_claims_nothing(
    play: Play, size: tuple[int, int]
) -> None:
    async with play(CAPTURE, size) as at:
        assert "not read yet" not in at.text and "no GPU used" not in at.text
        assert NO_SAMPLES in " ".join(at.text.split()) or size == (120, 36)
        if size == (120, 36):
            assert " ".join(at.rows[n][55:87].strip() for n in (22, 23)) == NO_SAMPLES


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_an_answer_limit_that_nobody_told_has_no_denominator(
    play: Play, untold: Path, size: tuple[int, int]
) -> None:
    async with play(untold, size) as at:
        assert "5,000 tok" in at.text or size == (80, 24), "there the wait that can't be split takes the row"
        assert "/64" not in at.text and "5,000/" not in at.text


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_a_prompt_of_unknown_length_has_no_place_on_the_dial(
    play: Play, untold: Path, size: tuple[int, int]
) -> None:
    async with play(untold, size) as at:
        dial = at.rows[-3:-1]
        assert dial[0].split()[:3] == ["prompt", "←", "128"]
        assert set(dial[1].split()) == {"TTFT", "s", "·"}
        assert at.desk.feed.shelf.ttft_s == {}
    player = ReplaySession(read(untold), untold)
    player.remember(read(untold))
    assert player.shelf.ttft_s == {} and player.run is not None and player.run.label == "untold.jsonl"


async def test_before_the_first_reading_nothing_is_said_about_a_gpu(watch: Watch) -> None:
    async with watch() as at:
        assert "not read yet" in at.text and "GPU" not in at.text


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 10), (150, 40)])
async def test_why_no_gpu_was_read_stands_whole_beside_what_the_processor_does(
    watch: Watch, session: ScriptedSession, size: tuple[int, int]
) -> None:
    for n in range(12):
        session.pressure = step(session.pressure, machine_reading(n * 100 * MS, n), False)
    async with watch(size) as at:
        words = " ".join(row[-44:].strip(" ─") for row in at.rows)
        if size[0] < 110:
            assert re.search("cores ━+╸? +2.0/2  no NVIDIA driver", words)
        else:
            assert "cpu · no NVIDIA driver" in words and "1.98/2" in words
        assert "no GPU used" not in at.text
        session.pressure = step(
            session.pressure, replace(machine_reading(3 * S, 20), gpu_reason="AMD GPU not read"), False
        )
        at.desk.pump.touch()
        await at.frame()
        assert "AMD GPU not read" in at.text and "no GPU" not in at.text


async def test_cores_that_are_not_whole_are_told_with_one_decimal(
    watch: Watch, session: ScriptedSession
) -> None:
    for n in range(12):
        now = replace(machine_reading(n * 100 * MS, n), cpu_busy_s=0.17 * n)
        session.pressure = step(session.pressure, now, False)
    async with watch((80, 24)) as at:
        assert re.search("cores ━+╸?─+ +1.7/2  no NVIDIA driver", at.text)


def real(knobs: Knobs) -> list[Event]:
    """The engine counts one token more than was asked for."""
    told = ev.Learned(0, {"prompt_tokens_asked": knobs.prompt_tokens - 1})
    return [*whole(knobs, 300 * MS, 40, 12 * MS), told]


@pytest.mark.parametrize(("size", "row"), [((120, 36), 26), ((80, 24), 17)])
async def test_asked_and_real_length_stand_side_by_side(
    watch: Watch, session: ScriptedSession, size: tuple[int, int], row: int
) -> None:
    session.script = lambda knobs: sorted(real(knobs), key=lambda event: event.at_ns)
    async with watch(size, Knobs(prompt_tokens=513)) as at:
        await at.press("enter")
        await at.wait(2)
        assert "513 tok (asked 512), none reused" in "\n".join(at.rows[row - 2 : row + 1])
        assert "40/64" in at.text


def cut(how: str, detail: str) -> Callable[[Knobs], list[Event]]:
    def script(knobs: Knobs) -> list[Event]:
        events = [*opening(knobs), *reading(knobs, 300 * MS), *writing(310 * MS, 20, 12 * MS)]
        return [*events, ev.Usage(550 * MS, None, 20, None), ev.Ended(600 * MS, how, detail)]

    return script


@pytest.mark.parametrize("how", ["reset", "cancelled"])
async def test_the_rate_of_an_answer_that_did_not_end_is_not_that_of_the_whole(
    watch: Watch, session: ScriptedSession, how: str
) -> None:
    session.script = cut(how, "")
    async with watch() as at:
        await at.press("enter")
        await at.wait(1)
        assert "so far" in at.text and "whole answer" not in at.text


@pytest.mark.parametrize(
    ("failure", "words"),
    [
        (
            Failed(S, ErrorKind.CONNECTION_LOST, "the engine closed the connection after 3 tokens"),
            "connection closed",
        ),
        (Failed(S, ErrorKind.CONNECTION_LOST, "no answer in time"), "no answer in time"),
        (Failed(S, ErrorKind.CONNECTION_LOST, "a reason that takes more than a few words"), "failed"),
        (Failed(S, ErrorKind.RATE_LIMITED, "429: wait", 429), "rate limited"),
        (Failed(S, ErrorKind.TIMED_OUT, "no end of the reply within 5 s"), "time limit"),
    ],
)
def test_the_end_of_the_lane_says_what_ended_it(failure: Failed, words: str) -> None:
    end = ending(View(stage=Stage.FAILED, failure=failure))
    assert end is not None and end.words[0] == words


async def test_the_status_of_a_reply_is_told_once(watch: Watch, session: ScriptedSession) -> None:
    bad = Failed(100 * MS, ErrorKind.HTTP_ERROR, "502: an HTML page from a proxy", status=502)
    session.script = lambda knobs: [*opening(knobs), bad, ev.Ended(110 * MS, "eof")]
    async with watch() as at:
        await at.press("enter")
        await at.wait(0.5)
        assert at.text.count("502") == 1, "the sentence has room for it"
        assert at.rows[29].startswith(" remedy ")
    async with watch((110, 30)) as at:
        await at.press("enter")
        await at.wait(0.5)
        assert at.text.count("502") == 1


async def test_a_zoomed_timeline_names_whole_phases(watch: Watch, session: ScriptedSession) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=131, gap_ns=12 * MS)
    async with watch() as at:
        await at.press("enter")
        await at.wait(4)
        told = f"decode {at.desk.pump.scene.view.phase('decode').duration_ns / S:.2f} s"  # type: ignore[union-attr]
        await at.press("1")
        assert told in at.rows[3]
        await at.press("plus", "plus")
        assert told in at.rows[3], "what is seen of it is less"


async def test_lumps_are_drawn_as_gaps_and_not_as_stalls(watch: Watch, session: ScriptedSession) -> None:
    def lumps(knobs: Knobs) -> list[Event]:
        events: list[Event] = [*opening(knobs), *reading(knobs, 300 * MS)]
        for lump in range(4):
            at_ns = (400 + 400 * lump) * MS
            events.append(ev.Arrived(at_ns, None, at_ns, True, 6, 6))
            events += [ev.Generated(at_ns, answer="word ", count=6 * lump + n) for n in range(1, 7)]
        return [*events, ev.Usage(1700 * MS, 512, 24, 0), ev.Finish(1700 * MS, "stop"), ev.Done(1701 * MS)]

    session.script = lumps
    async with watch() as at:
        await at.press("enter")
        await at.wait(3)
        assert "delivered in lumps: gaps are not the engine's" in at.rows[2]
        assert "stall" not in "\n".join(at.rows[:20]) and "╳" not in at.text
        assert "█" in at.rows[18][8:], "the last gaps stand as bars"


@pytest.mark.parametrize("size", [(40, 10), (50, 12), (59, 9)])
async def test_small_screens_drop_whole_parts_of_the_sentence(
    watch: Watch, session: ScriptedSession, size: tuple[int, int]
) -> None:
    session.script = lambda knobs: [*opening(knobs), *writing(100 * MS, 87, 11_600_000)]
    async with watch(size, Knobs(answer_limit=256)) as at:
        words = " ".join(at.text.split())
        assert "← → turn the length of the prompt" in words
        assert ("· a sends" in words) == ("· a sends at every turn" in words)
        await at.press("enter")
        await at.wait(1)
        head = " ".join(" ".join(at.rows[:4]).split())
        assert ("one every" in head) == bool(re.search(r"one every [\d.]+ ms", head))
        assert "of at most 256" in head


async def test_the_hint_where_no_text_is_goes_whole(watch: Watch) -> None:
    async with watch((80, 24)) as at:
        assert at.rows[20] == " ← → turn the length of the prompt · a sends at every turn"


async def test_the_parts_of_the_prompt_stand_in_the_raw_detail(
    watch: Watch, session: ScriptedSession
) -> None:
    session.parts, session.note = (("tools", 120),), "The agent's parts are shrunk to 4.3 % of 12,000 tokens."
    session.script = lambda knobs: whole(knobs, prefill_ns=5 * S)
    async with watch() as at:
        await at.press("enter")
        await at.wait(1)
        assert "the agent's parts are shrunk to 4.3 %" in at.rows[2]
        await at.press("d")
        assert "tools: 120 tokens" in at.text and session.note in at.text


@pytest.mark.parametrize(("panel", "title"), [("memory", "RAM"), ("gpu", "busy cores")])
async def test_the_panels_of_the_machine_explain_their_own_numbers(
    watch: Watch, panel: str, title: str
) -> None:
    async with watch() as at:
        at.desk.select(next(one for one in at.desk.panels if one.id == panel))
        await at.press("i")
        assert at.rows[0].strip().startswith(f"{title} ·")
        assert "not read yet" in at.text


@pytest.mark.parametrize("name", themes.names())
def test_pages_leave_the_colours_of_the_phases_to_the_phases(name: str) -> None:
    theme = themes.load(name)
    page = page_theme(theme)
    phases = {theme.colours["prefill"], theme.colours["decode"]}
    assert not phases & {page.primary, page.secondary, page.accent, page.warning}
