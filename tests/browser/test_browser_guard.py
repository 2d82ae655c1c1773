"""Whom the server of the monitor's page answers, and what its page may load."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tui.app.web
from tui.app.web.guard import policy, refusal

HERE = "127.0.0.1:8000"


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {"Host": HERE}),
        ("/", {"Host": "localhost:9000"}),
        ("/", {"Host": "127.0.0.1"}),
        ("/ws", {"Host": HERE, "Origin": f"http://{HERE}"}),
        ("/ws", {"Host": "localhost:9000", "Origin": "http://localhost:9000"}),
    ],
)
def test_a_page_of_this_machine_is_answered(path: str, headers: dict[str, str]) -> None:
    assert refusal("GET", path, headers) == ""


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        ("/", {}),
        ("/", {"Host": "toklane.example:8000"}),
        ("/", {"Host": "127.0.0.1.example"}),
        ("/", {"Host": "localhost.example:8000"}),
        ("/", {"Host": "192.168.0.7:8000"}),
        ("/ws", {"Host": HERE}),
        ("/room/ws", {"Host": HERE}),
        ("/", {"Host": "127.0.0.1:\u0661"}),
        ("/", {"Host": "127.0.0.1:8000\n"}),
        ("/ws", {"Host": HERE, "Origin": "null"}),
        ("/ws", {"Host": HERE, "Origin": "http://toklane.example"}),
        ("/ws", {"Host": HERE, "Origin": "http://127.0.0.1:9000"}),
        ("/ws", {"Host": HERE, "Origin": f"https://{HERE}"}),
        ("/ws", {"Host": "toklane.example", "Origin": "http://toklane.example"}),
        ("/download/key", {"Host": HERE, "Origin": "http://toklane.example"}),
    ],
)
def test_others_are_refused(path: str, headers: dict[str, str]) -> None:
    assert refusal("GET", path, headers)


def test_nothing_is_taken() -> None:
    assert refusal("POST", "/", {"Host": HERE, "Origin": f"http://{HERE}"})


def test_the_page_names_no_outside_address() -> None:
    for file in (Path(tui.app.web.__file__).parent / "page").iterdir():
        named = re.findall(r"(?:[a-z]+:)?//[^\s\"')]+", file.read_text(encoding="utf-8"))
        assert set(named) <= {"ws://$host/$room/ws"}, file.name
    assert set(re.findall(r"\S+//\S+", policy(HERE))) == {f"ws://{HERE};"}
