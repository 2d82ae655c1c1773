"""Where to look for engines: the usual ports, and what the environment names."""

import pytest

from tui.engines.nearby import bases, told
from tui.engines.urls import LOCAL_PORTS, Base


@pytest.mark.parametrize(
    ("value", "root"),
    [
        ("127.0.0.1", "http://127.0.0.1:11434"),
        ("127.0.0.1:1234", "http://127.0.0.1:1234"),
        (":11435", "http://127.0.0.1:11435"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:8080", "http://127.0.0.1:8080"),
        ("http://0.0.0.0:5000", "http://127.0.0.1:5000"),
        ("box", "http://box:11434"),
        ("box:1", "http://box:1"),
        ("http://box", "http://box"),
        ("https://box", "https://box"),
        ("https://box:8443/", "https://box:8443"),
        ("http://box/ollama", "http://box/ollama"),
        ("box/ollama", "http://box:11434/ollama"),
        ("::1", "http://[::1]:11434"),
        ("[::1]:1234", "http://[::1]:1234"),
        ("[::]", "http://[::1]:11434"),
        (" 'box:1' ", "http://box:1"),
    ],
)
def test_every_form_of_ollama_host(value: str, root: str) -> None:
    assert told({"OLLAMA_HOST": value}) == (Base(root),)


@pytest.mark.parametrize("value", ["", "  ", "ftp://box", "box:many", "a b", "\x1b[31m"])
def test_what_is_no_address_is_passed_over(value: str) -> None:
    assert told({"OLLAMA_HOST": value}) == ()


@pytest.mark.parametrize(
    ("environ", "roots"),
    [
        ({"LLAMA_ARG_PORT": "9000"}, ["http://127.0.0.1:9000"]),
        ({"LLAMA_ARG_HOST": "0.0.0.0"}, ["http://127.0.0.1:8080"]),
        ({"LLAMA_ARG_HOST": "box", "LLAMA_ARG_PORT": "9000"}, ["http://box:9000"]),
        ({"LLAMA_ARG_HOST": "/run/llama.sock", "LLAMA_ARG_PORT": "9000"}, []),
        ({"LLAMA_ARG_PORT": "many"}, []),
        ({}, []),
    ],
)
def test_the_variables_of_llamacpp(environ: dict[str, str], roots: list[str]) -> None:
    assert [base.root for base in told(environ)] == roots


def test_each_address_is_asked_once_and_the_usual_ones_first() -> None:
    usual = bases()
    assert len(usual) == len(LOCAL_PORTS) == len(set(usual))
    assert bases(told({"OLLAMA_HOST": "0.0.0.0"})) == usual
    assert bases((Base("http://box:1"),)) == (*usual, Base("http://box:1"))
