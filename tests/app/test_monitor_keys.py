"""Every key of the table does on the main screen what the table says."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.app.conftest import Watch, Watched
from tests.app.scripted import MS, ScriptedSession, whole
from tui.app.commands import Palette
from tui.domain.knobs import Cache, Profile
from tui.settings import themes
from tui.settings.keymap import apply
from tui.settings.keys import KEYS

Check = Callable[[Watched], Awaitable[None]]
CHECKS: dict[str, Check] = {}


def of(action: str) -> Callable[[Check], Check]:
    def take(check: Check) -> Check:
        CHECKS[action] = check
        return check

    return take


def test_every_row_of_the_key_table_is_checked_here() -> None:
    assert set(CHECKS) == {row.action for row in KEYS}


@pytest.mark.parametrize("action", [row.action for row in KEYS])
async def test_key(
    watch: Watch, session: ScriptedSession, action: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=164, gap_ns=12 * MS)
    async with watch() as at:
        await CHECKS[action](at)


@of("send")
async def _(at: Watched) -> None:
    await at.press("enter")
    assert [knobs.prompt_tokens for knobs in at.session.sent] == [512]
    await at.press("enter")
    assert len(at.session.sent) == 1, "while one runs the next is only asked for"
    assert "then once more" in at.text and "sends once more" in at.rows[-1]
    await at.wait(4)
    assert len(at.session.sent) == 2


@of("stop")
async def _(at: Watched) -> None:
    await at.press("enter")
    await at.wait(0.2)
    await at.press("escape")
    assert at.session.cancelled == 1
    assert "Stopped" in at.text
    await at.press("enter", "x")
    assert at.session.cancelled == 2
    await at.press("1", "escape")
    assert at.desk.maximised == ""


@of("scene_back")
async def _(at: Watched) -> None:
    await at.press("backspace")
    assert "for the tour" in at.rows[-1]
    await at.app.run_action("tour")
    await at.press("enter", "backspace")
    assert at.session.cancelled == 1 and "1/5" in at.text


@of("shorter")
async def _(at: Watched) -> None:
    await at.press("left")
    assert at.desk.pump.knobs.prompt_tokens == 256


@of("longer")
async def _(at: Watched) -> None:
    await at.press("right", "right", "right", "right", "right", "right")
    assert at.desk.pump.knobs.prompt_tokens == 4096, "8,192 leaves no room for the answer"


@of("finer_shorter")
async def _(at: Watched) -> None:
    await at.press("shift+left")
    assert at.desk.pump.knobs.prompt_tokens == 512 - 64


@of("finer_longer")
async def _(at: Watched) -> None:
    await at.press("shift+right")
    assert at.desk.pump.knobs.prompt_tokens == 512 + 64


@of("rivals")
async def _(at: Watched) -> None:
    assert "r rivals 0" in at.rows[-1]
    await at.press("r", "r")
    assert "r rivals 2" in at.rows[-1]
    await at.press("enter")
    assert at.session.sent[-1].rivals == 2
    await at.press("r", "r", "r")
    assert at.desk.pump.knobs.rivals == 0


@of("exact")
async def _(at: Watched) -> None:
    await at.press("n")
    await at.pilot.press("7", "0", "0", "enter")
    await at.frame()
    assert at.desk.pump.knobs.prompt_tokens == 700


@of("more_answer")
async def _(at: Watched) -> None:
    await at.press("up")
    assert "answer 128" in at.rows[-1]


@of("less_answer")
async def _(at: Watched) -> None:
    await at.press("down")
    assert "answer 32" in at.rows[-1]


@of("auto")
async def _(at: Watched) -> None:
    await at.press("a")
    assert not at.session.sent, "turning auto on sends nothing"
    await at.press("right")
    assert [knobs.prompt_tokens for knobs in at.session.sent] == [1024]
    await at.press("left")
    assert [knobs.prompt_tokens for knobs in at.session.sent] == [1024, 512]
    assert at.session.cancelled == 1


@of("cache")
async def _(at: Watched) -> None:
    await at.press("c")
    assert at.desk.pump.knobs.cache is Cache.SAME
    assert "cache same" in at.rows[-1]


@of("profile")
async def _(at: Watched) -> None:
    await at.press("p")
    assert at.desk.pump.knobs.profile is Profile.AGENT


@of("own")
async def _(at: Watched) -> None:
    await at.press("o")
    await at.pilot.press("h", "i", "ctrl+o")
    await at.frame()
    assert at.desk.pump.knobs.own_text == "hi"
    assert at.desk.pump.knobs.profile is Profile.OWN


@of("engine")
async def _(at: Watched) -> None:
    await at.press("e")
    assert at.session.discovered is None, "the ports are asked anew"
    assert "engine and model" in at.text


@of("ghost")
async def _(at: Watched) -> None:
    await at.press("enter")
    await at.wait(4)
    assert "ghost" not in _gutter(at), "a run is not its own ghost"
    await at.press("enter")
    await at.wait(0.5)
    assert "ghost" in _gutter(at)
    await at.press("g")
    assert "ghost" not in _gutter(at)


def _gutter(at: Watched) -> str:
    return " ".join(row[:8] for row in at.rows[9:21])


@of("pause")
async def _(at: Watched) -> None:
    await at.press("enter")
    await at.wait(0.2)
    await at.press("space")
    before = at.rows[3:20]
    await at.wait(1)
    assert at.rows[3:20] == before
    assert "Paused" in at.text
    await at.press("space")
    assert at.rows[3:20] != before
    assert "Writing" in at.text, "measuring went on"


@of("explain")
async def _(at: Watched) -> None:
    await at.press("enter")
    await at.wait(0.1)
    await at.press("i")
    assert "prefill rate now" in at.text


@of("detail")
async def _(at: Watched) -> None:
    await at.press("d")
    assert "raw detail" in at.text


@of("scroll_up")
async def _(at: Watched) -> None:
    await at.press("enter")
    await at.wait(4)
    last = at.rows[29:32]
    await at.press("pageup")
    assert at.rows[29:32] != last
    await at.press("pageup", "pageup", "pageup", "pageup", "pageup", "pageup", "pageup", "pageup", "pageup")
    assert at.rows[29].startswith(" 1. Prefill reads the whole prompt")


@of("scroll_down")
async def _(at: Watched) -> None:
    await at.press("enter")
    await at.wait(4)
    await at.press("pageup", "pageup", "pageup")
    before = at.rows[29:32]
    await at.press("pagedown")
    assert at.rows[29:32] != before


@of("gaps")
async def _(at: Watched) -> None:
    await at.press("enter")
    await at.wait(4)
    await at.press("f")
    assert re.search(r"up to 1\d\.0 ms  to \d\d\.0 ms  to 250 ms  longer: a stall", at.text)
    await at.press("f")
    assert "longer: a stall" not in at.text


@of("copy")
async def _(at: Watched) -> None:
    await at.press("y")
    assert "no answer" in at.rows[-1]
    await at.press("enter")
    await at.wait(4)
    await at.press("y")
    assert at.app.clipboard.startswith("1. Prefill reads")


@of("next_panel")
async def _(at: Watched) -> None:
    seen = []
    for _ in range(6):
        await at.press("tab")
        seen.append(at.desk.selected)
    assert seen == ["time", "phases", "memory", "gpu", "answer", ""]


@of("maximise")
async def _(at: Watched) -> None:
    for key, name in zip("123456", ("time", "answer", "memory", "gpu", "phases", "dial"), strict=True):
        await at.press(key)
        assert at.desk.maximised == name
        assert at.desk.query_one(f"#{name}").size.height == 32
    await at.press("6")
    assert at.desk.maximised == ""
    assert at.desk.query_one("#dial").size.height == 3


@of("stage")
async def _(at: Watched) -> None:
    await at.press("m")
    assert at.desk.on_stage
    await at.press("m")
    assert not at.desk.on_stage


@of("zoom_in")
async def _(at: Watched) -> None:
    await at.press("enter")
    await at.wait(4)
    await at.press("plus")
    assert not at.desk.time.window.zoomed, "only the maximised timeline zooms"
    await at.press("1", "plus")
    assert at.desk.time.window.zoom == 2


@of("zoom_out")
async def _(at: Watched) -> None:
    await at.press("enter")
    await at.wait(4)
    await at.press("1", "plus", "plus", "minus")
    assert at.desk.time.window.zoom == 2


@of("zoom_all")
async def _(at: Watched) -> None:
    await at.press("1", "plus", "plus", "0")
    assert not at.desk.time.window.zoomed


@of("theme")
async def _(at: Watched) -> None:
    names = themes.names()
    await at.press("t")
    assert at.app.palette.name == names[(names.index("dark") + 1) % len(names)]
    assert at.desk.time.ink.palette is at.app.palette


@of("where")
async def _(at: Watched) -> None:
    await at.press("w")
    assert "not recorded" in at.rows[-1]
    await at.press("enter", "w")
    assert "run-1.jsonl" in at.rows[-1]


@of("screenshot")
async def _(at: Watched) -> None:
    await at.press("ctrl+s")
    [picture] = Path().glob("toklane-*.svg")
    assert "<svg" in picture.read_text(encoding="utf-8")
    assert f"{picture.absolute()}" in at.text.replace("\n", "") or f"{picture.name}" in at.rows[-1]
    assert picture.stat().st_mode & 0o777 == 0o600


@of("help")
async def _(at: Watched) -> None:
    await at.press("question_mark")
    assert at.app.screen is not at.desk


@of("palette")
async def _(at: Watched) -> None:
    await at.press("ctrl+p")
    assert isinstance(at.app.screen, Palette), "with our look and our commands"
    await at.app.screen.workers.wait_for_complete()
    await at.pilot.press(*"longer")
    await at.app.screen.workers.wait_for_complete()
    await at.pilot.pause()
    await at.pilot.press("enter")
    await at.pilot.pause()
    assert at.desk.pump.knobs.prompt_tokens == 1024


@of("interrupt")
async def _(at: Watched) -> None:
    await at.press("enter", "ctrl+c")
    assert at.session.cancelled == 1
    assert at.app.return_code is None
    await at.pilot.press("ctrl+c")
    assert at.app.return_code == 130


@of("quit")
async def _(at: Watched) -> None:
    await at.pilot.press("q")
    assert at.app.return_code == 0


@of("token_back")
@of("token_forward")
@of("edge_back")
@of("edge_forward")
@of("slower")
@of("faster")
@of("loop")
@of("to_begin")
@of("to_end")
async def _(at: Watched) -> None:
    """At an engine they say whose keys they are; what they do in a replay is tested in test_replay.py."""
    for key in (",", ".", "[", "]", "<", ">", "l", "home", "end"):
        at.desk.footer.said = ""
        await at.press(key)
        assert "for recordings" in at.rows[-1], key
    assert at.session.sent == []


async def test_the_footer_of_a_maximised_panel_says_what_esc_does(watch: Watch) -> None:
    async with watch() as at:
        await at.press("3")
        assert "esc back" in at.rows[-1]
        await at.press("enter")
        await at.wait(0.2)
        assert "esc stop" in at.rows[-1] and "3 back" in at.rows[-1]
        await at.press("3")
        assert (at.desk.maximised, at.session.cancelled) == ("", 0)


async def test_arrows_move_the_time_cursor_in_the_maximised_timeline(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=164, gap_ns=12 * MS)
    async with watch() as at:
        await at.press("enter")
        await at.wait(4)
        await at.press("1", *["left"] * 10)
        assert at.desk.pump.knobs.prompt_tokens == 512
        told = r"▲ 2\.\d\d s · decode .* ● · token 1\d\d · gap [\d.]+ ms, .*\n"
        assert re.search(told, at.text)
        assert "CPU 99 % · GPU – · RAM 14.2/23.4 GiB · VRAM – · power –" in at.text
        assert "load" not in at.text, "the load is the CPU's or the GPU's, and load a phase"
        before = at.desk.time.window.cursor_ns
        await at.press("shift+left")
        assert (before or 0) > (at.desk.time.window.cursor_ns or 0)


async def test_the_palette_runs_the_actions_of_the_main_screen_and_of_the_app(watch: Watch) -> None:
    async with watch() as at:
        await at.app.run_action("longer")
        assert at.desk.pump.knobs.prompt_tokens == 1024
        await at.app.run_action("theme")
        assert at.app.palette.name != "dark"


async def test_the_users_own_keys_replace_the_usual_ones(watch: Watch) -> None:
    keys = apply({"longer": "f5", "maximise": ["f6", "f7", "f8", "f9", "f10", "f11"]})
    async with watch(keys=keys) as at:
        await at.press("right", "1")
        assert at.desk.pump.knobs.prompt_tokens == 512 and at.desk.maximised == ""
        await at.press("f5", "f7")
        assert at.desk.pump.knobs.prompt_tokens == 1024 and at.desk.maximised == "answer"
