"""What goes round the HTTP library is what the library would have made of it, read by read."""

from itertools import pairwise

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.capture.chunks import Bypass
from tui.capture.sockets import Standing

HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
LAST = b"0\r\n\r\n"
MANY = 1 << 21


class Wire(httpcore.NetworkStream):
    """A connection that brings these reads, then ends."""

    def __init__(self, reads):
        self.reads = [read for read in reads if read]
        self.number = 0

    def read(self, max_bytes, timeout=None):
        self.number += 1
        return self.reads.pop(0) if self.reads else b""

    def write(self, buffer, timeout=None):
        pass

    def close(self):
        pass

    def get_extra_info(self, info):
        return None


class Told:
    """One reply through httpcore. got: (number of the read, its bytes). library: so many parts it handed on.

    how: the words of the failure, "" when the body ended.
    """

    def __init__(self, reads, bypassed=True):
        self.got, self.library = [], 0
        self._parts = []
        self._wire = Wire(reads)
        bypass = Bypass(self._wire, self._flush, self._take)
        self.how = ""
        try:
            with (
                httpcore.ConnectionPool(network_backend=Standing(bypass)) as pool,
                pool.stream("GET", "http://x/") as response,
            ):
                if bypassed:
                    bypass.headed(any(name.lower() == b"transfer-encoding" for name, _ in response.headers))
                for part in response.iter_stream():
                    self._parts.append(part)
                    self.library += 1
                self._flush()
        except httpcore.RemoteProtocolError as error:
            self._flush()
            self.how = str(error)

    def _flush(self):
        if self._parts:
            self._take(b"".join(self._parts))
            self._parts.clear()

    def _take(self, data):
        self.got.append((self._wire.number, data))


def cut(data, places):
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[a:b] for a, b in pairwise(edges)]


def chunk(data):
    return b"%x\r\n%b\r\n" % (len(data), data)


SOUND = [chunk(b"data: x\n\n"), chunk(b"\r\n"), chunk(b"5\r\n"), b"00A\r\n0123456789\r\n"]
CUT = [b"4\r\nxy", b"\r\n", b"z"]
ODD = [b"2;a=b\r\nxy\r\n", b"3 \r\nxyz\r\n", b"1\nx\n", b"-1\r\nx\r\n", LAST, b"0\r\na: b\r\n"]
HEADS = [
    HEAD,
    HEAD.replace(b"\r\n", b"\n"),
    HEAD.replace(b"chunked", b"Chunked"),
    b"HTTP/1.1 100 Continue\r\n\r\n" + HEAD,
]
PIECES = st.lists(st.tuples(st.booleans(), st.sampled_from(SOUND * 3 + CUT + ODD)), max_size=12)


@given(st.sampled_from(HEADS), PIECES, st.lists(st.integers(0, 1000), max_size=4))
def test_the_bytes_and_the_end_are_those_of_the_library(head, pieces, places):
    reads = [head]
    for joined, piece in pieces:
        reads[len(reads) - joined :] = [b"".join([*reads[len(reads) - joined :], piece])]
    for each in (reads, cut(b"".join(reads), places)):
        short, long = Told(each), Told(each, bypassed=False)
        assert (short.got, short.how) == (long.got, long.how)


@given(st.lists(st.lists(st.sampled_from(SOUND), min_size=1, max_size=3).map(b"".join)), st.booleans())
def test_whole_chunks_go_round_it_read_by_read(pieces, ends):
    for first in ([HEAD], [HEAD + chunk(b"first")], cut(HEAD, [20, 30])):
        reads = [*first, *pieces, *([LAST] if ends else [])]
        short, long = Told(reads), Told(reads, bypassed=False)
        assert (short.got, short.how) == (long.got, long.how)
        assert short.library == (first[0] != HEAD and len(first) == 1), "the library sees no whole chunk"


def test_behind_a_cut_chunk_it_goes_round_again():
    cut_one = chunk(b"0123456789")
    told = Told([HEAD, chunk(b"a"), chunk(b"b") + cut_one[:5], cut_one[5:], chunk(b"c"), chunk(b"d"), LAST])
    assert [data for _, data in told.got] == [b"a", b"b01", b"23456789", b"c", b"d"]
    assert told.library == 3, "b and both parts of the cut one"


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n"]
)
def test_a_body_that_only_looks_chunked_is_left_alone(head):
    told = Told([head, chunk(b"a"), chunk(b"b")])
    assert b"".join(data for _, data in told.got) == chunk(b"a") + chunk(b"b")


def test_a_huge_chunk_is_the_library_s_and_so_is_all_behind_it():
    reads = [HEAD, b"%x\r\n" % MANY, *[b"x" * (MANY // 8)] * 8, b"\r\n", chunk(b"a"), chunk(b"b"), LAST]
    told = Told(reads)
    assert told.got == Told(reads, bypassed=False).got
    assert told.library == 10
