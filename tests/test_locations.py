"""Where files live: TOKLANE_HOME first, then XDG, then the system's own place."""

from pathlib import Path

import pytest

from tui import locations

PLACES = {"cache": locations.cache_dir, "state": locations.state_dir, "config": locations.config_dir}


@pytest.mark.parametrize("room", PLACES)
def test_each_setting_goes_before_the_next(
    room: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    variable = f"XDG_{room.upper()}_HOME"
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv(variable, str(tmp_path / "xdg"))
    assert PLACES[room]() == tmp_path / "home" / room

    monkeypatch.delenv("TOKLANE_HOME")
    assert PLACES[room]() == tmp_path / "xdg" / "toklane"

    monkeypatch.setenv(variable, "relative/is/no/place")
    own = PLACES[room]()
    assert own.is_absolute()
    assert "relative" not in own.parts
    assert "toklane" in own.parts
