"""The README tells what is: its key table is the code's, its pictures are there, its commands parse."""

import re
from pathlib import Path

import pytest

from tui import cli
from tui.settings.flags import COMMANDS
from tui.settings.keys import KEYS
from tui.settings.manual import entries

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def key_table() -> str:
    rows = [f"| `{key.shown}` | {key.does} |" for key in KEYS]
    return "\n".join(["| key | what it does |", "|---|---|", *rows])


def test_the_key_table_is_the_code_s() -> None:
    _, _, rest = README.partition("<!-- keys -->\n")
    told, mark, _ = rest.partition("\n<!-- /keys -->")
    assert mark
    assert told == key_table()


def test_every_picture_is_there() -> None:
    pictures = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", README)
    assert len(pictures) >= 5
    for picture in pictures:
        assert (ROOT / picture).stat().st_size > 10_000
        assert picture.endswith(".gif") or (ROOT / picture).with_suffix(".svg").is_file()


def test_every_flag_is_one() -> None:
    known = {entry.flag for command in ("", *COMMANDS) for entry in entries(command)}
    ours = re.sub(r"^\|.*\|$", "", README, flags=re.MULTILINE)  # the table of engines names theirs
    assert set(re.findall(r"(?<!\S)`?(--[a-z][a-z-]+)", ours)) <= known


@pytest.mark.parametrize("line", re.findall(r"^toklane ([^#\n]*)", README, re.MULTILINE))
def test_every_example_parses(line: str) -> None:
    options = cli.parse(line.split())
    assert options.command in COMMANDS


def test_no_address_outside_is_named() -> None:
    for address in re.findall(r"https?://([^/\s)`\"]+)", README):
        assert address.startswith("127.0.0.1")
