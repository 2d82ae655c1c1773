"""The answer piece by piece: its colours by gaps, the cursor in it and in the timeline, what explains it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.conftest import Clock, Watch, Watched
from tests.app.scripted import MS, ScriptedSession, whole
from tui.app.heated import Heat
from tui.app.pointer import Pointer
from tui.app.screens.explain import ExplainScreen
from tui.app.screens.span import SpanScreen
from tui.app.texts import Texts
from tui.app.theming import Ink
from tui.app.wrapping import Wrapped
from tui.capture.recording import read
from tui.capture.replay_session import ReplaySession
from tui.domain.arrivals import Arrivals
from tui.domain.text import Text
from tui.domain.view import GapStats, Tool, Track, View
from tui.plot.cells import width
from tui.plot.glyphs import Fill
from tui.plot.rows import plain, row_width
from tui.settings import themes
from tui.settings.colours import contrast

PIECES = st.lists(st.text("ab  \n\t\r漢é👩\u200d\u0301", min_size=1, max_size=6), max_size=40)


def ends(pieces: list[str]) -> list[int]:
    return [len("".join(pieces[: n + 1])) for n in range(len(pieces))]


# -- where the text of a piece stands -------------------------------------------------------------------


@given(PIECES, st.integers(2, 30))
def test_the_signs_of_all_pieces_are_the_signs_of_the_text(pieces: list[str], cells: int) -> None:
    growing = Wrapped(cells, "text")
    growing.extend("".join(pieces), ends(pieces))
    shown = "".join(growing.line(n)[0] for n in range(len(growing)))
    assert growing.pieces == len(pieces)
    signs = [len(growing.signs_of(n)) for n in range(len(pieces))]
    assert sum(signs) == len(shown) - shown.count(" ")


@given(st.lists(st.text("ab  \n\t漢é", min_size=1, max_size=6), max_size=40), st.integers(2, 30))
def test_many_pieces_at_once_are_told_apart_as_one_by_one(pieces: list[str], cells: int) -> None:
    once, growing = Wrapped(cells, "text"), Wrapped(cells, "text")
    once.extend("".join(pieces), ends(pieces))
    for piece in pieces:
        growing.add(piece)
    assert [once.signs_of(n) for n in range(len(pieces))] == [growing.signs_of(n) for n in range(len(pieces))]


def view_of(pieces: list[str], *reads: tuple[int, int]) -> View:
    """An answer of these pieces; `reads`: (ms, messages) of each, default one every 10 ms."""
    text, arrivals = Text(), Arrivals()
    for piece in pieces:
        text.append(piece)
    for at_ms, messages in reads or [(10 * n, 1) for n in range(1, len(pieces) + 1)]:
        arrivals.start(at_ms * MS)
        for _ in range(messages):
            arrivals.message(None)
    gaps = GapStats(arrivals.gaps.count, arrivals.gaps.median())
    track = Track(arrivals, len(arrivals))
    return View(track=track, answer=text.snapshot(), chunks=len(pieces), gaps=gaps)


@given(PIECES, st.integers(2, 30))
def test_painted_lines_are_the_lines(pieces: list[str], cells: int) -> None:
    texts, seen = Texts(), set()
    texts.follow(view_of(pieces), cells)

    def paint(message: int, usual: str) -> str:
        seen.add(message)
        return f"{usual} bold" if message % 2 else usual

    painted = texts.painted(0, texts.count, paint)
    assert [plain(row) for row in painted] == [plain(row) for row in texts.lines(0, texts.count)]
    assert all(row_width(row) <= cells for row in painted), "wide characters keep their columns"
    assert seen <= set(range(1, len(pieces) + 1))


@given(st.lists(st.text("ab 漢", min_size=1, max_size=5).filter(str.strip), min_size=1, max_size=30))
def test_a_place_and_its_message_find_each_other(pieces: list[str]) -> None:
    texts = Texts()
    texts.follow(view_of(pieces), 20)
    for message in range(1, len(pieces) + 1):
        place = texts.place_of(message)
        assert place is not None
        line, cell = place
        assert texts.message_at(line, cell) == message
        assert 0 <= cell <= width(plain(texts.lines(line, line + 1)[0]))


def test_each_word_has_the_colour_of_its_own_piece() -> None:
    texts = Texts()
    texts.follow(view_of(["one", " two", " three ", "four"]), 9)
    rows = texts.painted(0, 9, lambda message, usual: f"n{message}")
    assert rows == [(("one", "n1"), (" two", "n2")), (("three", "n3"),), (("four", "n4"),)]


def test_blanks_belong_to_what_follows_or_to_a_piece_of_their_own() -> None:
    texts = Texts()
    texts.follow(view_of(["a", "  ", "b", "\n", "c"]), 9)
    rows = texts.painted(0, 9, lambda message, usual: f"n{message}")
    assert rows == [(("a", "n1"), ("  ", "n2"), ("b", "n3")), (("c", "n5"),)]
    assert texts.unseen(4) and not texts.unseen(2)
    heat = Heat(view_of(["a", "  ", "b", "\n", "c"]), Pointer(4, 4), False, False)
    assert heat.marked(texts, 0, rows)[0][-1] == (" ", "background on selected bold")


def test_tool_calls_stay_as_they_are() -> None:
    texts = Texts()
    view = View(track=Track(Arrivals(), 0), tools=(Tool("weather", "{}"),))
    texts.follow(view, 40)
    assert texts.painted(0, 9, lambda message, usual: "other") == texts.lines(0, 9)
    assert texts.message_at(0, 3) is None and texts.place_of(1) is None


def test_what_was_wrapped_is_not_wrapped_again(monkeypatch: pytest.MonkeyPatch) -> None:
    text, arrivals = Text(), Arrivals()
    texts, sizes = Texts(), []
    wrap = Wrapped._wrap
    monkeypatch.setattr(Wrapped, "_wrap", lambda own, piece: (sizes.append(len(piece)), wrap(own, piece))[1])
    for n in range(50):
        text.append(" word")
        arrivals.start(n)
        arrivals.message(None)
        texts.follow(View(track=Track(arrivals, n + 1), answer=text.snapshot(), chunks=n + 1), 30)
    assert sizes == [5] * 50


# -- colours --------------------------------------------------------------------------------------------


def test_pieces_of_one_read_share_its_gap_and_are_underlined() -> None:
    reads = [*((10 * n, 1) for n in range(1, 21)), (500, 3)]
    view = view_of(["x"] * 23, *reads)
    heat = Heat(view, Pointer(), True, False)
    assert heat.style(1, "text") == heat.style(20, "text") == "text"
    assert {heat.style(n, "text") for n in (21, 22, 23)} == {"stall bold reverse underline"}
    assert heat.style(5, "secondary") == "secondary", "thoughts stay what they are while they come as usual"


@pytest.mark.parametrize("colourless", [False, True])
def test_the_cursor_is_told_from_every_step(colourless: bool) -> None:
    view = view_of(["x"] * 24, *[(10 * n, 1) for n in range(1, 21)], (220, 1), (300, 1), (900, 1), (910, 1))
    plainly = Heat(view, Pointer(), True, colourless)
    for message in (1, 21, 22, 23):
        pointed = Heat(view, Pointer(message, message), True, colourless).style(message, "text")
        assert pointed not in {plainly.style(n, "text") for n in range(1, 25)}


@pytest.mark.parametrize("name", themes.names())
def test_every_step_can_be_read_in_every_theme(name: str) -> None:
    theme = themes.load(name)
    if theme.of_terminal:
        return
    ink = Ink(theme, Fill.COLOUR)
    ground = theme.colours["background"]
    looks = set()
    for style in ("text", "slow bold", "slower reverse", "stall bold reverse"):
        made = ink.style(style, written=True)
        assert made.color is not None and made.color.triplet is not None
        assert contrast(made.color.triplet.hex, ground) >= 4.5, style
        looks.add((made.color.triplet.hex, made.bold, made.reverse))
    assert len(looks) == 4


def test_without_colour_each_step_has_a_look_of_its_own() -> None:
    ink = Ink(themes.load("dark"), Fill.MONO)
    steps = ("text", "slow bold", "slower reverse", "stall bold reverse", "text underline")
    made = [ink.style(style) for style in steps]
    assert all(style.color is None for style in made)
    assert len({(style.bold, style.reverse, style.underline) for style in made}) == 5


# -- on the screen --------------------------------------------------------------------------------------


async def answered(at: Watched, session: ScriptedSession) -> None:
    """An answer of 64 tokens, of which token 30 comes 400 ms late."""
    session.script = lambda knobs: whole(
        knobs, prefill_ns=300 * MS, tokens=64, gap_ns=12 * MS, stall=(30, 400 * MS)
    )
    await at.press("enter")
    await at.wait(3)


async def test_the_cursor_goes_from_piece_to_piece_and_takes_the_time_along(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch() as at:
        await answered(at, session)
        await at.press("2")
        assert "arrows move a cursor from piece to piece" in at.text
        await at.press("home", *["right"] * 29)
        assert at.desk.pump.knobs.prompt_tokens == 512
        assert "▲ piece 30 of 64 · token 30 · at 1.05 s · gap 413 ms, the longest of 63" in at.text
        assert "CPU 99 % · GPU – · RAM 14.2/23.4 GiB · VRAM – · power –" in at.text
        columns = at.desk.pump.scene.view.track.columns
        assert at.desk.time.window.cursor_ns == columns.at[29]
        await at.press("end")
        assert "piece 64 of 64" in at.text
        await at.press("left", "left")
        assert "piece 62 of 64" in at.text


@pytest.mark.parametrize(("key", "piece"), [("right", 1), ("down", 1), ("left", 64), ("up", 64)])
async def test_the_first_arrow_in_a_whole_answer_begins_where_it_can_go_on(
    watch: Watch, session: ScriptedSession, key: str, piece: int
) -> None:
    async with watch() as at:
        await answered(at, session)
        await at.press("2", key)
        assert f"piece {piece} of 64" in at.text


async def test_at_either_end_of_the_answer_an_arrow_says_so(watch: Watch, session: ScriptedSession) -> None:
    async with watch() as at:
        await answered(at, session)
        await at.press("2", "home", "left")
        assert "no piece before this one" in at.rows[-1]
        await at.press("end", "right")
        assert "no piece after this one" in at.rows[-1]


async def test_the_time_cursor_takes_the_piece_along(watch: Watch, session: ScriptedSession) -> None:
    async with watch() as at:
        await answered(at, session)
        await at.press("1", *["left"] * 30)
        moment = at.desk.time.window.cursor_ns
        assert moment is not None
        columns = at.desk.pump.scene.view.track.columns
        pointed = at.desk.answer.pointer.at
        assert columns.at[pointed - 1] <= moment < columns.at[pointed]
        await at.press("2")
        assert f"piece {pointed} of 64" in at.text
        await at.press("escape")
        assert at.desk.answer.pointer.at == 0


async def test_arrows_up_and_down_go_by_lines(watch: Watch, session: ScriptedSession) -> None:
    async with watch(size=(60, 24)) as at:
        await answered(at, session)
        await at.press("2", "home")
        texts, pointer = at.desk.answer.texts, at.desk.answer.pointer
        await at.press("down")
        place = texts.place_of(pointer.at)
        assert place is not None and place[0] == 1
        assert at.desk.pump.knobs.answer_limit == 64
        await at.press("up")
        assert pointer.at == 1


async def test_a_span_is_marked_with_shift_and_explained(watch: Watch, session: ScriptedSession) -> None:
    async with watch() as at:
        await answered(at, session)
        await at.press("2", "home", *["right"] * 27, *["shift+right"] * 4)
        assert "pieces 28 to 32 · tokens 28 to 32" in at.text and "longest gap 413 ms" in at.text
        await at.pilot.press("i")
        await at.pilot.pause()
        assert isinstance(at.app.screen, SpanScreen)
        assert "Tokens 28 to 32 explained" in at.text
        assert "the longest wait was 413 ms for token 30" in " ".join(at.text.split())
        await at.pilot.press("right")
        await at.pilot.pause()
        assert isinstance(at.app.screen, ExplainScreen)


async def test_i_in_the_timeline_explains_the_wait_or_the_phase_under_the_cursor(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch() as at:
        await answered(at, session)
        columns = at.desk.pump.scene.view.track.columns
        at.desk.maximise("time")
        at.desk.time.window.cursor_ns = columns.at[29] - 200 * MS
        await at.pilot.press("i")
        await at.pilot.pause()
        assert "Token 30 explained" in at.text and "Token 30 came 413 ms after the one before" in at.text
        await at.pilot.press("escape")
        at.desk.time.window.cursor_ns = 100 * MS
        await at.pilot.press("i")
        await at.pilot.pause()
        assert isinstance(at.app.screen, ExplainScreen) and "prefill · " in at.text


async def test_i_explains_what_was_pointed_at_last_and_not_the_panel_of_before(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch() as at:
        await answered(at, session)
        for selected in (at.desk.panels[5], at.desk.time):
            at.desk.select(selected)
            await at.press("1", "right")  # the first step begins at the end of the request
            await at.pilot.press("i")
            await at.pilot.pause()
            assert isinstance(at.app.screen, ExplainScreen) and "RAM" not in at.text.splitlines()[0]
            assert "since sent · " in at.text or "whole request · " in at.text
            await at.pilot.press("escape")
            await at.press("escape")
            assert at.desk.selected in ("", "time")
        at.desk.select(at.desk.panels[5])
        await at.press("3")
        assert at.desk.selected == "memory", "a panel that is made larger stays the one that is looked at"


async def test_a_click_puts_the_cursor_on_a_piece(watch: Watch, session: ScriptedSession) -> None:
    async with watch() as at:
        await answered(at, session)
        await at.pilot.click(at.desk.answer, offset=(2, 1))
        await at.frame()
        pointer = at.desk.answer.pointer
        assert pointer.at == at.desk.answer.message_at(2, 1)
        assert at.desk.time.window.cursor_ns == at.desk.pump.scene.view.track.columns.at[pointer.at - 1]
        await at.pilot.click(at.desk.answer, offset=(30, 1), shift=True)
        assert pointer.last > pointer.first
        await at.press("escape")
        assert pointer.at == 0


async def test_the_colours_come_while_it_streams_and_go_again(watch: Watch, session: ScriptedSession) -> None:
    session.script = lambda knobs: whole(
        knobs, prefill_ns=300 * MS, tokens=64, gap_ns=12 * MS, stall=(30, 400 * MS)
    )
    async with watch() as at:
        await at.press("f", "enter")
        await at.wait(1.2)
        assert at.desk.pump.scene.view.running
        styles = {style for row in at.desk.answer._rows for _, style in row}
        assert "stall bold reverse" in styles
        await at.press("f")
        assert not any("reverse" in style for row in at.desk.answer._rows for _, style in row)


async def test_in_a_recording_the_cursor_leaves_the_playing_alone(
    clock: Clock, session: ScriptedSession, watch: Watch
) -> None:
    file = Path(__file__).parents[1] / "data" / "captures" / "llamacpp" / "04f-two-slots-first.jsonl"
    player = ReplaySession(read(file), file, clock=clock)
    async with watch() as at:
        at.desk.change(player)
        player.seek(None)
        await at.frame()
        await at.press("2", "home", *["right"] * 6)
        assert player.position_ns == player.end_ns
        assert "piece 7 of 64 · token 7" in at.text and "CPU – · GPU –" in at.text
        await at.pilot.press("i")
        await at.pilot.pause()
        assert "nothing that was recorded explains it" in at.text.lower()
        assert "the engine's own clock went on by 2.66 s" in at.text
