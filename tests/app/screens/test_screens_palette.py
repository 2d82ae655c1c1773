"""The command palette: actions of the key table and themes, found by name."""

from pathlib import Path

import pytest
from textual.app import App
from textual.command import Hit

from tui.app.commands import Commands, Palette
from tui.settings.keys import KEYS


class Commanded(App[None]):
    """Remembers what it was told to do."""

    COMMANDS = {Commands}  # noqa: RUF012
    keys = KEYS

    def __init__(self) -> None:
        super().__init__()
        self.animation_level = "none"
        self.done: list[str] = []

    def action_send(self) -> None:
        self.done.append("send")

    def action_maximise(self, panel: int) -> None:
        self.done.append(f"panel {panel}")

    def use_theme(self, name: str) -> None:
        self.done.append(f"theme {name}")


async def hits(app: App[None], query: str) -> list[Hit]:
    return [hit async for hit in Commands(app.screen).search(query) if isinstance(hit, Hit)]


async def test_the_palette_runs_what_was_chosen() -> None:
    app = Commanded()
    async with app.run_test() as pilot:
        app.push_screen(Palette())
        await pilot.pause()
        await pilot.press(*"send")
        await pilot.pause()
        await app.workers.wait_for_complete()
        await pilot.press("enter")
        await pilot.pause()
        assert app.done == ["send"]


async def test_every_action_and_every_theme_is_listed_but_not_the_palette_itself() -> None:
    app = Commanded()
    async with app.run_test():
        listed = {str(hit.text) async for hit in Commands(app.screen).discover()}
    expected = {key.action.replace("_", " ") for key in KEYS} - {"palette", "interrupt", "maximise"}
    assert expected <= listed
    assert {f"maximise {panel}" for panel in range(1, 7)} <= listed
    assert {"theme dark", "theme light", "theme projector"} <= listed
    assert not {"palette", "interrupt", "maximise"} & listed


async def test_one_of_many_panels_is_chosen_by_its_number() -> None:
    app = Commanded()
    async with app.run_test():
        (hit,) = (hit for hit in await hits(app, "maximise 3") if hit.text == "maximise 3")
        await hit.command()
    assert app.done == ["panel 3"]


async def test_a_theme_is_found_by_its_name_and_taken() -> None:
    app = Commanded()
    async with app.run_test():
        (hit,) = (hit for hit in await hits(app, "projector") if hit.text == "theme projector")
        hit.command()
    assert app.done == ["theme projector"]


async def test_an_action_is_found_by_what_it_does_but_names_come_first() -> None:
    app = Commanded()
    async with app.run_test():
        assert [hit.text for hit in await hits(app, "identical prompt")] == ["cache"]
        best = max(await hits(app, "the"), key=lambda hit: hit.score)
    assert str(best.text).startswith("theme")


async def test_a_file_name_that_looks_like_markup_is_shown_as_it_is(
    home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    folder = tmp_path / "config" / "themes"
    folder.mkdir(parents=True)
    (folder / "[red]mine.toml").write_text("")
    app = Commanded()
    async with app.run_test():
        (hit,) = (hit for hit in await hits(app, "mine") if hit.text == "theme [red]mine")
    assert str(hit.match_display) == "theme [red]mine"
