"""Theme files: complete, readable for everybody, and damaged ones said so in one line."""

from itertools import combinations
from pathlib import Path

import pytest

from tui import locations
from tui.settings.themes import OF_TERMINAL, ROLES, Theme, ThemeError, load, names, parse, shipped, stamp

SHIPPED = tuple(file.stem for file in sorted(locations.themes_dir().glob("*.toml")))
PHASES = ("queue", "tokenize", "load", "connect", "send", "finish", "waiting", "unattributed")
BARS = ("prefill", "decode", *PHASES, "stall")
SMALL = ("secondary", *BARS, "failed", "finished", "gauge", "selected")

# Machado, Oliveira, Fernandes 2009, severity 1, for linear RGB
SIGHT = {
    "protan": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deutan": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritan": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
Linear = tuple[float, ...]


def linear(colour: str) -> Linear:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)


def light(colour: Linear) -> float:
    return 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]


def contrast(one: Linear, other: Linear) -> float:
    """WCAG 2: 1 is the same lightness, 21 black on white."""
    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def seen(colour: str, sight: str) -> Linear:
    return tuple(
        min(1.0, max(0.0, sum(part * channel for part, channel in zip(row, linear(colour), strict=True))))
        for row in SIGHT[sight]
    )


def lab(colour: Linear) -> tuple[float, float, float]:
    """CIE L*a*b* under D65."""
    red, green, blue = colour
    xyz = (
        (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
        0.2126 * red + 0.7152 * green + 0.0722 * blue,
        (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
    )
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def apart(one: Linear, other: Linear) -> float:
    """CIE76 distance; 2.3 is just noticeable, 40 is far apart."""
    return sum((a - b) ** 2 for a, b in zip(lab(one), lab(other), strict=True)) ** 0.5


IN_COLOUR = tuple(name for name in SHIPPED if not load(name).of_terminal)
STRONG = {"projector": 7.0, "projector-light": 7.0, "high-contrast": 9.0}
AREAS = ("prefill", "decode", "stall", "track")


@pytest.fixture(params=SHIPPED)
def any_theme(request: pytest.FixtureRequest) -> Theme:
    return load(request.param)


@pytest.fixture(params=IN_COLOUR)
def theme(request: pytest.FixtureRequest) -> Theme:
    """A theme that says itself what its colours are."""
    return load(request.param)


def word(theme: Theme, role: str) -> str:
    """The colour in which a role is written."""
    return theme.words.get(role, theme.colours[role])


def test_at_least_eight_themes_come_along_for_every_room_and_eye() -> None:
    named = {
        "dark",
        "light",
        "projector",
        "projector-light",
        "colour-blind",
        "high-contrast",
        "mono",
        "terminal-16",
    }
    assert named < set(SHIPPED)


def test_text_is_read_easily(theme: Theme) -> None:
    ground = linear(theme.colours["background"])
    assert contrast(linear(theme.colours["text"]), ground) >= 7
    for role in SMALL:
        assert contrast(linear(word(theme, role)), ground) >= STRONG.get(theme.name, 4.5), role


def test_what_the_stage_writes_is_read_from_the_last_row(theme: Theme) -> None:
    """The headings of the phases and of every end; 7 is what WCAG 2 calls enhanced."""
    ground = linear(theme.colours["background"])
    for role in ("prefill", "decode", "stall", "failed", "finished"):
        assert contrast(linear(word(theme, role)), ground) >= 7, role


def test_text_is_read_on_the_track_and_inside_bars(theme: Theme) -> None:
    assert contrast(linear(theme.colours["text"]), linear(theme.colours["track"])) >= 7
    assert contrast(linear(theme.colours["secondary"]), linear(theme.colours["track"])) >= 4.5
    for role in BARS:
        assert contrast(linear(theme.colours["background"]), linear(theme.colours[role])) >= 4.5, role


def test_reading_and_writing_differ_in_lightness_and_for_every_eye(theme: Theme) -> None:
    prefill, decode = theme.colours["prefill"], theme.colours["decode"]
    assert contrast(linear(prefill), linear(decode)) >= 1.5
    for sight in SIGHT:
        assert apart(seen(prefill, sight), seen(decode, sight)) >= 40, sight


@pytest.mark.parametrize("sight", SIGHT)
def test_no_eye_takes_one_area_of_the_lane_for_another(theme: Theme, sight: str) -> None:
    """15 is six times what is just noticeable: two areas side by side are two. Stalls are hatched besides."""
    least = 35 if theme.name == "colour-blind" else 15
    for one, other in combinations(AREAS, 2):
        told = apart(seen(theme.colours[one], sight), seen(theme.colours[other], sight))
        assert told >= least, (one, other)


def test_an_area_stands_out_of_the_empty_track(theme: Theme) -> None:
    """3 is the least contrast of WCAG 2 for what is not text."""
    track = linear(theme.colours["track"])
    for role in BARS:
        assert contrast(linear(theme.colours[role]), track) >= 3, role


def test_a_stall_stands_out_on_the_dimmed_lane(theme: Theme) -> None:
    for sight in SIGHT:
        assert contrast(seen(theme.colours["stall"], sight), seen(theme.colours["decode-dim"], sight)) >= 2, (
            sight
        )
    assert contrast(linear(theme.colours["stall"]), linear(theme.colours["decode-dim"])) >= 3


def test_dimmed_phases_are_seen_and_dimmer_than_the_full_ones(theme: Theme) -> None:
    ground = linear(theme.colours["background"])
    for role in ("prefill", "decode"):
        dim = contrast(linear(theme.colours[f"{role}-dim"]), ground)
        assert 1.5 <= dim < contrast(linear(theme.colours[role]), ground) / 2


def test_the_dark_flag_says_what_the_background_is(theme: Theme) -> None:
    assert theme.dark == (light(linear(theme.colours["background"])) < 0.2)


def test_the_monochrome_theme_has_no_hue() -> None:
    theme = load("mono")
    assert all(colour[1:3] == colour[3:5] == colour[5:7] for colour in theme.colours.values())


def test_the_terminals_theme_has_nothing_but_the_terminals_colours() -> None:
    theme = load("terminal-16")
    assert set(theme.colours.values()) | set(theme.words.values()) <= set(OF_TERMINAL)
    hues = [theme.colours[role] for role in ("prefill", "decode", "queue", "tokenize", "stall")]
    assert hues == ["yellow", "bright-blue", "magenta", "cyan", "bright-red"]
    assert {word(theme, role) for role in ("prefill", "decode", "queue", "finished")} == {"default"}


# -- files ------------------------------------------------------------------------------------------------


def text_of(name: str = "dark") -> str:
    return (locations.themes_dir() / f"{name}.toml").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[[", "theme 'x' is not TOML"),
        ("title = 3", "needs a title"),
        (text_of().replace("dark = true", "dark = 1"), "dark = true or false"),
        (text_of().replace('queue = "', 'queues = "'), "'queues', which means nothing here"),
        ("font = 'big'\n" + text_of(), "'font', which means nothing here"),
        (text_of().replace('gauge = "#8b95a3"\n', ""), "'gauge'"),
        (text_of().replace("#3b8eff", "navy"), "'decode'"),
        (text_of() + 'stalls = "#ffffff"', "'stalls', which means nothing here"),
        (text_of() + 'queue = "violet"', "[words] needs a colour such as #1b2129 for 'queue'"),
        ("words = 3\n" + text_of().partition("[words]")[0], "[words] is a table"),
        (text_of().replace("#3b8eff", "#3b8eff; \\u001b[31m"), "'decode'"),
    ],
)
def test_a_damaged_theme_is_named_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ThemeError) as caught:
        parse("x", text)
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


def test_themes_have_every_role_and_no_other(any_theme: Theme) -> None:
    assert tuple(sorted(any_theme.colours)) == tuple(sorted(ROLES))
    assert set(any_theme.words) <= set(ROLES)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The user's own themes."""
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    folder = tmp_path / "config" / "themes"
    folder.mkdir(parents=True)
    return folder


def test_a_users_theme_is_found_after_those_that_come_along(folder: Path) -> None:
    (folder / "mine.toml").write_text(text_of().replace('"Dark"', '"Mine"'))
    assert names() == (*SHIPPED, "mine")
    assert load("mine").title == "Mine"


def test_a_users_file_stands_in_for_the_one_that_comes_along(folder: Path) -> None:
    (folder / "dark.toml").write_text(text_of("light"))
    assert names() == SHIPPED
    assert (load("dark").title, load("dark").own, load("light").own) == ("Light", True, False)
    assert shipped("dark").title == shipped("no such").title == "Dark"


def test_a_stamp_tells_when_what_is_read_has_changed(folder: Path) -> None:
    come_along = stamp("dark")
    mine = folder / "dark.toml"
    mine.write_text(text_of())
    first = stamp("dark")
    mine.write_text(text_of() + "\n")
    assert len({come_along, first, stamp("dark")}) == 3
    mine.unlink()
    assert stamp("dark") == come_along
    assert stamp("none") is stamp("../dark") is stamp("") is None


@pytest.mark.parametrize("name", ["none", "../dark", "/etc/passwd", ""])
def test_only_what_is_listed_is_read(name: str) -> None:
    with pytest.raises(ThemeError, match=r"no theme .* there are: colour-blind, dark"):
        load(name)


def test_a_theme_that_is_no_text_is_said_so(folder: Path) -> None:
    (folder / "odd.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ThemeError, match="not UTF-8"):
        load("odd")
