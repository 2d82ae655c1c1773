"""Certificates: checked unless somebody says otherwise, and then it is seen everywhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.endings.conftest import Monitor, Start
from tests.secrets.echoing import CERTIFICATE, KEY, Echoing

NOT_CHECKED = "certificate not checked"
SHORT = ("--prompt-tokens", "128")


def test_a_server_that_nobody_vouches_for_gets_no_key(start: Start) -> None:
    with Echoing(secure=True) as server:
        process = start("run", "--url", server.url, "--api-key-env", "MY_KEY", MY_KEY=KEY)
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (3, "")
    assert "certificate" in errors and "--ca-file" in errors and errors.count("\n") == 1, errors
    assert server.keys == []


@pytest.mark.parametrize(
    ("words", "certificate"), [(("--insecure",), "unchecked"), (("--ca-file", str(CERTIFICATE)), "checked")]
)
def test_the_numbers_say_whether_it_was_checked(
    start: Start, tmp_path: Path, words: tuple[str, ...], certificate: str
) -> None:
    record = tmp_path / "a.jsonl"
    with Echoing(secure=True) as server:
        process = start("run", "--url", server.url, *words, *SHORT, "--json", "--record", str(record))
        out, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        assert json.loads(out)["runs"][0]["conditions"]["certificate"] == certificate
        assert ("certificate is not checked" in errors) == (certificate == "unchecked")
        process = start("doctor", "--url", server.url, *words)
        out, errors = process.communicate(timeout=60)
        assert ("not checked (--insecure)" in out) == (certificate == "unchecked")
    replayed, _ = start("replay", str(record), "--json").communicate(timeout=60)
    assert json.loads(replayed)["conditions"]["certificate"] == certificate


@pytest.mark.parametrize(("columns", "rows"), [(120, 36), (80, 24), (60, 20), (100, 28)])
def test_the_screen_says_that_it_is_not_checked(monitor: Monitor, columns: int, rows: int) -> None:
    stage = ("--stage",) if columns == 100 else ()
    with Echoing(secure=True) as server:
        terminal = monitor("--url", server.url, "--insecure", *SHORT, *stage, columns=columns, rows=rows)
        terminal.wait_for(NOT_CHECKED)
        terminal.press("q")
        assert terminal.end() == 0


def test_where_it_is_checked_the_screen_says_nothing(monitor: Monitor) -> None:
    with Echoing(secure=True) as server:
        terminal = monitor("--url", server.url, "--ca-file", str(CERTIFICATE), *SHORT)
        terminal.wait_for("enter send")
        assert NOT_CHECKED not in terminal.text
        terminal.press("q")
        assert terminal.end() == 0
