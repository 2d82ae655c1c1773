"""Themes on the screen: the user's own while they are edited, Textual's, and terminals of few colours."""

import io
from itertools import combinations
from pathlib import Path

import pytest
from rich.color import Color, ColorSystem
from rich.style import Style

from tests.app.conftest import Watch
from tests.settings.test_settings_themes import (
    IN_COLOUR,
    SIGHT,
    apart,
    contrast,
    light,
    linear,
    seen,
    text_of,
)
from tui.app import borrowed, gallery
from tui.app.dress import in_256, in_sixteen, page_theme
from tui.app.theming import Ink
from tui.plot.glyphs import Fill
from tui.settings import themes
from tui.settings.themes import Theme, ThemeError, UnknownTheme

TEXTUALS = tuple(name for name in borrowed.names() if not borrowed.load(name).of_terminal)
HEADINGS = ("prefill", "decode", "stall", "failed", "finished")


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The user's own themes."""
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    folder = tmp_path / "config" / "themes"
    folder.mkdir(parents=True)
    return folder


# -- the user's own -----------------------------------------------------------------------------------------


async def test_a_theme_that_is_edited_is_taken_over_while_the_monitor_runs(
    watch: Watch, folder: Path
) -> None:
    mine = folder / "mine.toml"
    mine.write_text(text_of())
    async with watch() as at:
        at.app.use_theme("mine")
        mine.write_text(text_of().replace('background = "#0d1117"', 'background = "#101010"'))
        at.app.look_at_theme()
        await at.frame()
        assert at.desk.time.ink.palette.colours["background"] == "#101010"
        assert at.app.get_css_variables()["background"] == "#101010"


async def test_a_theme_that_is_broken_while_it_is_edited_is_said_once_and_the_old_one_stays(
    watch: Watch, folder: Path
) -> None:
    mine = folder / "mine.toml"
    mine.write_text(text_of("light"))
    async with watch() as at:
        at.app.use_theme("mine")
        mine.write_text("title = ")
        at.app.look_at_theme()
        await at.frame()
        assert "theme 'mine' is not TOML" in at.rows[-1]
        assert at.app.palette.title == "Light"
        at.desk.footer.said = ""
        at.app.look_at_theme()
        assert at.desk.footer.said == ""
        mine.write_text(text_of("projector"))
        at.app.look_at_theme()
        assert at.app.palette.colours["background"] == "#000000"


async def test_a_file_of_that_name_stands_in_and_gives_way_again(watch: Watch, folder: Path) -> None:
    async with watch() as at:
        at.app.use_theme("nord")
        (folder / "nord.toml").write_text(text_of("paper"))
        at.app.look_at_theme()
        assert at.app.palette.title == "Paper" and at.app.palette.own
        (folder / "nord.toml").unlink()
        at.app.look_at_theme()
        assert at.app.palette.title == "Paper", "nothing to read is no reason to change the colours"


async def test_the_next_theme_says_its_name(watch: Watch, folder: Path) -> None:
    async with watch() as at:
        at.app.use_theme(themes.names()[0])
        await at.press("t")
        assert at.app.palette.name == themes.names()[1]
        assert at.rows[-1].strip() == f"theme: {at.app.palette.title}"


async def test_the_next_theme_steps_over_a_damaged_one_and_says_so(watch: Watch, folder: Path) -> None:
    (folder / "dark2.toml").write_text("")
    names = list(themes.names())
    async with watch() as at:
        at.app.use_theme(names[-2])
        await at.press("t")
        assert at.app.palette.name == names[0]
        assert "theme 'dark2' needs a title" in at.rows[-1]


def test_a_damaged_theme_is_no_reason_not_to_begin(folder: Path) -> None:
    (folder / "light.toml").write_text("[")
    (folder / "mine.toml").write_text("[")
    theme, remark = gallery.at_start("light")
    assert (theme.title, theme.dark) == ("Light", False)
    assert "theme 'light' is not TOML" in remark and remark.endswith("Light is used until it is mended")
    assert gallery.at_start("mine")[0].name == "mine", "so that it is taken once it is mended"
    assert gallery.at_start("dracula") == (borrowed.load("dracula"), "")
    with pytest.raises(UnknownTheme):
        gallery.at_start("none")


def test_all_themes_are_listed_with_where_they_come_from(folder: Path) -> None:
    (folder / "mine.toml").write_text(text_of().replace('"Dark"', '"Mine \\u001b[31m"'))
    (folder / "odd.toml").write_text("[")
    out = io.StringIO()
    assert gallery.tell(out) == 0
    rows = [line.split(maxsplit=1) for line in out.getvalue().splitlines()]
    told = {name: rest for name, rest in rows}
    assert told["dark"] == "toklane   Dark"
    assert told["nord"] == "Textual   Nord"
    assert told["mine"] == "your own  Mine ␛[31m"
    assert told["odd"].startswith("your own  can't be used: theme 'odd' is not TOML")
    assert str(folder) in out.getvalue()


# -- Textual's ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TEXTUALS)
def test_textuals_own_themes_keep_what_ours_promise(name: str) -> None:
    theme = borrowed.load(name)
    colours = theme.colours
    ground = linear(colours["background"])
    assert sorted(colours) == sorted(themes.ROLES)
    assert contrast(linear(colours["text"]), linear(colours["track"])) >= 7
    for role in set(themes.ROLES) - {"background", "track", "rule", "prefill-dim", "decode-dim"}:
        assert contrast(linear(colours[role]), ground) >= 4.5, role
    for role in HEADINGS:
        assert contrast(linear(theme.words[role]), ground) >= 7, role
    assert contrast(linear(colours["prefill"]), linear(colours["decode"])) >= 1.5
    assert contrast(linear(colours["stall"]), linear(colours["decode-dim"])) >= 2
    assert theme.dark == (light(ground) < 0.2)
    for sight in SIGHT:
        assert apart(seen(colours["prefill"], sight), seen(colours["decode"], sight)) >= 40, sight
        for one, other in combinations(("prefill", "decode", "stall", "track"), 2):
            assert apart(seen(colours[one], sight), seen(colours[other], sight)) >= 15, (sight, one, other)


def test_textuals_themes_of_the_terminal_become_ours() -> None:
    assert borrowed.load("ansi-light").colours == themes.load("terminal-16").colours
    with pytest.raises(ThemeError, match="`toklane themes` lists all"):
        borrowed.load("none")


async def test_every_theme_can_be_worn_and_its_pages_opened(watch: Watch) -> None:
    async with watch() as at:
        for name in gallery.names():
            at.app.use_theme(name)
            await at.press("question_mark")
            assert "keys: request" in at.text
            await at.press("escape")
            assert at.app.palette.name == name
        assert at.app.desk is not None and at.app.desk.is_current


async def test_the_palette_offers_all_of_them(watch: Watch) -> None:
    async with watch() as at:
        await at.press("ctrl+p")
        await at.pilot.press(*"theme nord")
        await at.until(lambda: "take these colours" in at.text)
        assert "theme nord" in at.text
        await at.pilot.press("enter")
        await at.pilot.pause()
        assert at.app.palette.name == "nord"


# -- few colours --------------------------------------------------------------------------------------------


def coloured(style: Style) -> tuple[str, str, bool]:
    """(colour, background, reverse)"""
    assert style.color is not None and style.bgcolor is not None
    return style.color.name, style.bgcolor.name, bool(style.reverse)


def test_words_have_the_terminals_text_colour_and_areas_a_hue() -> None:
    ink = Ink(themes.load("terminal-16"), Fill.COLOUR)
    row = (("▀", "prefill"), ("reading", "prefill bold"), ("256", "background on prefill"))
    row = (*row, ("f", "background on finish"), ("╳", "stall on decode-dim"))
    styles = [segment.style or Style() for segment in ink.strip(row, 13)]
    assert [coloured(style) for style in styles] == [
        ("yellow", "default", False),
        ("default", "default", False),
        ("black", "yellow", False),
        ("default", "default", True),
        ("bright_red", "default", False),
    ]


def test_blanks_inside_an_area_fill_it() -> None:
    ink = Ink(themes.load("terminal-16"), Fill.COLOUR)
    assert ink.strip(((" ", "background on prefill"),), 1)._segments[0].style == Style(bgcolor="yellow")
    finish = ink.strip(((" ", "background on finish"),), 1)._segments[0].style
    assert finish is not None and finish.reverse and finish.dim


@pytest.mark.parametrize(("name", "decode"), [("dark", "bright-blue"), ("light", "blue")])
def test_sixteen_colours_go_by_role_and_not_by_nearness(name: str, decode: str) -> None:
    theme = in_sixteen(themes.load(name))
    assert theme.of_terminal and theme.name == name
    hues = [theme.colours[role] for role in ("prefill", "decode", "queue", "tokenize", "stall")]
    assert hues == ["yellow", decode, "magenta", "cyan", "bright-red"]
    ink = Ink(theme, Fill.COLOUR)
    chosen = ink.style("background on selected bold", written=True)
    assert coloured(chosen)[0] != coloured(chosen)[1]


def test_what_has_no_hue_gets_none_in_sixteen_colours() -> None:
    assert in_sixteen(themes.load("mono")) == themes.load("mono")
    assert in_sixteen(themes.load("terminal-16")) == themes.load("terminal-16")


def in_a_terminal_of_256(theme: Theme) -> dict[str, str]:
    """What the terminal shows of a theme, after Rich's own reduction."""
    worn = in_256(theme)
    sent = {
        role: Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT) for role, colour in worn.colours.items()
    }
    return {role: colour.get_truecolor().hex for role, colour in sent.items()}


@pytest.mark.parametrize("name", [*IN_COLOUR, *TEXTUALS])
def test_256_colours_are_enough(name: str) -> None:
    shown = in_a_terminal_of_256(gallery.load(name))
    ground = linear(shown["background"])
    assert contrast(linear(shown["text"]), ground) >= 4.5
    assert contrast(linear(shown["secondary"]), ground) >= 4
    for role in ("prefill", "decode", "stall"):
        assert contrast(linear(shown[role]), ground) >= 3, role
    for sight in SIGHT:
        assert apart(seen(shown["prefill"], sight), seen(shown["decode"], sight)) >= 35


def test_the_256_keep_a_dark_grey_grey() -> None:
    red, green, blue = (
        int(in_a_terminal_of_256(borrowed.load("nord"))["background"][at : at + 2], 16) for at in (1, 3, 5)
    )
    assert max(red, green, blue) - min(red, green, blue) < 20


def test_pages_of_a_terminal_theme_name_all_that_textuals_styles_ask_for() -> None:
    page = page_theme(themes.load("terminal-16"))
    assert page.ansi and page.variables["ansi-background"] == "ansi_default"
