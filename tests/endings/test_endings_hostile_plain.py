"""Without a screen, too, text from outside is only text: from servers, typed, in settings and variables."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.endings.conftest import Start
from tests.endings.hostile import ALL, SEQUENCES, Server, streamed
from tests.endings.only_text import LONG, STREAM, WORD, one_line, plain, told

NOBODY = ("--url", "http://127.0.0.1:9")
VARIABLES = (
    *(
        "TERM",
        "COLORTERM",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "TMUX",
        "SSH_TTY",
        "TZ",
        "LC_ALL",
        "NO_COLOR",
    ),
    *("HTTP_PROXY", "CUDA_VISIBLE_DEVICES", "OLLAMA_HOST", "LLAMA_ARG_HOST", "VIRTUAL_ENV"),
)


@pytest.mark.parametrize("words", [(), ("--json",), ("--plain",)], ids=str)
def test_a_request_without_a_screen_tells_only_text(start: Start, words: tuple[str, ...]) -> None:
    with Server(ALL, STREAM) as server:
        out, _ = told(start("run", "--url", server.url, *words))
    plain(out)
    if "--json" in words:
        (run,) = json.loads(out)["runs"]
        assert run["answer_text"].endswith("the end")
        assert SEQUENCES["csi"] in run["answer_text"]


@pytest.mark.parametrize("words", [(), ("--json",)], ids=str)
def test_the_doctor_tells_only_text(start: Start, words: tuple[str, ...]) -> None:
    with Server(ALL) as server:
        out, _ = told(start("doctor", "--url", server.url, *words))
    plain(out)
    assert out.isascii() and json.loads(out) if words else "llama.cpp" in out


@pytest.mark.parametrize("status", [307, 404, 500])
def test_an_error_without_a_screen_is_only_text(start: Start, status: int) -> None:
    with Server(ALL, refusal=status) as server:
        out, err = told(start("run", "--url", server.url))
    plain(out)
    assert str(status) in err


@pytest.mark.parametrize(
    "words",
    [
        (ALL,),
        ("run", "--engine", ALL),
        ("run", "--url", f"http://127.0.0.1:1/{ALL}"),
        ("run", "--url", ALL),
        ("run", f"--{ALL}"),
        ("run", "--prompt-tokens", ALL),
        ("run", "--api-key-env", ALL),
        ("run", "--api-key-file", ALL),
        ("run", "--cache", ALL),
        ("completions", ALL),
    ],
    ids=lambda words: " ".join(words)[:14],
)
def test_words_that_were_typed_come_back_as_text(start: Start, words: tuple[str, ...]) -> None:
    process = start(*(word.replace("\0", "") for word in words))
    out, err = told(process)
    plain(out)
    assert process.returncode in (2, 3) and err.count("\n") <= 2


@pytest.mark.parametrize(
    "line", ["theme = {0}", "url = {0}", "{0} = 1", "[keys]\n{0} = 'q'", "[keys]\nquit = {0}"]
)
def test_settings_that_cannot_be_used_are_named_in_text(start: Start, own_home: Path, line: str) -> None:
    folder = own_home / "config"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(line.format(json.dumps(ALL.replace("\x7f", ""))))
    process = start("run", "--plain")
    out, err = told(process)
    assert process.returncode in (2, 3) and out == "" and err.count("\n") <= 2


@pytest.mark.parametrize("words", [("--timeout", "1e308"), ("--seed", "9" * 300)], ids=str)
def test_numbers_beyond_all_measure_are_taken(start: Start, words: tuple[str, ...]) -> None:
    with Server("m", streamed("a")) as server:
        process = start("run", "--url", server.url, "--json", *words)
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 0 and json.loads(out), errors


@pytest.mark.parametrize(
    "words", [("doctor", *NOBODY), ("doctor", *NOBODY, "--json"), ("themes",)], ids=" ".join
)
def test_variables_are_only_text(start: Start, words: tuple[str, ...]) -> None:
    out, errors = start(*words, **dict.fromkeys(VARIABLES, WORD)).communicate(timeout=60)
    plain(out)
    plain(errors)
    assert out + errors and "internal error" not in errors


@pytest.mark.parametrize(
    "name", ["TOKLANE_\x1b[2J", "TOKLANE_" + LONG[:100_000], "TOKLANE_\udcff"], ids=ascii
)
def test_a_variable_that_is_none_is_named_in_text(start: Start, name: str) -> None:
    one_line(start("run", "--url", "http://127.0.0.1:9", **{name: "1"}))


@pytest.mark.parametrize(
    "home", ["~nobody-of-this-name", "/dev/null/x", "/tmp/" + "h" * 3000], ids=lambda h: h[:9]
)
def test_a_home_that_can_be_none(start: Start, tmp_path: Path, home: str) -> None:
    process = start("keys", TOKLANE_HOME=home)
    _, errors = process.communicate(timeout=60)
    assert process.returncode in (0, 1, 2) and errors.count("\n") <= 1 and "internal error" not in errors
