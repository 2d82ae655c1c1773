"""An error inside leaves a report that its owner alone can read, and that holds no secret."""

from __future__ import annotations

from pathlib import Path

import pytest

from tui.report import crash
from tui.settings import credentials

SECRET = "swordfish-and-more"


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    monkeypatch.setattr(credentials, "READ", set())
    return tmp_path / "state"


def broken(words: str) -> BaseException:
    secret_in_a_variable = words[::-1]
    try:
        raise RuntimeError(words) from ValueError(f"{len(secret_in_a_variable)} of {words}")
    except RuntimeError as error:
        return error


def report(state: Path) -> Path:
    (file,) = (state / "crashes").iterdir()
    return file


def test_the_line_names_the_report_and_the_report_has_the_trace(state: Path) -> None:
    line = crash.told(broken("no ink left"), " (main.py, line 3)")
    file = report(state)
    assert line == f"internal error: RuntimeError: no ink left (main.py, line 3); the report is {file}"
    text = file.read_text()
    assert "Python 3" in text and "in broken" in text and "RuntimeError: no ink left" in text
    assert "ValueError: 11 of no ink left" in text
    assert file.stat().st_mode & 0o777 == 0o600 and file.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    "words",
    [
        f"what the key file held: {SECRET}",
        f"https://me:{SECRET}@127.0.0.1/v1 was asked",
        f"GET http://127.0.0.1/?api_key={SECRET}&n=1 failed",
        f"headers Authorization: Bearer {SECRET}9",
        f"what a variable held: {SECRET}",
        f"sk-{SECRET} in the open",
    ],
)
def test_no_key_is_in_the_report_or_on_the_line(
    state: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    if "file" in words:
        credentials.READ.add(SECRET)
    if "variable" in words:
        monkeypatch.setenv("SOME_TOKEN", SECRET)
    line = crash.told(broken(words))
    assert SECRET not in line + report(state).read_text()


def test_what_a_variable_held_is_nowhere(state: Path) -> None:
    crash.told(broken("no ink left"))
    assert "tfel kni on" not in report(state).read_text()


def test_hostile_words_do_nothing_to_who_reads_it(state: Path) -> None:
    line = crash.told(broken("\x1b[2J\x1b]0;owned\x07[red]\u202e"))
    assert "\x1b" not in line + report(state).read_text() and "\u202e" not in line


def test_where_none_can_be_kept_the_line_says_so(state: Path) -> None:
    state.mkdir()
    (state / "crashes").write_text("in the way")
    assert "no report could be kept" in crash.told(broken("no ink left"))


def test_only_the_newest_stay(state: Path) -> None:
    place = state / "crashes"
    place.mkdir(parents=True)
    for number in range(2 * crash.KEPT):
        (place / f"19700101-0000{number:02}-1.txt").touch()
    crash.told(broken("no ink left"))
    names = sorted(file.name for file in place.iterdir())
    assert len(names) == crash.KEPT and names[0] == "19700101-000011-1.txt"
