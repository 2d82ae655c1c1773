"""A key that a server says back is hidden, however it writes it and wherever a read cuts it."""

from __future__ import annotations

import base64
import gzip
import zlib
from itertools import pairwise
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.capture.echo import Veil
from tui.capture.fetcher import Fetcher
from tui.capture.orders import FetchOrder, StreamOrder
from tui.capture.recoded import Recoded
from tui.domain.wire import Read

KEY = "sk-canary/7Qz+x94-UVWmnop2468"
HEADERS = {"Authorization": f"Bearer {KEY}", "Accept": "text/plain"}
PARTS = ("canary", "7Qz", "x94", "UVW", "mnop", "2468")
FORMS = (
    KEY,
    quote(KEY, safe=""),
    quote(KEY, safe="").replace("%2F", "%2f").replace("%2B", "%2b"),
    KEY.replace("/", "\\/"),
    base64.b64encode(KEY.encode()).decode(),
    f"{KEY[:4]}****{KEY[-4:]}",
    f"{KEY[:8]}…{KEY[-6:]}",
    f"{KEY[:3]}...{KEY[-4:]}",
    f"***{KEY[-6:]}",
    f"{KEY[:12]}",
    f"ends in {KEY[-10:]}",
)

WHOLE = FORMS[:5]


def veil() -> Veil:
    return Veil(HEADERS)


@pytest.mark.parametrize("form", FORMS)
def test_no_piece_of_a_key_is_left(form: str) -> None:
    said = veil().hidden(f'{{"error": "wrong key {form}, see"}}'.encode()).decode()
    assert not [part for part in PARTS if part in said], said
    assert said.startswith('{"error": "wrong key ') and said.endswith(', see"}')


@pytest.mark.parametrize("form", [*FORMS, KEY[4:], KEY[-20:]])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 11, 1000])
def test_a_key_that_is_cut_between_two_reads_is_hidden(form: str, size: int) -> None:
    data = f'data: {{"a": "b"}}\n\ndata: {{"error": "wrong key {form}"}}\n\n'.encode()
    hiding = veil()
    said = b"".join(hiding.streamed(data[at : at + size]) for at in range(0, len(data), size)) + hiding.rest()
    assert not [part for part in PARTS if part.encode() in said], said
    assert said.startswith(b'data: {"a": "b"}\n\ndata: {"error": "wrong key ') and said.endswith(b'"}\n\n')


@pytest.mark.parametrize("form", [*FORMS, KEY[4:], KEY[-12:]])
def test_a_key_that_is_cut_anywhere_is_hidden(form: str) -> None:
    data = f'data: {{"error": "wrong key {form}"}}\n\n'.encode()
    places = range(len(data) - len(form) - 8, len(data))
    for first in places:
        for second in range(first, min(first + 12, len(data))):
            hiding = veil()
            cuts = (data[:first], data[first:second], data[second:])
            said = b"".join(map(hiding.streamed, cuts)) + hiding.rest()
            assert not [part for part in PARTS if part.encode() in said], (cuts, said)
            assert said.startswith(b'data: {"error": "wrong key ') and said.endswith(b'"}\n\n')


@pytest.mark.parametrize("scheme", ["Basic", "Bearer"])
def test_a_key_with_signs_and_blanks_in_it_is_hidden_wherever_it_is_cut(scheme: str) -> None:
    """A password may hold what elsewhere ends a word."""
    word = "canary, 'mnop(2468) x94;UVW"
    told = base64.b64encode(f"me:{word}".encode()).decode() if scheme == "Basic" else word
    data = f"wrong {word} here\n".encode()
    for first in range(len(data)):
        for second in range(first, len(data), 3):
            hiding = Veil({"Authorization": f"{scheme} {told}"})
            cuts = (data[:first], data[first:second], data[second:])
            said = b"".join(map(hiding.streamed, cuts)) + hiding.rest()
            assert not [part for part in PARTS if part.encode() in said], (cuts, said)


def test_a_stream_that_ends_amid_a_piece_of_the_key_shows_none_of_it() -> None:
    for end in range(12, len(KEY)):
        hiding = veil()
        said = hiding.streamed(f"it ends in {KEY[4:end]}".encode()) + hiding.rest()
        assert KEY[4:end].encode() not in said, said


@given(st.sampled_from(FORMS[:9]), st.lists(st.integers(0, 80), max_size=5))
def test_wherever_the_cuts_are_the_key_is_hidden(form: str, places: list[int]) -> None:
    data = f'data: {{"error": "wrong key {form}"}}\n\n'.encode()
    edges = [0, *sorted(place % len(data) for place in places), len(data)]
    hiding = veil()
    said = b"".join([*(hiding.streamed(data[a:b]) for a, b in pairwise(edges)), hiding.rest()])
    assert not [part for part in PARTS if part.encode() in said], said
    if form in WHOLE:
        assert said == data.replace(form.rstrip("=").encode(), b"(removed)")
    assert said.startswith(b'data: {"error": "wrong key ') and said.endswith(b'"}\n\n')


PIECES = (
    *FORMS,
    *(KEY[:n] for n in (2, 3, 7, 9)),
    *(KEY[-n:] for n in (2, 3, 4, 9)),
    "**",
    "...",
    "…",
    "a",
    " ",
)


@given(st.lists(st.sampled_from(PIECES), max_size=5))
def test_the_quick_look_misses_nothing(pieces: list[str]) -> None:
    data = "".join(pieces).encode()
    hiding = veil()
    assert hiding.hidden(data) + b"\n(removed)" == hiding.hidden(data + b"\n" + KEY.encode())


def test_a_stream_that_ends_inside_a_key_does_not_tell_its_beginning() -> None:
    hiding = veil()
    assert hiding.streamed(f"no: {KEY[:7]}".encode()) + hiding.rest() == b"no: (removed)"


@given(st.lists(st.text(alphabet='abk-s \n"*.x', max_size=12), max_size=12))
def test_what_is_no_echo_comes_through_whole_and_lines_wait_for_nothing(texts: list[str]) -> None:
    hiding = veil()
    said = b""
    for text in texts:
        said += hiding.streamed(text.encode())
        if text.endswith("\n"):
            assert said == "".join(texts).encode()[: len(said)] and said.endswith(b"\n")
    assert said + hiding.rest() == "".join(texts).encode()


@pytest.mark.parametrize("word", ["none", "EMPTY", "ollama", "lm-studio", "not-needed"])
def test_a_word_that_stands_for_no_key_tears_no_holes(word: str) -> None:
    hiding = Veil({"Authorization": f"Bearer {word}"})
    assert not hiding.active
    assert hiding.streamed(b"ollama none lm-studio") == b"ollama none lm-studio"


def test_a_password_is_hidden_alone_and_with_its_name() -> None:
    pair = base64.b64encode(b"me:hunter2-hunter2").decode()
    said = Veil({"Authorization": f"Basic {pair}"}).hidden(
        f"{pair} me:hunter2-hunter2 hunter2-hunter2".encode()
    )
    assert b"hunter2" not in said and pair.encode() not in said


def test_a_password_in_any_script_is_hidden_whole() -> None:
    word = base64.b64encode("ü:schlüsselwörter-überall".encode()).decode()
    hiding = Veil({"Authorization": f"Basic {word}"})
    assert hiding.words("a schlüsselwörter-überall ü** schlüssel... b") == "a (removed) ü** schlüssel... b"


def test_names_and_texts_of_json_are_looked_through() -> None:
    told = veil().words({f"a {KEY}": [1, None, {"b": KEY}], "\ud800": "\ud800 c"})
    assert told == {"a (removed)": [1, None, {"b": "(removed)"}], "\ud800": "\ud800 c"}


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_compressed_body_is_looked_through_and_stays_one(coding: str) -> None:
    text = f"wrong key {KEY}, see".encode()
    data = gzip.compress(text) if coding == "gzip" else zlib.compress(text)
    hiding = veil()
    coded = Recoded(coding, hiding.streamed, hiding.rest)
    said = b"".join(coded.read(data[at : at + 9]) for at in range(0, len(data), 9)) + coded.end()
    assert (
        gzip.decompress(said) if coding == "gzip" else zlib.decompress(said)
    ) == b"wrong key (removed), see"


@pytest.mark.parametrize("coding", ["br", "gzip"])
def test_a_body_that_can_not_be_undone_goes_on_as_it_came(coding: str) -> None:
    coded = Recoded(coding, lambda data: data, bytes)
    assert coded.read(b"no such thing") + coded.end() == b"no such thing"


def test_a_run_tells_nothing_of_its_key(inbox, server, wire, tmp_path) -> None:
    file = tmp_path / "run.jsonl"
    order = StreamOrder(1, server.url, headers=HEADERS, body="{}", record=str(file), meta={"said": KEY})
    inbox.channel.send(order)
    peer = server.accept()
    peer.request()
    head = wire.HEAD.replace(
        b"\r\n\r\n", f"\r\nX-Said: {KEY}\r\nLocation: /x?token=abc{KEY}\r\n\r\n".encode()
    )
    peer.send(head + wire.chunk(b'{"error": "' + KEY[:9].encode()))
    inbox.reads(1, 1)
    peer.send(wire.chunk(KEY[9:].encode() + b'"}') + wire.LAST)
    assert inbox.end(1).how == "eof"
    told = file.read_text() + repr(inbox.frames)
    assert not [part for part in PARTS if part in told]
    body = b"".join(it.data for it in inbox.records(1) if isinstance(it, Read))
    assert body == b'{"error": "(removed)"}'


def test_a_reply_that_is_no_http_tells_nothing_of_the_key(inbox, server) -> None:
    inbox.channel.send(StreamOrder(2, server.url, headers=HEADERS, body="{}"))
    peer = server.accept()
    peer.request()
    peer.send(f"{KEY} is wrong\r\n\r\n".encode())
    inbox.end(2)
    assert KEY not in repr(inbox.frames)


def test_a_fetch_hides_what_headers_and_a_compressed_body_say(server) -> None:
    import threading

    def play() -> None:
        peer = server.accept()
        peer.request()
        body = gzip.compress(KEY.encode())
        peer.send(
            f"HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer error={KEY}\r\nContent-Encoding: gzip\r\n".encode()
            + b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        )

    thread = threading.Thread(target=play)
    thread.start()
    fetcher = Fetcher()
    reply = fetcher.fetch(FetchOrder(1, server.url, headers=HEADERS))
    thread.join()
    fetcher.close()
    assert gzip.decompress(reply.body) == b"(removed)"
    assert KEY not in repr(reply)
