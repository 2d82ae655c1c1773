"""Where a picture of the screen goes, and that this is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.conftest import Watch


async def test_it_lies_in_the_folder_where_toklane_was_started_and_that_is_said(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with watch((200, 60)) as at:
        await at.press("ctrl+s")
        (picture,) = tmp_path.glob("*.svg")
        assert f"saved {picture}" in at.rows[-1]
    assert picture.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("gone", [True, False], ids=["the folder is gone", "it is no folder of ours"])
async def test_where_that_is_not_possible_it_lies_with_the_recordings(
    watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: bool
) -> None:
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path / "home"))
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here if gone else "/proc/self")
    if gone:
        here.rmdir()
    async with watch((200, 60)) as at:
        await at.press("ctrl+s")
        (picture,) = (tmp_path / "home" / "state" / "pictures").glob("*.svg")
        assert f"saved {picture}" in at.rows[-1]
