"""Bytes become messages whatever the reads cut, and compressed bodies are not held back."""

import gzip
import time
import zlib
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.engines.body import Body
from tui.engines.coding import CodingError, plain_of
from tui.engines.framing import EventStream, Framing, JsonLines


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


def messages(framing: Framing, reads: list[bytes]) -> list[tuple[str, bytes]]:
    return [
        (m.event, m.data)
        for read in [*reads, None]
        for m in (framing.close() if read is None else framing.feed(read))
    ]


def test_only_lf_cr_and_crlf_end_a_line() -> None:
    separators = "\u2028\u2029\u0085\x0b\x0c\x1c".encode()
    stream = b"data: a" + separators + b"b\r\rdata: c\r\n\r\ndata: d\n\n"
    assert messages(EventStream(), [stream]) == [("", b"a" + separators + b"b"), ("", b"c"), ("", b"d")]


def test_the_fields_of_an_event() -> None:
    event = b"\xef\xbb\xbfid: 7\nretry: 9\nevent: note\ndata: {\ndata:1\ndata:  }\n: a comment\nother: x\n\n"
    assert messages(EventStream(), [event, b":\n\nid:8\n\ndata:\n\n"]) == [
        ("", b"a comment"),
        ("note", b"{\n1\n }"),
        ("", b""),
    ]


def test_an_event_without_its_blank_line_counts_at_the_end() -> None:
    assert messages(EventStream(), [b"data: a\n\ndata: [DONE]"]) == [("", b"a"), ("", b"[DONE]")]


def test_records_are_cut_at_lf_only() -> None:
    assert messages(JsonLines(), [b'{"a":"\r"}\r\n\n  \n{"b":', b'"\xe2\x80\xa8"}']) == [
        ("", b'{"a":"\r"}\r'),
        ("", b'{"b":"\xe2\x80\xa8"}'),
    ]


PIECES = st.sampled_from(
    [
        b"data: x",
        b"data:",
        b"event: e",
        b"\n",
        b"\r",
        b"\r\n",
        b": c",
        b"\xe2\x9b\xb5",
        b"id",
        b"\xef\xbb\xbf",
    ]
)


@given(st.lists(PIECES, max_size=30).map(b"".join), st.lists(st.integers(0, 1000), max_size=12))
def test_cuts_change_nothing(stream: bytes, places: list[int]) -> None:
    for kind in (EventStream, JsonLines):
        assert messages(kind(), cut(stream, places)) == messages(kind(), [stream])


READS = st.sampled_from(
    [
        b"data: x\n\n",
        b"data: \n\n",
        b"data: [DONE]\n\n",
        b"data: a\rb\n\n",
        b"data: y\r\n\r\n",
        b"data: y\r",
        b"\ndata: z\n",
        b"\n",
        b"event: e\n",
        b": c\n",
        b"data: x",
        b"data: x\ny",
        b"\nx",
        b"id: 1\nx\n\n",
        b"\xef\xbb\xbfdata: q\n\n",
    ]
)


@given(st.lists(READS, max_size=8))
def test_reads_of_one_event_are_no_special_case(reads: list[bytes]) -> None:
    for kind in (EventStream, JsonLines):
        each = [bytes([byte]) for byte in b"".join(reads)]
        assert messages(kind(), reads) == messages(kind(), each)


def test_a_huge_line_in_small_reads_takes_linear_time() -> None:
    def seconds(reads: int) -> float:
        framing = EventStream()
        began = time.thread_time()
        for _ in range(reads):
            framing.feed(b"data: " + b"x" * 94)
        framing.feed(b"\n\n")
        return time.thread_time() - began

    assert seconds(80_000) < 40 * seconds(8_000) + 0.1  # joining at each read would be 100 times


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("", b"plain"),
        ("identity", b"plain"),
        ("gzip", gzip.compress(b"pl", mtime=0) + gzip.compress(b"ain", mtime=0)),
        ("X-GZIP", gzip.compress(b"plain", mtime=0)),
        ("deflate", zlib.compress(b"plain")),
        ("deflate", zlib.compress(b"plain")[2:-4]),
    ],
)
def test_codings_are_taken_off_byte_by_byte(encoding: str, data: bytes) -> None:
    plain = plain_of(encoding)
    assert b"".join(plain(data[i : i + 1]) for i in range(len(data))) == b"plain"


def test_a_flushed_part_is_not_held_back() -> None:
    pack = zlib.compressobj(wbits=31)
    plain = plain_of("gzip")
    assert plain(pack.compress(b"first") + pack.flush(zlib.Z_SYNC_FLUSH)) == b"first"


def test_what_cannot_be_taken_off_is_said() -> None:
    with pytest.raises(CodingError, match="'br'"):
        plain_of("br")
    with pytest.raises(CodingError, match="damaged"):
        plain_of("gzip")(b"this is no gzip")


@pytest.mark.parametrize(
    ("first", "streams"),
    [
        (b"data: x\n\n", True),
        (b"\n: ping\n\n", True),
        (b"event: x\n", True),
        (b'{"a":1}', False),
        (b"<html>", False),
        (b"Hello", False),
    ],
)
def test_the_first_byte_chooses_the_framing(first: bytes, streams: bool) -> None:
    body = Body("", json_lines=False, keep=False)
    body.feed(first)
    assert body.streams is streams
    assert body.whole() == (b"" if streams else first)


@pytest.mark.parametrize("at", range(8))
def test_an_object_over_several_lines_is_no_record_wherever_it_is_cut(at: int) -> None:
    whole = b'\r\n{\n "a": 1\n}'
    body = Body("", json_lines=True, keep=False)
    assert body.feed(whole[:at]) + body.feed(whole[at:]) == []
    assert body.begun and not body.streams and body.whole() == whole.lstrip()


def test_a_brace_that_came_alone_begins_a_record() -> None:
    body = Body("", json_lines=True, keep=False)
    assert body.feed(b"{") == [] and body.begun
    assert [message.data for message in body.feed(b'"a":1}\n')] == [b'{"a":1}']
