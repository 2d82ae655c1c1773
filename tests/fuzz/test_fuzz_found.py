"""What mangled bytes have broken once: each kind, as small as it can be."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.fuzz.made import APART, run_from, speaker
from tests.fuzz.sound import run_of
from tui.capture.recording import parse
from tui.domain.machine import reading_from
from tui.domain.wire import End, Meta, Note, Read, Record
from tui.engines.shapes import nanoseconds, parsed, plain

CHUNK = b'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n'
ABSURD = ("1e300", "1e308", "1" + "0" * 300, "9" * 400, "1e999", "NaN", "-1e300")


def file_of(*lines: str) -> list[Record]:
    return list(parse([line.encode() + b"\n" for line in lines]).records)


def chat(engine: str, *pieces: bytes) -> dict[str, Any]:
    return run_of(run_from(bytes([speaker(engine, ""), 0, 0]) + APART.join(pieces)))


@pytest.mark.parametrize("number", ABSURD)
def test_absurd_numbers_are_absent_wherever_an_engine_tells_them(number: str) -> None:
    n = number.encode()
    names = (b"prompt_n", b"cache_n", b"prompt_ms", b"predicted_n", b"predicted_ms", b"draft_n_accepted")
    timings = b"{" + b",".join(b'"%b":%b' % (name, n) for name in names) + b"}"
    usage = b'{"prompt_tokens":%b,"completion_tokens":%b,"total_tokens":%b}' % (n, n, n)
    progress = b'{"total":%b,"cache":%b,"processed":%b,"time_ms":%b}' % (n, n, n, n)
    last = b'data: {"choices":[],"timings":%b,"usage":%b,"prompt_progress":%b}\n\n' % (
        timings,
        usage,
        progress,
    )
    run = chat("llama.cpp", CHUNK, last, CHUNK, last.replace(b',"prompt_progress"', b',"other"'))
    assert run["tokens"] is None and run["prompt_tokens"] is None
    assert run["prefill_tok_s"] is None and run["server_decode_tok_s"] is None


@pytest.mark.parametrize("number", ABSURD)
def test_absurd_counters_are_absent(number: str) -> None:
    names = ("request_queue_time_seconds_sum", "request_prefill_time_seconds_sum", "prompt_tokens_total")
    page = "\n".join(f"vllm:{name} {number}" for name in names).encode()
    chat("vllm", b"</metrics/?a\n" + page.replace(b"1", b"0"), CHUNK, b">/metrics/?b\n" + page)
    rate = f': generation_stats {{"prompt_tokens":9,"prompt_tps":1e-320,"x":{number}}}\n\n'.encode()
    chat("exo", rate.replace(b'"x"', b'"prefix_cache_hit":"none","x"'), CHUNK)
    stamps = f'{{"arrival_time":1e-9,"first_scheduled_time":{number},"first_token_time":{number}}}'
    record = f'[{{"perf_metrics":{{"timing_metrics":{stamps}}}}}]'.encode()
    chat("trtllm", CHUNK.replace(b'"}', b'"},"finish_reason":"stop"'), b">/perf_metrics\n" + record)


def test_no_duration_is_longer_than_a_century() -> None:
    assert nanoseconds(5, 1e9) == 5_000_000_000
    assert nanoseconds(1e12, 1e9) is None


@pytest.mark.parametrize("deep", [70, 300, 900, 5000])
def test_what_is_nested_too_deep_is_no_message(deep: int) -> None:
    nested = b"[" * deep + b"]" * deep
    with pytest.raises(ValueError, match="too deep"):
        parsed(nested)
    run = chat("llama.cpp", b'data: {"choices":[{"delta":{"content":"a"}}],"x":' + nested + b"}\n\n", CHUNK)
    assert run["answer_text"] == "a" and "bad_chunk" in run["warnings"]
    meta = '{"meta":{"conditions":{"note":' + nested.decode() + "}}}"
    recording = parse([meta.encode() + b"\n", b'{"t":1,"b":"data: [DONE]\\n\\n"}\n'])
    assert recording.damaged_lines == 1
    run_of(recording.records)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert parsed("[" + "[]," * 500 + "[[[1]]]]") is not None


@pytest.mark.parametrize("number", ["9" * 400, "1e300", "1e999", "NaN", "9e9"])
def test_times_that_are_none_are_damaged_lines(number: str) -> None:
    lines = [f'{{"t":{number},"b":"x"}}', f'{{"t":1,"poll":{{"path":"/a","status":{number},"b":""}}}}']
    timing = f'{{"connect":{number},"request_sent":{number},"response_head":{number}}}'
    run_of(file_of(f'{{"meta":{{"timing":{timing},"clock":"before the TCP connect"}}}}', *lines), timed=False)


def test_the_furthest_times_of_a_file_still_have_a_distance() -> None:
    chunk = json.dumps(CHUNK.decode())
    run_of(file_of('{"meta":{}}', f'{{"t":-2e9,"b":{chunk}}}', f'{{"t":2e9,"b":{chunk}}}'), timed=False)


def test_half_characters_and_odd_numbers_of_a_file_never_reach_the_json() -> None:
    half = '{"a":"\\ud800","\\udfff":NaN,"sampling":{"seed":1e999}}'
    meta = f'{{"meta":{{"engine":"\\ud800","conditions":{half}}}}}'
    noted = f'{{"t":0,"event":{{"name":"conditions","model":"\\ud83d","rivals":Infinity,"x":{half}}}}}'
    run = run_of(file_of(meta, noted, '{"t":1,"end":"error: \\udc00"}'))
    assert run["conditions"]["model"] == "\ufffd" and run["conditions"]["rivals"] is None
    assert plain({"\ud800": [float("nan"), 10**400, object()]}) == {"\ufffd": [None, None, None]}


def test_names_on_this_machine_that_are_no_text_are_shown_as_such() -> None:
    told = {
        "server": {"pid": 1, "name": "a\udcff"},
        "gpus": [{"name": "\ud800"}],
        "host": {"cpu\ud800": "\udcff"},
    }
    reading = reading_from(0, told)
    assert reading.server is not None and reading.server.name == "a\ufffd"
    assert reading.gpus[0].name == "\ufffd" and reading.host == {"cpu\ufffd": "\ufffd"}


def test_a_recording_without_its_connected_note_still_tiles() -> None:
    run = run_of(
        [Meta({}), Note(-9_000, "connecting"), Note(0, "sent"), Read(50_000, CHUNK), End(90_000, "eof")]
    )
    assert run["phases"][0]["name"] == "connect" and run["phases"][0]["end_s"] == 0


def test_a_reply_that_broke_off_before_its_first_text_tiles_to_its_end() -> None:
    told = (
        b'data: {"content":"","tokens_predicted":8,"stop":false,"timings":{"predicted_n":8,"predicted_ms":92,'
    )
    told += b'"prompt_n":1,"prompt_ms":11}}\n\n'
    body = {"engine": "llama.cpp", "request": {"path": "/completion"}}
    run = run_of([Meta(body), Note(0, "sent"), Read(100_000_000, told), End(150_000_000, "reset")])
    assert run["phases"][-1]["end_s"] == run["total_s"]


def test_a_file_whose_stamps_lie_before_it_was_sent_still_tiles() -> None:
    lines = ['{"meta":{}}', '{"t":-3,"event":{"name":"connecting"}}', '{"t":-2,"event":{"name":"sent_all"}}']
    run_of(file_of(*lines, '{"t":-1,"b":": x\\n\\n"}', '{"t":-1,"end":"eof"}'), timed=False)
