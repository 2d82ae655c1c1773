"""The stage's plan and colours: nothing overlaps, black or white is readable on every band."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.app.test_monitor_layout import cells
from tui.app.cover import on_stage
from tui.app.enter import Enter
from tui.app.figures import Units
from tui.app.layout import Box, Form
from tui.app.scene import Engine, Reel, Replay, Scene
from tui.app.stage.contrast import band_ink, banded
from tui.app.stage.footing import footing
from tui.app.stage.plan import stage_plan
from tui.app.stage.telling import giants
from tui.app.theming import Ink
from tui.domain.knobs import Knobs, Profile
from tui.domain.values import Provenance, Value
from tui.domain.view import Stage, View
from tui.plot.band import band_style
from tui.plot.glyphs import Fill
from tui.plot.rows import plain
from tui.settings.colours import contrast
from tui.settings.keys import KEYS
from tui.settings.themes import load, names

STATES = ("prefill", "decode", "waiting", "load", "stall", "failed", "finished", "secondary", "text")


@given(st.integers(80, 260), st.integers(24, 90), st.booleans())
def test_boxes_lie_on_the_screen_and_apart(width: int, height: int, answer: bool) -> None:
    shown = stage_plan(width, height, answer)
    assert shown is not None
    used = Counter(cell for box in shown.boxes.values() for cell in cells(box))
    assert used.keys() <= cells(Box(0, 0, width, height))
    assert max(used.values()) == 1
    assert shown.time.total == shown.boxes["time"].height
    assert shown.shows("answer") is answer
    assert shown.boxes["footer"].y == height - 1
    assert shown.boxes["band"].height % 2 and shown.time.lane % 2, "the text stands in the middle"


def test_the_stage_has_the_rows_of_its_drawing() -> None:
    shown = stage_plan(100, 28)
    assert shown is not None and shown.form is Form.STAGE
    assert {name: (box.y, box.height) for name, box in shown.boxes.items()} == {
        "band": (0, 3),
        "giants": (4, 7),
        "time": (12, 11),
        "dial": (24, 2),
        "footer": (27, 1),
    }
    assert (shown.time.names, shown.time.lane, shown.time.ghost, shown.time.axis, shown.time.gaps) == (
        1,
        5,
        1,
        1,
        3,
    )
    assert (shown.boxes["time"].x, shown.boxes["time"].width) == (3, 94)


@pytest.mark.parametrize(("width", "height"), [(79, 40), (200, 23)])
def test_below_its_least_size_there_is_no_stage(width: int, height: int) -> None:
    assert stage_plan(width, height) is None


@given(st.integers(80, 200), st.integers(24, 59))
def test_more_rows_never_make_anything_smaller(width: int, height: int) -> None:
    less, more = stage_plan(width, height), stage_plan(width, height + 1)
    assert less is not None and more is not None
    for name in ("band", "giants"):
        assert more.boxes[name].height >= less.boxes[name].height


@pytest.mark.parametrize("name", [name for name in names() if not load(name).of_terminal])
def test_words_on_the_band_are_read_from_the_last_row(name: str) -> None:
    theme = load(name)
    colours = banded(theme).colours
    for state in STATES:
        words, _, ground, _ = band_style(state).split()
        assert colours[words] in ("#000000", "#ffffff")
        assert contrast(colours[words], colours[ground]) >= 7


@pytest.mark.parametrize("name", ["dark", "light", "projector", "projector-light"])
def test_the_band_is_nearly_the_colour_of_its_phase(name: str) -> None:
    theme = load(name)
    for role in ("prefill", "decode"):
        assert contrast(theme.colours[role], banded(theme).colours[f"band-{role}"]) < 1.6


@pytest.mark.parametrize("name", ["dark", "light", "projector", "projector-light"])
def test_headings_of_the_stage_are_read_easily(name: str) -> None:
    theme = load(name)
    for role in ("text", "prefill", "decode"):
        style = Ink(theme, Fill.COLOUR).style(f"{role} bold", written=True)
        assert style.color is not None and style.color.triplet is not None
        assert contrast(style.color.triplet.hex, theme.colours["background"]) >= (
            7 if "projector" in name else 6.5
        )


def test_without_colour_the_ink_stays_as_it_is() -> None:
    for fill in (Fill.MONO, Fill.ASCII):
        ink = Ink(load("dark"), fill)
        assert band_ink(ink) is ink


def test_the_terminal_s_own_colours_stay() -> None:
    theme = load("terminal-16")
    colours = banded(theme).colours
    assert colours["band-prefill"] == theme.colours["prefill"]


SHOWN = {key.action: key.shown for key in KEYS}


def bottom(scene: Scene, width: int = 100) -> str:
    return plain(footing(scene, SHOWN, width))


def test_a_recording_says_so_on_the_stage() -> None:
    scene = Scene(engine=Engine("llama.cpp", "folder/model"), replay=Replay("run.jsonl", 2.0, True))
    assert bottom(scene).startswith(" toklane  RECORDING ×2  llama.cpp · model ")
    assert bottom(scene).endswith("space pause  m leave  ? help ")
    stands = replace(scene, replay=Replay("run.jsonl", 2.0, False))
    assert bottom(stands).endswith("space play  m leave  ? help ")


def test_the_keys_of_a_demo_outrank_the_name_of_the_model() -> None:
    engine = Engine("llama.cpp", "a-model-with-a-very-long-name-indeed")
    shown = bottom(Scene(engine=engine, replay=Replay("", 1.0, True, reel=Reel(1, 5, "a", "b"))), 80)
    assert shown.endswith("enter next  space pause  m leave  ? help ") and "model" not in shown


def test_the_bottom_row_shows_the_knobs_that_are_not_on_the_dial() -> None:
    knobs = Knobs(answer_limit=128, profile=Profile.AGENT, auto=True, rivals=2)
    assert bottom(Scene(knobs=knobs)).endswith(
        "answer 128 · cache cold · agent · rivals 2 · auto on  enter send  m leave  ? help "
    )
    narrow = bottom(
        Scene(engine=Engine("llama.cpp", "a-model-with-a-very-long-name-indeed"), knobs=knobs), 80
    )
    assert len(narrow) == 80 and narrow.endswith(" ? help ") and "answer" not in narrow


@pytest.mark.parametrize("width", [80, 100])
def test_the_bottom_row_names_how_to_send_to_stop_and_to_leave(width: int) -> None:
    scene = Scene(engine=Engine("llama.cpp", "SmolLM2-135M Q4_1"))
    assert bottom(scene, width).endswith("answer 64 · cache cold  enter send  m leave  ? help ")
    running = bottom(replace(scene, running=True), width)
    assert running.endswith("esc stop  m leave  ? help ") and "llama.cpp" in running
    assert bottom(replace(scene, enter=Enter.NOTHING), width).endswith("  m leave  ? help ")
    assert plain(footing(scene, SHOWN, 26)).split() == ["toklane", "?", "help"], "help is the last to go"


def test_one_token_has_no_pace_yet() -> None:
    pace = Value(0.0, "tok/s", Provenance.OBSERVED)
    view = View(stage=Stage.DECODING, chunks=1, decode_now=pace)
    assert giants(Scene(view=view), Units())[-1].number == ""
    assert giants(Scene(view=replace(view, chunks=2)), Units())[-1].number == "0.00"


def test_the_first_frame_has_the_band_and_the_headings_in_their_places() -> None:
    rows = on_stage(100, 28, Fill.COLOUR)
    assert rows is not None and len(rows) == 28
    assert plain(rows[1]).startswith("   STARTING")
    assert [plain(rows[4]).index(word) for word in ("FIRST WORD AFTER", "READS", "WRITES")] == [3, 36, 68]
    assert on_stage(79, 28, Fill.COLOUR) is None
