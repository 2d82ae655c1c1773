"""What is written frame by frame is what a whole repaint would show."""

from collections.abc import Iterator, Sequence

import pyte
import pytest
from rich.console import Console
from textual._compositor import CompositorUpdate
from textual.screen import Screen

from tests.app.conftest import Watch, Watched
from tests.app.scripted import MS, ScriptedSession, whole
from tui.app.main import Monitor
from tui.app.painting import Part, written
from tui.domain.knobs import Knobs

_TRUECOLOR = Console(force_terminal=True, color_system="truecolor")


class Terminal:
    """Takes what the monitor writes; `ours` counts what came past the compositor, `composed` all else."""

    def __init__(self) -> None:
        self.ours = self.composed = 0
        self._screen = pyte.Screen(1, 1)
        self._stream = pyte.Stream(self._screen)

    def compose(self, update: CompositorUpdate, size: tuple[int, int]) -> None:
        """What Textual would write."""
        columns, rows = size
        if (self._screen.columns, self._screen.lines) != size:
            self._screen.resize(rows, columns)
        self.composed += 1
        self._stream.feed(update.render_segments(_TRUECOLOR).replace("\n", "\r\n"))

    def paint(self, parts: Sequence[Part]) -> None:
        """What the painter writes."""
        self.ours += 1
        self._stream.feed(written(parts, _TRUECOLOR))

    def looks(self) -> list[str]:
        """Each row as it looks: blanks have no colour but their ground's."""
        rows = []
        for y in range(self._screen.lines):
            cells = [self._screen.buffer[y][x] for x in range(self._screen.columns)]
            rows.append(
                " ".join(f"{c.data}{'' if c.data == ' ' else c.fg + str(c.bold)}/{c.bg}" for c in cells)
            )
        return rows


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Terminal]:
    taking = Terminal()

    def display(app: Monitor, screen: Screen[object], update: object) -> None:
        if isinstance(update, CompositorUpdate):
            taking.compose(update, (app.size.width, app.size.height))

    monkeypatch.setattr("tui.app.painting.write", lambda app, parts: taking.paint(parts))
    monkeypatch.setattr(Monitor, "_display", display)
    yield taking


def frames(at: Watched, number: int) -> None:
    for _ in range(number):
        at.clock.now_ns += 50 * MS
        with at.desk.painter.frame(at.desk):
            at.desk.pump.tick()


async def repainted(at: Watched, terminal: Terminal) -> list[str]:
    """What a whole repaint shows."""
    before = terminal.composed
    at.desk.refresh()
    await at.pilot.pause()
    assert terminal.composed > before
    return terminal.looks()


@pytest.mark.parametrize("size", [(160, 48), (60, 16)])
async def test_frames_add_up_to_what_a_whole_repaint_shows(
    watch: Watch, session: ScriptedSession, terminal: Terminal, size: tuple[int, int]
) -> None:
    session.script = lambda knobs: whole(
        knobs, prefill_ns=1500 * MS, tokens=64, stall=(30, 900 * MS), gpu=True
    )
    async with watch(size, knobs=Knobs(prompt_tokens=1674)) as at:
        for _ in range(2):  # the second one has the first for its ghost
            at.desk.action_send()
            for _ in range(5):
                before = terminal.composed
                frames(at, 27)
                drawn = terminal.looks()
                assert terminal.composed == before and terminal.ours
                assert drawn == await repainted(at, terminal)


async def test_under_a_page_the_board_is_left_to_textual(
    watch: Watch, session: ScriptedSession, terminal: Terminal
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=1500 * MS, tokens=64)
    async with watch() as at:
        await at.pilot.press("question_mark")
        await at.pilot.pause()
        assert at.app.screen is not at.desk
        at.desk.action_send()
        frames(at, 20)
        assert not terminal.ours
        await at.pilot.press("escape")
        await at.pilot.pause()
        frames(at, 20)
        assert terminal.ours
        drawn = terminal.looks()
        assert drawn == await repainted(at, terminal)


async def test_a_frame_without_news_writes_nothing(
    watch: Watch, session: ScriptedSession, terminal: Terminal
) -> None:
    session.script = lambda knobs: whole(knobs, prefill_ns=300 * MS, tokens=8)
    async with watch() as at:
        at.desk.action_send()
        frames(at, 60)
        assert terminal.ours
        terminal.ours = terminal.composed = 0
        frames(at, 10)
        assert not terminal.ours and not terminal.composed
