"""How the monitor begins, what it does where there is no engine, and how it ends."""

import subprocess
import sys
from pathlib import Path

import pytest

import tui.report
from tests.app.conftest import Clock, Watch
from tests.app.scripted import MS, ScriptedBuiltIn, ScriptedSession, whole
from tui.app.main import Monitor
from tui.app.theming import Ink, fill_for
from tui.capture.recording import read
from tui.capture.replay_session import ReplaySession
from tui.domain.knobs import Knobs
from tui.plot.glyphs import Fill
from tui.settings import themes

CAPTURE = Path("tests/data/captures/llamacpp/01-chat-short-cold.jsonl")


async def test_the_first_frame_comes_before_the_session_is_made(session: ScriptedSession) -> None:
    seen: list[str] = []
    started: list[bool] = []

    def opening() -> tuple[ScriptedSession, Knobs]:
        strips = app.screen._compositor.render_strips(app.screen.size)
        seen.append("\n".join("".join(segment.text for segment in strip) for strip in strips))
        return session, Knobs()

    app = Monitor(opening, on_start=lambda: started.append(True))
    async with app.run_test(size=(120, 36)) as pilot:
        while not started:
            await pilot.pause()
    assert "toklane" in seen[0] and "first token (TTFT)" in seen[0]


async def test_the_first_frame_has_everything_where_the_board_has_it(watch: Watch) -> None:
    async with watch() as at:
        cover = at.app.screen_stack[0]
        strips = cover._compositor.render_strips(cover.size)
        face = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
        assert face[4] == at.rows[4]
        assert face[28] == at.rows[28]


async def test_where_no_engine_answers_the_choice_comes_first_and_once(
    watch: Watch, session: ScriptedSession
) -> None:
    session.found, session.discovered = None, ()
    async with watch() as at:
        at.desk._tick()
        await at.pilot.pause()
        assert "no engine answers" in at.text
        await at.pilot.press("escape")
        at.desk._tick()
        await at.pilot.pause()
        assert at.app.screen is at.desk
        assert at.rows[2].startswith(" ○ No engine yet  enter offers the built-in one or an address")
        assert at.rows[-1].startswith(" enter choose an engine")
        await at.press("enter")
        assert "no engine answers" in at.text
        assert session.embedded == 0, "nothing is fetched without being chosen"
        await at.pilot.press("enter")
        assert session.embedded == 1
        assert not session.sent


@pytest.mark.parametrize("state", ["fetching", "starting", "ready"])
async def test_enter_waits_for_the_built_in_engine_that_is_on_its_way(
    watch: Watch, session: ScriptedSession, state: str
) -> None:
    session.found, session.builtin = None, ScriptedBuiltIn(state)
    async with watch() as at:
        await at.press("enter")
        assert session.embedded == 0
        assert session.sent == []


async def test_a_remark_of_the_session_is_said_in_place_of_the_footer(
    watch: Watch, session: ScriptedSession
) -> None:
    async with watch() as at:
        session.notice = "not recorded: disk [bold]full"
        at.desk._tick()
        await at.frame()
        assert at.rows[-1] == " not recorded: disk [bold]full"


async def test_a_recording_plays_pauses_and_sends_nothing(clock: Clock, watch: Watch) -> None:
    del watch
    player = ReplaySession(read(CAPTURE), CAPTURE, clock=clock)
    app = Monitor(lambda: (player, player.knobs))
    async with app.run_test(size=(120, 36)) as pilot:
        while app.desk is None or not app.desk.is_current:
            await pilot.pause()
        playing = [player.playing]
        await pilot.press("space")
        playing.append(player.playing)
        await pilot.press("space", "enter", "right", "e", "n", "o")
        assert [*playing, player.playing] == [True, False, True]
        assert app.screen is app.desk
        app.desk.pump.tick()
        assert app.desk.pump.scene.replay is not None
        clock.now_ns += 3600_000 * MS
        app.desk.pump.tick()
        await pilot.pause()
        strips = app.screen._compositor.render_strips(app.screen.size)
        text = "\n".join("".join(segment.text for segment in strip) for strip in strips)
        assert "Finished" in text
        assert "replay 01-chat-short-cold.jsonl · ×1" in text
        await pilot.press("ctrl+c")
    assert app.return_code == 130


@pytest.mark.parametrize("loads", [True, False])
async def test_an_error_inside_ends_with_one_line_and_status_1(
    session: ScriptedSession, monkeypatch: pytest.MonkeyPatch, loads: bool
) -> None:
    """Where what takes keys and controls out of an error's words can't be loaded, its words are left out."""
    said: list[str] = []
    if not loads:
        monkeypatch.setitem(sys.modules, "tui.report.crash", None)
        monkeypatch.delattr(tui.report, "crash", raising=False)

    def panic(app: Monitor, *texts: object) -> None:
        said.extend(map(str, texts))
        app.exit()

    monkeypatch.setattr(Monitor, "panic", panic)
    app = Monitor(lambda: (session, Knobs()))
    with pytest.raises(ZeroDivisionError):
        async with app.run_test() as pilot:
            while app.desk is None or not app.desk.is_current:
                await pilot.pause()
            monkeypatch.setattr(session, "view", lambda: 1 / 0)
            app.desk.pump.touch()
            await pilot.pause(0.2)
    (line,) = said
    if not loads:
        assert line == "toklane: internal error: ZeroDivisionError"
        return
    told, _, report = line.partition("; the report is ")
    assert told == "toklane: internal error: ZeroDivisionError: division by zero"
    assert "ZeroDivisionError: division by zero" in Path(report).read_text()


async def test_a_signal_ends_it_with_the_status_it_is_given(watch: Watch) -> None:
    async with watch() as at:
        at.app.stop_with(143)
        await at.pilot.pause()
        assert at.app.return_code == 143


async def test_without_colour_no_cell_has_one(
    watch: Watch, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=64, stall=(30, 400 * MS))
    async with watch() as at:
        await at.press("enter")
        await at.wait(5)
        assert "▓▓▓▓" in at.text and "████" in at.text and "╳╳" in at.text and "[ " in at.text
        for panel in at.desk.panels:
            for strip in panel.render_lines(panel.size.region):
                for style in (segment.style for segment in strip):
                    assert style is None or (style.color, style.bgcolor) == (None, None)


async def test_ascii_is_all_there_is_where_the_terminal_takes_no_utf_8(
    watch: Watch, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.app.main.fill_for", lambda *_: Fill.ASCII)
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=64, stall=(30, 400 * MS))
    async with watch() as at:
        await at.press("enter")
        await at.wait(5)
        assert at.text.isascii()
        assert "====" in at.text and "####" in at.text and "!!" in at.text


@pytest.mark.parametrize(
    ("colourless", "encoding", "fill"),
    [
        (False, "utf-8", Fill.COLOUR),
        (True, "UTF8", Fill.MONO),
        (False, "latin-1", Fill.ASCII),
        (True, "", Fill.ASCII),
    ],
)
def test_how_areas_are_drawn(colourless: bool, encoding: str, fill: Fill) -> None:
    assert fill_for(colourless, encoding) is fill


def test_styles_come_from_the_theme_by_role() -> None:
    theme = themes.load("dark")
    ink = Ink(theme, Fill.COLOUR)
    style = ink.style("background on prefill bold")
    assert style.color is not None and style.color.name == theme.colours["background"]
    assert style.bgcolor is not None and style.bgcolor.name == theme.colours["prefill"]
    assert style.bold
    assert ink.style("background on prefill bold") is style


async def test_another_theme_changes_every_panel(watch: Watch) -> None:
    async with watch() as at:
        at.app.use_theme("light")
        await at.pilot.pause()
        ground = themes.load("light").colours["background"]
        for panel in at.desk.panels:
            if panel.size.height:
                style = list(panel.render_line(0))[-1].style
                assert style is not None and style.bgcolor is not None and style.bgcolor.name == ground
        at.app.use_theme("no such theme")
        await at.frame()
        assert "no such theme" in at.rows[-1]
        assert at.app.palette.name == "light"


def test_the_app_before_its_first_frame_imports_nothing_that_takes_long() -> None:
    heavy = ("httpx", "psutil", "tui.domain", "tui.capture", "tui.app.desk", "textual.widgets._data_table")
    code = f"import sys, tui.app.main; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
