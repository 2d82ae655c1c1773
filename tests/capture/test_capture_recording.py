"""Recordings: what is written is what was handed on, reads back the same, and holds no secret."""

from __future__ import annotations

import base64
import bz2
import gzip
import json
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui.capture import packed
from tui.capture.frames import Gone, Item, Mark, Reply, Unpacker, pack
from tui.capture.lines import from_object, to_line
from tui.capture.orders import (
    CancelOrder,
    FetchOrder,
    NoteOrder,
    PollOrder,
    SampleOrder,
    StreamOrder,
    WarmOrder,
    decode,
    encode,
)
from tui.capture.recording import NotARecording, parse, read
from tui.domain.wire import End, Meta, Note, Poll, Read, Sample

DATA = Path(__file__).parents[1] / "data"
FILES = sorted(file for file in DATA.glob("c*/**/*.jsonl") if not file.match("*.poll.jsonl"))

times = st.integers(-(10**13), 10**15)
fields = st.dictionaries(
    st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())
)
records = st.one_of(
    st.builds(Meta, fields),
    st.builds(Note, times, st.text(), fields.map(lambda it: {k: v for k, v in it.items() if k != "name"})),
    st.builds(
        Read,
        times,
        st.binary() | st.text().map(str.encode),
        st.none() | times,
        st.none() | times,
        st.booleans(),
    ),
    st.builds(Poll, times, st.text(), st.integers(0, 599), st.binary(), times),
    st.builds(Sample, times, fields),
    st.builds(End, times, st.sampled_from(["eof", "reset", "hang", "cancelled"]), st.text()),
    st.builds(End, times, st.just("error"), st.text(alphabet="refused timeout")),
)


@given(records)
def test_a_line_is_its_record(record):
    line = to_line(record)
    assert line.isascii() and line.endswith(b"\n") and line.count(b"\n") == 1
    assert from_object(json.loads(line)) == record


@given(st.lists(st.builds(Item, st.integers(0, 2**62), records), max_size=4), st.integers(1, 50))
def test_frames_survive_every_cut(frames, step):
    told = [*frames, Mark(1, "sent", 5), Reply(7, 200, (("A", "b"),), b"\xff", 9), Gone("why")]
    data = b"".join(map(pack, told))
    unpacker = Unpacker()
    assert [it for at in range(0, len(data), step) for it in unpacker.feed(data[at : at + step])] == told


@pytest.mark.parametrize(
    "order",
    [
        FetchOrder(1, "http://h/", "POST", {"A": "é"}, "{}", 1.5, "ca.pem", True),
        StreamOrder(
            2, "http://h/", body="a\nb", meta={"n": [1]}, polls=(PollOrder("/p", "http://h/p", 0.1, "head"),)
        ),
        CancelOrder(3, "hang"),
        SampleOrder({"used_bytes": 1}, 2),
        NoteOrder(4, "conditions", {"slots": 2}),
        WarmOrder("http://h/"),
    ],
)
def test_an_order_is_one_line(order):
    line = encode(order)
    assert line.count(b"\n") == 1
    assert decode(line) == order


def test_a_recording_reads_back_as_what_was_handed_on(inbox, server, wire, tmp_path):
    file = tmp_path / "run.jsonl"
    meta = {"engine": "any", "request": {"method": "POST", "headers": {"X": "1"}}}
    inbox.channel.send(StreamOrder(1, server.url, record=str(file), meta=meta))
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.chunk("snow ☃ ".encode()[:-2]))
    inbox.reads(1, 1)
    inbox.channel.send(SampleOrder({"used_bytes": 7}, inbox.zero_ns(1)))
    inbox.record(1, lambda it: isinstance(it, Sample))
    peer.send(wire.chunk("snow ☃ ".encode()[-2:]) + wire.LAST)
    told = inbox.records(1)

    recording = read(file)
    assert list(recording.records[1:]) == told[1:]
    assert (recording.damaged_lines, recording.ended) == (0, True)
    head = inbox.note(1, "head")
    assert recording.meta.fields == {
        "format": "toklane/1",
        **meta,
        "status": 200,
        "response_headers": [list(pair) for pair in head.fields["headers"]],
    }
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_failed_run_is_recorded_too(inbox, tmp_path):
    file = tmp_path / "run.jsonl"
    inbox.channel.send(StreamOrder(1, "http://127.0.0.1:9/", record=str(file), meta={"engine": "any"}))
    told = inbox.records(1)
    assert list(read(file).records[1:]) == told[1:]
    assert read(file).records[-1].how == "error"


def test_no_secret_is_handed_on_or_written(inbox, server, wire, tmp_path):
    file = tmp_path / "run.jsonl"
    key = "sk-very-secret-1"
    headers = {"Authorization": f"Bearer {key}"}
    url = f"http://user:pass-word@127.0.0.1:{server.port}/v1?api_key={key}"
    inbox.channel.send(
        StreamOrder(
            1,
            url,
            headers=headers,
            record=str(file),
            meta={"url": url, "request": {"headers": headers, "path": url}},
        )
    )
    peer = server.accept()
    assert f"Authorization: Bearer {key}".encode() in peer.request()
    peer.send(
        b"HTTP/1.1 401 No\r\nSet-Cookie: id=" + key.encode() + b"\r\nTransfer-Encoding: chunked\r\n\r\n"
        + wire.chunk(b'{"error": "wrong key ' + key.encode() + b'"}')
        + wire.LAST
    )  # fmt: skip
    told = repr(inbox.records(1))
    text = file.read_text()
    for secret in (key, "pass-word"):
        assert secret not in told
        assert secret not in text
    assert "wrong key (removed)" in text


@pytest.mark.parametrize("taken", [b"", b"somebody's\n"])
def test_where_nothing_can_be_written_the_run_goes_on(inbox, server, wire, tmp_path, taken):
    file = tmp_path / ("absent/run.jsonl" if not taken else "run.jsonl")
    if taken:
        file.write_bytes(taken)
    inbox.channel.send(StreamOrder(1, server.url, record=str(file)))
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.chunk(b"text") + wire.LAST)
    assert inbox.end(1).how == "eof"
    assert str(file) in inbox.note(1, "recording_failed").fields["reason"]
    assert inbox.names(1).count("recording_failed") == 1
    assert not taken or file.read_bytes() == taken


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a disk that is always full")
def test_a_full_disk_ends_the_recording_not_the_run(inbox, server, wire):
    inbox.channel.send(StreamOrder(1, server.url, record="/dev/full"))
    peer = server.accept()
    peer.request()
    peer.send(wire.HEAD + wire.chunk(b"a"))
    assert "No space left" in inbox.note(1, "recording_failed").fields["reason"]
    peer.send(wire.chunk(b"b") + wire.LAST)
    assert inbox.end(1).how == "eof"
    assert [it.data for it in inbox.records(1) if isinstance(it, Read)] == [b"a", b"b"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_capture_and_case_opens_whole(file):
    lines = [json.loads(line) for line in file.read_bytes().splitlines()]
    recording = read(file)
    assert recording.damaged_lines == 0
    assert recording.ended
    assert recording.records[0] is recording.meta
    assert [it for it in recording.records if isinstance(it, End)] == [recording.records[-1]]
    body = b"".join(
        line["b"].encode() if "b" in line else base64.b64decode(line["b64"])
        for line in lines
        if "b" in line or "b64" in line
    )
    assert b"".join(it.data for it in recording.records if isinstance(it, Read)) == body
    at_ns = [it.at_ns for it in recording.records[1:]]
    assert at_ns == sorted(at_ns)
    (head,) = [it for it in recording.records if isinstance(it, Note) and it.name == "head"]
    assert head.fields["status"] == recording.meta.fields["status"]


def test_the_files_are_there():
    assert len(FILES) > 150


def test_a_case_tells_when_its_head_came():
    names = {
        it.name: it.at_ns
        for it in read(DATA / "cases/long_silent_prefill.jsonl").records
        if isinstance(it, Note)
    }
    assert names == {"sent": 0, "head": 95_000_000_000}


def test_a_capture_tells_its_connection_and_head():
    names = {
        it.name: it.at_ns
        for it in read(DATA / "captures/llamacpp/01-chat-short-cold.jsonl").records
        if isinstance(it, Note)
    }
    assert names == {
        "connecting": -72_000,
        "connected": 0,
        "sent": 0,
        "sent_all": 1_104_000,
        "head": 2_121_000,
    }


def lines(*objects: object) -> list[bytes]:
    return [json.dumps(it).encode() + b"\n" for it in objects]


def test_a_capture_whose_zero_lies_before_the_connect_is_moved():
    timing = {"connect": 0.5, "request_sent": 0.75, "response_head": 1.0}
    clock = "seconds since the request was started (t=0 just before the TCP connect)"
    meta = {"engine": "vllm", "status": 200, "clock": clock, "timing": timing}
    recording = parse(lines({"meta": meta}, {"t": 2, "b": "a"}, {"t": 2, "b": "b"}, {"t": 3, "end": "eof"}))
    assert [(it.name, it.at_ns) for it in recording.records if isinstance(it, Note)] == [
        ("connecting", -500_000_000),
        ("connected", 0),
        ("sent", 0),
        ("sent_all", 250_000_000),
        ("head", 500_000_000),
    ]
    assert recording.records[-2:] == (Read(1_500_000_000, b"ab"), End(2_500_000_000, "eof"))


def test_the_reads_of_a_case_never_melt():
    meta = {"case": "any", "status": 200}
    recording = parse(lines({"meta": meta}, {"t": 2, "b": "a"}, {"t": 2, "b": "b"}, {"t": 3, "end": "eof"}))
    assert [it.data for it in recording.records if isinstance(it, Read)] == [b"a", b"b"]


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("hang", End(0, "hang")),
        ("client-closed", End(0, "cancelled", "client-closed")),
        ("error: connection closed inside the body", End(0, "reset", "connection closed inside the body")),
        ("error: timeout (gave up)", End(0, "error", "timeout (gave up)")),
    ],
)
def test_ends_in_other_words(words, end):
    assert parse(lines({"meta": {}}, {"t": 0, "end": words})).records[-1] == end


def test_damaged_lines_are_skipped_and_counted():
    good = lines({"meta": {}}, {"t": 0, "event": {"name": "sent"}}, {"t": 1, "b": "good"})
    bad = [
        b'{"t": 1, "b": \n',
        b"\xff\n",
        b"[]\n",
        b'{"t": NaN, "b": "x"}\n',
        b'{"t": "1", "b": "x"}\n',
        b'{"t": 1, "b": 5}\n',
        b'{"t": 1, "b64": "?"}\n',
        b'{"t": 1, "b": "\\ud800"}\n',
        b'{"t": 1, "poll": 3}\n',
        b'{"t": 1e300, "end": "eof"}\n',
        b'{"later": "kind"}\n',
        b"[" * 100_000 + b"\n",
        b'{"t": 2, "b": "half a la',
    ]
    recording = parse([*good, b"\n", *bad])
    assert recording.damaged_lines == len(bad)
    assert not recording.ended
    assert recording.records[1:] == (
        Note(0, "sent"),
        Read(1_000_000_000, b"good"),
        End(1_000_000_000, "error", "recording ends without an end"),
    )


def test_a_damaged_first_line_loses_only_itself():
    rest = lines({"t": 0, "event": {"name": "sent"}}, {"t": 1, "b": "x"}, {"t": 2, "end": "eof"})
    recording = parse([b'{"meta"\n', *rest])
    assert (recording.meta, recording.damaged_lines) == (Meta({}), 1)
    assert recording.records[1:] == (Note(0, "sent"), Read(1_000_000_000, b"x"), End(2_000_000_000, "eof"))


@pytest.mark.parametrize("meta", [{"case": "x"}, {"engine": "y"}, {"format": "toklane/1"}])
def test_a_stamp_that_goes_back_moves_no_bytes(meta):
    told = [{"t": 0.3, "b": "a"}, {"t": 0.5, "b": "b"}, {"t": 0.4, "b": "c"}, {"t": 0.6, "b": "d"}]
    records = parse(lines({"meta": meta}, *told, {"t": 0.6, "end": "eof"})).records
    reads = [record for record in records if isinstance(record, Read)]
    assert b"".join(read.data for read in reads) == b"abcd"
    assert {read.at_ns for read in reads} == {300_000_000, 500_000_000, 600_000_000}


def test_the_end_stays_last_whatever_its_time():
    recording = parse(lines({"meta": {"status": 200}}, {"t": 5, "b": "x"}, {"t": 4, "end": "eof"}))
    assert isinstance(recording.records[-1], End)


@pytest.mark.parametrize("content", [[], [b"\n"], [b"%PDF-1.7\n"], [b"{}\n"]])
def test_what_is_no_recording_is_said_to_be_none(content):
    with pytest.raises(NotARecording, match="is not a recording"):
        parse(content)


WHOLE = b"".join(lines({"meta": {"case": "x"}}, {"t": 1, "b": "a"}, {"t": 2, "end": "eof"}))


@pytest.mark.parametrize(
    ("content", "reads", "damaged", "ended"),
    [
        (gzip.compress(WHOLE), 1, 0, True),
        (gzip.compress(WHOLE[:30]) + gzip.compress(WHOLE[30:]), 1, 0, True),
        (gzip.compress(WHOLE) + b"behind", 1, 1, True),
        (gzip.compress(WHOLE)[:-8], 1, 1, True),
        (gzip.compress(WHOLE, 0)[:50], 0, 1, False),
    ],
    ids=["packed", "two members", "more behind", "no checksum", "cut"],
)
def test_what_gzip_packed_is_read_as_it_is(tmp_path, content, reads, damaged, ended):
    file = tmp_path / "run.jsonl"
    file.write_bytes(content)
    recording = read(file)
    assert sum(isinstance(record, Read) for record in recording.records) == reads
    assert (recording.damaged_lines, recording.ended) == (damaged, ended)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "it is empty"),
        (gzip.compress(b""), "it is empty"),
        (gzip.compress(b"\0" * (packed.LONGEST + 1)), "no line of it can be read"),
        (bz2.compress(WHOLE), "it is packed by bzip2: unpack it first"),
        (b"PK\3\4...", "it is packed by zip: unpack it first"),
    ],
    ids=["empty", "packed empty", "endless line", "bzip2", "zip"],
)
def test_what_can_t_hold_lines_says_why(tmp_path, content, why):
    file = tmp_path / "run.gz"
    file.write_bytes(content)
    with pytest.raises(NotARecording, match=why):
        read(file)


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="a device of Unix")
def test_a_device_is_not_read_for_ever():
    with pytest.raises(NotARecording, match="it is a device"):
        read(Path("/dev/zero"))


NEWER = "its format is 'toklane/2', not 'toklane/1': what is new in it is left out"


@pytest.mark.parametrize(
    ("told", "remark"),
    [
        ({}, ""),
        ({"format": "toklane/1"}, ""),
        (
            {"format": "toklane/2"},
            NEWER,
        ),
    ],
    ids=str,
)
def test_another_format_is_said(told, remark):
    assert parse(lines({"meta": told}, {"t": 2, "end": "eof"})).remark == remark


def test_a_digest_of_polls_opens():
    meta = {"engine": "llama.cpp", "request": {"path": "/slots"}}
    recording = parse(lines({"meta": meta}, {"t": 0.5, "took": 0.1, "n_decoded": 3}, {"t": 1, "end": "eof"}))
    (poll,) = [it for it in recording.records if isinstance(it, Poll)]
    assert (poll.path, json.loads(poll.body)["n_decoded"]) == ("/slots", 3)
