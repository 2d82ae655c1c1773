"""--help: examples first and all of them right, every option once, no line too long, no colour."""

from __future__ import annotations

import re
import shlex

import pytest

from tui import cli
from tui.settings.flags import COMMANDS
from tui.settings.manual import EXAMPLES, WIDTH, entries
from tui.settings.options import OPTIONS

EVERY = ("", *COMMANDS)


def page(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit) as ended:
        cli.parse([*command.split(), "--help"])
    assert not ended.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize("command", EVERY)
def test_every_page_begins_with_examples(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = page(command, capsys)
    headings = re.findall(r"^[A-Z].*$", told, re.MULTILINE)
    assert headings[0] == "EXAMPLES"
    for words, _ in EXAMPLES[command]:
        assert f"\n  {words}" in told.partition("\nUSAGE")[0]


@pytest.mark.parametrize("command", EVERY)
def test_every_page_fits_and_is_plain(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("FORCE_COLOR", "1")
    told = page(command, capsys)
    assert max(map(len, told.splitlines())) <= WIDTH
    assert "\x1b" not in told


@pytest.mark.parametrize("command", EVERY)
def test_everything_that_may_be_typed_is_told_once(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = page(command, capsys).partition("\nUSAGE")[2]
    for entry in entries(command):
        shown = f"{entry.flag} {entry.takes}".strip()
        assert len(re.findall(rf"^  {re.escape(shown)}(?:  |$)", options, re.MULTILINE)) == 1, shown
        assert entry.does, shown
        assert " ".join(entry.does.split()) in " ".join(options.split()), shown


def test_the_monitor_takes_every_setting() -> None:
    told = {entry.flag: entry for entry in entries("")}
    for option in OPTIONS:
        assert (told[option.flag].takes, told[option.flag].does) == (option.takes, option.does)


def test_the_first_page_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    commands = page("", capsys).partition("\nCOMMANDS\n")[2].partition("\n\n")[0]
    assert re.findall(r"^  (\S+)", commands, re.MULTILINE) == list(COMMANDS)


@pytest.mark.parametrize(
    "words", [words for examples in EXAMPLES.values() for words, _ in examples], ids=lambda words: words
)
def test_every_example_parses(words: str) -> None:
    typed = re.search(r"\btoklane\b([^|)]*)", words)
    assert typed
    cli.parse(shlex.split(typed[1]))


@pytest.mark.parametrize("command", EVERY)
def test_an_example_is_of_its_page(command: str) -> None:
    for words, _ in EXAMPLES[command]:
        assert not command or f"toklane {command}" in words


@pytest.mark.parametrize("command", EVERY)
def test_nothing_can_be_typed_that_the_page_does_not_tell(command: str) -> None:
    actions = cli._parser(command)._actions
    typed = {(action.option_strings or [""])[-1] for action in actions}
    assert typed == {entry.flag for entry in entries(command)}
