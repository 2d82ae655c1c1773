"""However an address is written, every path below it is built right."""

import base64

import pytest

from tui.engines.urls import LOCAL_PORTS, BadUrl, Base, local_bases, normalised


@pytest.mark.parametrize(
    "ending",
    [
        "",
        "/",
        "/v1",
        "/v1/",
        "//v1//",
        "/v1/v1",
        "/v1/chat/completions",
        "/v1/models",
        "/api/chat",
        "/completion",
        "/props",
        "/v1/messages",
    ],
)
def test_all_ways_to_write_a_root(ending: str) -> None:
    base = normalised(f"http://box:8080{ending}")
    assert base.url("/v1/chat/completions") == "http://box:8080/v1/chat/completions"


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("localhost:8080", "http://localhost:8080"),
        (" HTTPS://Example.org/ ", "https://example.org"),
        ("http://[::1]:8080/v1", "http://[::1]:8080"),
        ("http://0.0.0.0:11434", "http://127.0.0.1:11434"),
        ("https://gate.example/openai/v1/chat/completions", "https://gate.example/openai"),
        ("http://h/v10", "http://h/v10"),
    ],
)
def test_roots(url: str, root: str) -> None:
    assert normalised(url) == Base(root)


def test_name_and_password_become_a_header() -> None:
    base = normalised("http://me:p%40ss@h:1/v1")
    assert base.root == "http://h:1"
    assert base.headers == (("Authorization", "Basic " + base64.b64encode(b"me:p@ss").decode()),)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "   ",
        "ftp://h",
        "http:/h:8080",
        "http//h:8080",
        "HTTPS:\\\\h",
        "http://",
        "http://h:99999",
        "http://h:x",
        "http://a b",
        "http://h/\x1b[31m",
        "http://h?key=secret",
        "http://[::1",
        "http://u:secret@h?x",
    ],
)
def test_bad_urls_are_refused_without_secrets(url: str) -> None:
    with pytest.raises(BadUrl) as caught:
        normalised(url)
    message = str(caught.value)
    assert message.endswith(".") and "secret" not in message and message.isprintable()


def test_local_bases() -> None:
    assert {int(base.root.rpartition(":")[2]) for base in local_bases()} == set(LOCAL_PORTS)


@pytest.mark.parametrize(
    ("url", "root"),
    [
        ("http://\u0430\u0440\u0440\u04cf\u0435.example:8080", "http://xn--80ak6aa92e.example:8080"),
        ("http://b\u00fccher.example/v1", "http://xn--bcher-kva.example"),
        ("http://127\u30020\u30020\u30021:8080", "http://127.0.0.1:8080"),
        ("http://\uff41pi.openai.com/v1", normalised("http://api.openai.com/v1").root),
        ("http://0\u3002\u24ea.0.0:1", "http://127.0.0.1:1"),
    ],
    ids=ascii,
)
def test_a_host_is_the_name_that_is_looked_up(url: str, root: str) -> None:
    """Letters that look like others are seen, and a service of a known address is known in any letters."""
    assert normalised(url).root == root


@pytest.mark.parametrize("host", ["\u00fc" * 80, "a\u0640.example", "\u0627a.example"], ids=ascii)
def test_a_host_that_can_t_be_looked_up_is_refused_or_spelled_out(host: str) -> None:
    try:
        assert normalised(f"http://{host}:8080").root.isascii()
    except BadUrl as error:
        assert "host or port" in str(error)
