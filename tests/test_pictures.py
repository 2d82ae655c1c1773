"""The pictures are what the monitor draws today from the recordings beside them."""

import os
import re
from itertools import chain
from pathlib import Path

import pytest

from screenshots import build, drawing, pixels, shows
from screenshots.catalogue import FILM, PICTURES, Look, Picture, sittings
from screenshots.vector import elements, tidied
from tui.settings import themes

SCREENSHOTS = Path(build.__file__).parent
SITTINGS = sittings()
STAND_FOR_ALL = (0, 1, 13, 29, 30, 44, 60)
MIB = 2**20


@pytest.mark.parametrize("sitting", SITTINGS, ids=lambda sitting: sitting[0].name)
async def test_each_is_what_the_monitor_draws(sitting: tuple[Picture, ...]) -> None:
    """Every text and every area, with its place and colours."""
    drawn = await drawing.drawn(sitting)
    for picture in sitting:
        kept = (SCREENSHOTS / f"{picture.name}.svg").read_text(encoding="utf-8")
        assert len(elements(kept)) > 20
        assert elements(drawn[picture.name]) == elements(kept), (
            f"{picture.name} is out of date: python screenshots/build.py"
        )


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.name)
def test_the_pixels_are_of_the_same_picture(picture: Picture) -> None:
    svg = (SCREENSHOTS / f"{picture.name}.svg").read_text(encoding="utf-8")
    assert pixels.made_from(SCREENSHOTS / f"{picture.name}.png") == pixels.digest(svg)


def test_the_same_picture_has_the_same_bytes_each_time() -> None:
    svg = (SCREENSHOTS / "finished-40x10.svg").read_text(encoding="utf-8")
    assert pixels.png(svg) == pixels.png(svg)


async def test_the_moving_one_is_the_request_as_it_goes() -> None:
    told = pixels.frames_made_from(SCREENSHOTS / f"{FILM.name}.gif")
    wanted = (*STAND_FOR_ALL, len(told) - 1)
    assert drawing.count(FILM, shows.session(FILM.show, lambda: 0)) == len(told)
    drawn = {number: pixels.digest(svg) async for number, svg in drawing.frames(FILM, wanted)}
    assert drawn == {number: told[number] for number in wanted}
    assert len(set(told)) > len(told) * 0.9, "it moves"


def test_what_is_drawn_of_a_terminal_does_not_depend_on_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    with drawing.terminal(Look.COLOUR):
        assert "NO_COLOR" not in os.environ and os.environ["COLORTERM"] == "truecolor"
    assert os.environ["NO_COLOR"] == "1" and os.environ["TERM"] == "dumb"


def test_there_is_one_for_every_theme_size_and_kind_of_terminal() -> None:
    assert {"dark", "projector", *themes.names()} <= {picture.theme for picture in PICTURES}
    assert {(80, 24), (120, 36), (200, 60)} <= {picture.size for picture in PICTURES}
    assert sum(picture.staged and picture.look is Look.COLOUR for picture in PICTURES) >= 3
    for look in Look:
        assert {(80, 24), (120, 36)} <= {picture.size for picture in PICTURES if picture.look is look}
    assert len({picture.name for picture in PICTURES}) == len(PICTURES)
    assert sorted(p.name for p in chain(*SITTINGS)) == sorted(p.name for p in PICTURES)


def test_without_colours_there_is_none() -> None:
    """But for the three dots of the window around it."""
    for picture in PICTURES:
        if picture.look is Look.NO_COLOR:
            svg = (SCREENSHOTS / f"{picture.name}.svg").read_text(encoding="utf-8")
            colours = set(re.findall(r"#[0-9a-f]{6}", re.sub("<circle.*?/>", "", svg)))
            assert colours == {"#c5c8c6", "#292929"}, picture.name


def test_in_ascii_there_is_nothing_else() -> None:
    for picture in PICTURES:
        if picture.look is Look.ASCII:
            svg = (SCREENSHOTS / f"{picture.name}.svg").read_text(encoding="utf-8")
            assert svg.isascii() and "&#" not in svg, picture.name


def test_no_picture_names_an_address_outside() -> None:
    """Not even a font's; nothing is cut, and blocks are areas."""
    for file in SCREENSHOTS.glob("*.svg"):
        svg = file.read_text(encoding="utf-8")
        assert re.findall(r"(?:https?:)?//[^\"')<\s]+", re.sub(r"127\.0\.0\.1\S*", "", svg)) in (
            ["http://www.w3.org/2000/svg"],
            ["http://www.w3.org/2000/svg", *["http://"] * svg.count("http://127.0.0.1")],
        ), file.name
        assert "@font-face" not in svg and "Fira" not in svg
        assert not re.search("[▀█▄▌▐]", svg)


def test_blocks_become_areas_at_their_place() -> None:
    style, name = ".terminal-9-r1 { fill: #112233 }", "terminal-9-r1"
    svg = f'{style}<text class="{name}" x="12.2" y="20" textLength="48.8">a██▀</text>'
    assert elements(tidied(svg)) == [
        "text 20 12.2  fill: #112233 a",
        "rect 1.5 24.4 24.4 #112233 ",
        "rect 1.5 48.8 12.2 #112233 ",
    ]


def test_they_are_small_and_no_other_lies_there() -> None:
    files = [file for file in SCREENSHOTS.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    assert sum(file.stat().st_size for file in files) < 8 * MIB
    assert (SCREENSHOTS / f"{FILM.name}.gif").stat().st_size < 1.5 * MIB
    names = {picture.name for picture in PICTURES} | {FILM.name}
    assert {file.stem for file in files if file.suffix in (".svg", ".png", ".gif")} == names


def test_the_folder_s_page_shows_all_of_them() -> None:
    page = (SCREENSHOTS / "README.md").read_text(encoding="utf-8")
    assert page == "\n".join(build.gallery())
    assert all(f"({picture.name}.png)" in page for picture in PICTURES)
