"""The whole command in pipes: what it prints, in which words, and with which status it ends."""

import json

import pytest

from tests.endings.conftest import Start
from tests.endings.server import Engine

CLOSED = "http://127.0.0.1:9"


def test_an_engine_that_answers_is_told_with_the_machine(start: Start, scripted: Engine) -> None:
    process = start("doctor", "--url", scripted.url, "--json")
    out, line = process.communicate(timeout=20)
    assert (process.returncode, line) == (0, "")
    told = json.loads(out)
    (engine,) = told["engines"]
    assert (engine["name"], engine["address"]) == ("llama.cpp", scripted.url)
    assert told["usable"] and told["machine"]["readable"]["memory"]["readable"]
    assert told["program"]["version"] and told["terminal"]["screen"] is False
    assert not scripted.asked.is_set()


def test_where_nobody_answers_one_line_says_so(start: Start) -> None:
    process, asked = start("doctor", "--url", CLOSED), start("doctor", "--url", CLOSED, "--json")
    out, line = process.communicate(timeout=20)
    assert process.returncode == 3 and out == ""
    assert line.startswith("toklane: Nothing answers at ") and len(line.splitlines()) == 1
    told = json.loads(asked.communicate(timeout=20)[0])
    assert asked.returncode == 3 and not told["usable"]
    assert told["problem"] in line and told["engines"] == []


@pytest.mark.parametrize(
    ("env", "mark"),
    [
        ({"NO_COLOR": "1"}, "●"),
        ({"LC_ALL": "C"}, "*"),
        ({"LC_ALL": "xx_XX.ISO-8859-1"}, "*"),  # installed nowhere, and its terminal takes no UTF-8
        ({"LC_ALL": "xx_XX.UTF-8"}, "●"),
    ],
)
def test_its_lines_hold_no_control_codes_and_suit_the_locale(
    start: Start, scripted: Engine, env: dict[str, str], mark: str
) -> None:
    process = start("doctor", "--url", scripted.url, **env)
    out, line = process.communicate(timeout=20)
    assert (process.returncode, line) == (0, "")
    assert f"    prefill        {mark} measured         prompt_ms in its timings\n" in out
    assert "\x1b" not in out and (mark != "*" or out.isascii())
    assert all(len(row) <= 80 for row in out.splitlines() if "/" not in row)


def test_wrong_words_end_with_the_status_of_wrong_usage(start: Start) -> None:
    for words in (["extra"], ["--nosuch"], ["--prompt-tokens", "2k"], ["--url", "http://h:x"]):
        process = start("doctor", *words)
        out, line = process.communicate(timeout=20)
        assert (process.returncode, out) == (2, ""), words
        assert len(line.splitlines()) == 1
