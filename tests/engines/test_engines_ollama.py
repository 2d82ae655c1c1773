"""What Ollama's records, its `/api/ps` and its versions mean, and what is asked of it."""

import json

import pytest

from tests.wire.runs import CAPTURES, events_of, recording
from tui.capture.live import Live
from tui.domain.events import Edge, Failed, Finish, Learned, Oddity, Timings, Usage
from tui.domain.phases import Phase
from tui.domain.values import Provenance
from tui.domain.view import Stage, View
from tui.domain.wire import Meta, Note, Poll, Read, Record
from tui.engines.base import Plan, Turn
from tui.engines.ollama_metrics import Seen, metrics, version_of
from tui.engines.registry import adapter

FOLDER = CAPTURES / "ollama-authored"
MS = 1_000_000
PLAN = Plan("llama3.2:3b", (Turn("system", "s"), Turn("user", "u")), max_tokens=8, temperature=0.0, seed=3)


def ps(at_ms: float, *names: str, context: int = 4096, status: int = 200) -> Poll:
    """An answer of `/api/ps` that lists these models."""
    models = [
        {"name": name, "model": name, "size": 4000, "size_vram": 1000, "context_length": context}
        for name in names
    ]
    return Poll(int(at_ms * MS), "/api/ps", status, json.dumps({"models": models}).encode())


def with_polls(name: str, *polls: Poll, **fields: object) -> list[Record]:
    """A capture's records with answers of `/api/ps` among them; `fields` replace what its first line says."""
    meta, *rest = recording(FOLDER / f"{name}.jsonl").records
    assert isinstance(meta, Meta)
    records: list[Record] = sorted([*polls, Note(0, "sent_all"), *rest], key=lambda record: record.at_ns)  # type: ignore[union-attr]
    return [Meta(dict(meta.fields) | fields), *records]


def seen(records: list[Record], until_ms: float | None = None) -> View:
    """What is to be seen at the end, or at a moment of the run."""
    live = Live()
    if until_ms is None:
        live.feed(records)
        return live.view()
    live.feed([r for r in records if isinstance(r, Meta) or r.at_ns <= until_ms * MS])
    return live.view(int(until_ms * MS))


def names(view: View) -> list[str]:
    return [phase.name for phase in view.phases]


def phase(view: View, name: str) -> Phase:
    (found,) = [phase for phase in view.phases if phase.name == name]
    return found


def last(**fields: object) -> dict[str, object]:
    durations = {"total_duration": 1000 * MS, "load_duration": 100 * MS}
    durations |= {"prompt_eval_duration": 300 * MS, "eval_duration": 500 * MS}
    return {"done": True, "eval_count": 11, "prompt_eval_count": 100, **durations, **fields}


def timings_of(body: dict[str, object], run: Seen) -> Timings:
    (timings,) = [event for event in metrics(0, body, run) if isinstance(event, Timings)]
    return timings


# -- what is asked -------------------------------------------------------------------------------------------


def test_the_request_forbids_a_silent_cut_and_causes_no_load() -> None:
    request = adapter("ollama").request(PLAN)
    assert (request.method, request.path) == ("POST", "/api/chat")
    assert request.body == {
        "model": "llama3.2:3b",
        "messages": [{"role": "system", "content": "s"}, {"role": "user", "content": "u"}],
        "stream": True,
        "truncate": False,
        "options": {"num_predict": 8, "temperature": 0.0, "seed": 3},
    }


def test_options_nobody_asked_for_are_left_to_the_server() -> None:
    assert "options" not in adapter("ollama").request(Plan("m", PLAN.turns)).body


def test_the_loaded_models_are_looked_at_before_and_while_nothing_comes() -> None:
    ollama = adapter("ollama")
    assert [(look.path, look.when) for look in ollama.looks] == [("/api/ps", "before")]
    assert [(w.path, w.every_s, w.until) for w in ollama.watches] == [("/api/ps", 0.25, "first")]
    assert not ollama.can_switch_reuse_off


# -- what /api/ps shows --------------------------------------------------------------------------------------


def test_a_model_that_was_not_in_memory_is_loading_until_it_is_listed() -> None:
    records = with_polls("02-cold-load", ps(-3), ps(250), ps(6750, "llama3.2:3b"))
    loading = phase(seen(records, 3000), "load")
    assert (loading.start_ns, loading.running, loading.provenance) == (0, True, Provenance.ESTIMATED)
    after = seen(records, 6800)
    assert names(after) == ["load", "waiting"] and phase(after, "load").end_ns == 6750 * MS
    whole = seen(records)
    load = phase(whole, "load")
    assert (load.duration_ns, load.provenance) == (6_731_000_000, Provenance.MEASURED)
    assert "did not list" in load.source
    assert names(whole) == ["load", "waiting", "prefill", "decode"]
    assert whole.prefill.reliable and not whole.warnings
    assert whole.conditions["context_length"] == 4096 and whole.conditions["gpu_share"] == 0.25


def test_the_handling_of_a_loaded_model_is_no_load() -> None:
    view = seen(with_polls("01-warm-short", ps(-3, "llama3.2:3b")))
    assert names(view) == ["waiting", "prefill", "decode"]
    assert "load" not in view.told_ns and "queue" not in view.told_ns
    assert phase(view, "waiting").source.endswith("(not split by Ollama)")


def test_a_long_rest_of_a_loaded_model_is_a_wait_for_a_slot() -> None:
    view = seen(with_polls("14-slot-queue-in-residual", ps(-3, "llama3.2:3b"), ps(250, "llama3.2:3b")))
    assert names(view) == ["waiting", "queue", "prefill", "decode"]
    queue = phase(view, "queue")
    assert (
        queue.provenance is Provenance.ESTIMATED and "queue + tokenize (not split by Ollama)" in queue.source
    )
    assert queue.duration_ns / MS == pytest.approx(3706.5, abs=1)
    assert not view.warnings


def test_a_long_rest_belongs_to_no_phase_when_nobody_saw_the_model() -> None:
    view = seen(with_polls("14-slot-queue-in-residual"))
    assert names(view) == ["load", "unattributed", "prefill", "decode"]
    assert phase(view, "load").provenance is Provenance.DERIVED
    assert set(view.warnings) == {"engine_timings_do_not_add_up"}


def test_a_long_load_of_a_listed_model_is_the_schedulers_wait() -> None:
    view = seen(with_polls("15-scheduler-wait-in-load", ps(-3, "llama3.2:3b")))
    assert names(view) == ["queue", "waiting", "prefill", "decode"]
    queue = phase(view, "queue")
    assert (queue.duration_ns, queue.provenance) == (14_211_000_000, Provenance.DERIVED)
    assert "load" not in view.told_ns
    assert not view.prefill.reliable  # the model was there: its cache may have been too


def test_a_version_that_lists_a_loading_model_leaves_that_wait_unnamed() -> None:
    polls = (ps(-3, "llama3.2:3b"),)
    view = seen(with_polls("15-scheduler-wait-in-load", *polls, engine_version="0.24.0"))
    assert names(view) == ["waiting", "waiting", "prefill", "decode"]


def test_a_version_that_lists_a_loading_model_shows_the_beginning_of_the_load() -> None:
    records = with_polls("02-cold-load", ps(-3), ps(500, "llama3.2:3b"), engine_version="0.24.0")
    assert names(seen(records, 400)) == ["waiting"]
    assert names(seen(records, 3000)) == ["waiting", "load"]
    edges = [event for event in events_of(records) if isinstance(event, Edge)]
    assert [(edge.at_ns, edge.begins) for edge in edges] == [(500 * MS, True)]


def test_another_context_than_the_loaded_one_is_a_load() -> None:
    records = with_polls("03-long-prompt", ps(-3, "llama3.2:3b"), ps(4000, "llama3.2:3b", context=16384))
    assert phase(seen(records, 2000), "load").running
    assert phase(seen(records), "load").duration_ns == 52_000_000


def test_a_model_that_vanishes_while_we_wait_is_loaded_again() -> None:
    records = with_polls("02-cold-load", ps(-3, "llama3.2:3b"), ps(500), ps(1000), ps(6700, "llama3.2:3b"))
    edges = [event for event in events_of(records) if isinstance(event, Edge)]
    assert [(edge.at_ns, edge.begins) for edge in edges] == [(500 * MS, True), (6700 * MS, False)]
    view = seen(records)
    assert phase(view, "load").provenance is Provenance.DERIVED and "queue" not in names(view)
    assert phase(view, "load").duration_ns == view.told_ns["load"]


@pytest.mark.parametrize(
    ("asked", "listed"),
    [
        ("llama3.2", "llama3.2:latest"),
        ("Llama3.2:3B", "llama3.2:3b"),
        ("hf.co/who/model-GGUF", "hf.co/who/model-GGUF:latest"),
        ("library/qwen3:4b", "qwen3:4b"),
    ],
)
def test_a_model_is_known_by_its_whole_name(asked: str, listed: str) -> None:
    request = {"path": "/api/chat", "body": {"model": asked}}
    view = seen(with_polls("01-warm-short", ps(-3, listed), request=request))
    assert "load" not in names(view)


def test_answers_that_are_no_list_of_models_mean_nothing() -> None:
    odd = [Poll(-5 * MS, "/api/ps", 200, body) for body in (b"", b"[", b"[]", b'{"error":"x"}')]
    records = with_polls("01-warm-short", *odd, ps(-3, "llama3.2:3b", status=500))
    assert names(seen(records)) == ["load", "unattributed", "prefill", "decode"]


# -- what the last record means ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "version"),
    [
        ("0.32.15", (0, 32, 15)),
        ("v0.33.0-rc2", (0, 33, 0)),
        ("0.0.0", None),
        ("", None),
        ("KoboldCpp 1.121 (emulating Ollama)", None),
    ],
)
def test_versions(words: str, version: tuple[int, int, int] | None) -> None:
    assert version_of(words) == version


@pytest.mark.parametrize(
    ("name", "prompt", "cached", "processed", "reliable"),
    [
        ("04a-cached-prompt-no-field", 8214, None, 8214, False),
        ("04b-cached-prompt-cached-count", 8214, 8210, 4, True),
        ("04c-cached-prompt-uncached-only", None, None, 4, True),
        ("04d-first-prompt-cached-count-zero", 31, 0, 31, True),
        ("02-cold-load", 27, None, 27, True),
        ("23-old-version-count-missing", None, None, None, None),
    ],
)
def test_what_the_prompts_count_counts_in_each_era(
    name: str, prompt: int | None, cached: int | None, processed: int | None, reliable: bool | None
) -> None:
    view = seen(with_polls(name))
    assert (view.prompt_tokens, view.cached_tokens, view.processed_tokens) == (prompt, cached, processed)
    assert (view.prefill.reliable if view.prefill.known else None) == reliable


def test_an_old_count_is_the_whole_prompt_right_after_a_load() -> None:
    run = Seen(version=(0, 30, 0), listed=False, arrived=True)
    (usage,) = [event for event in metrics(0, last(), run) if isinstance(event, Usage)]
    assert usage.prompt == 100


def test_a_quick_load_without_any_sight_of_it_proves_no_empty_cache() -> None:
    assert timings_of(last(), Seen(listed=False)).cached_unknown
    assert not timings_of(last(), Seen(listed=False, arrived=True)).cached_unknown
    assert not timings_of(
        last(load_duration=150 * MS, total_duration=1100 * MS), Seen(version=(0, 1, 40))
    ).cached_unknown


def test_invented_durations_are_none_and_that_is_said() -> None:
    view = seen(with_polls("22-emulator-fake-durations"))
    assert view.told_ns == {} and not view.prefill.known and not view.decode_engine.known
    assert "imitates" in str(view.conditions["timings_note"])
    assert (view.tokens, view.prompt_tokens, view.warnings) == (4, 12, {})


def test_an_imitation_that_counts_nothing_has_counted_no_zero() -> None:
    zeros = {"total_duration": 0, "load_duration": 0, "prompt_eval_duration": 0, "eval_duration": 0}
    body = {"done": True, "eval_count": 0, "prompt_eval_count": 0} | zeros
    assert Usage(0, None, None, None) in metrics(0, body, Seen(lines=4))
    assert Usage(0, None, 0, None) in metrics(0, body, Seen(lines=0))


@pytest.mark.parametrize("fake", [0, 1, None, -5, float("nan"), "x", True])
def test_values_that_are_no_durations_are_none(fake: object) -> None:
    durations = ("total_duration", "load_duration", "prompt_eval_duration", "eval_duration")
    told = timings_of(last(**dict.fromkeys(durations, fake)), Seen(listed=False))
    assert (told.total_ns, told.load_ns, told.prompt_ns, told.predicted_ns, told.waits) == (None,) * 4 + ((),)


def test_durations_longer_than_the_whole_are_not_believed() -> None:
    events = metrics(0, last(total_duration=500 * MS), Seen())
    assert any(isinstance(event, Oddity) and event.code == "engine_timings_implausible" for event in events)
    assert timings_of(last(total_duration=500 * MS), Seen()).prompt_ns is None
    assert timings_of(last(total_duration=899 * MS), Seen()).prompt_ns == 300 * MS  # rounding


def test_two_passes_are_told_apart_from_one() -> None:
    view = seen(with_polls("20-format-with-thinking-two-passes"))
    assert "two passes" in str(view.conditions["timings_note"])
    assert (view.tokens, view.prompt_tokens) == (None, None)
    assert not (view.decode.known or view.decode_engine.known or view.prefill.known)
    assert view.phase("prefill") is None and phase(view, "decode").provenance is Provenance.OBSERVED
    assert "timings_note" not in seen(with_polls("05-thinking-then-answer")).conditions


@pytest.mark.parametrize("model", ["gpt-oss:120b-cloud", "kimi:cloud"])
def test_a_remote_model_is_said_to_be_remote(model: str) -> None:
    request = {"path": "/api/chat", "body": {"model": model}}
    view = seen(with_polls("02-cold-load", ps(-3), ps(250), request=request))
    assert "another machine" in str(view.conditions["timings_note"])
    assert "on the machine where the model runs" in phase(view, "prefill").source
    assert names(seen(with_polls("02-cold-load", ps(-3), ps(250), request=request), 2000)) == ["waiting"]


def test_a_remote_host_in_the_records_counts_too() -> None:
    records = with_polls("01-warm-short")
    told = [
        Read(r.at_ns, r.data.replace(b'{"model"', b'{"remote_host":"https://x","model"'))
        if isinstance(r, Read)
        else r
        for r in records
    ]
    assert "another machine" in str(seen(told).conditions["timings_note"])


def test_after_a_stop_the_end_token_is_the_last_one() -> None:
    stopped, limited = seen(with_polls("01-warm-short")), seen(with_polls("06-max-tokens"))
    assert phase(stopped, "decode").end_ns == stopped.total_ns
    assert phase(limited, "decode").end_ns == round((limited.last_token.number or 0) * 1000 * MS)


# -- how it ends ---------------------------------------------------------------------------------------------


def test_a_stream_without_its_last_record_is_incomplete() -> None:
    view = seen(with_polls("07c-eof-without-done"))
    assert view.stage is Stage.FINISHED and not view.complete and view.tokens is None
    assert "ended_without_finish" in view.warnings


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("07-midstream-error", "engine_error", "unexpected EOF"),
        ("07b-midstream-error-native", "engine_error", "Compute error"),
        ("08-model-not-found", "not_found", "model 'nosuch:1b' not found"),
        ("09-server-busy", "server_busy", "maximum pending requests exceeded"),
        ("09b-thinking-unsupported", "http_error", '"llama3.2:3b" does not support thinking'),
        ("10b-prompt-too-long-native", "http_error", "400: request (7912 tokens) exceeds"),
        ("19c-openai-model-not-found", "not_found", "model 'nosuch:1b' not found"),
    ],
)
def test_errors_are_told_in_the_servers_words(name: str, kind: str, words: str) -> None:
    (failed,) = [event for event in events_of(with_polls(name)) if isinstance(event, Failed)]
    assert failed.kind.value == kind and words in failed.message


@pytest.mark.parametrize(
    "name",
    ["10b-prompt-too-long-native", "10c-prompt-too-long-truncate-false", "10d-prompt-too-long-shift-false"],
)
def test_a_prompt_that_is_too_long_comes_with_its_remedy(name: str) -> None:
    (failed,) = [event for event in events_of(with_polls(name)) if isinstance(event, Failed)]
    assert "shorter prompt" in failed.remedy


def test_a_reply_to_a_mere_load_has_no_counts() -> None:
    events = events_of(with_polls("17a-preload"))
    assert [event.reason for event in events if isinstance(event, Finish)] == ["load"]
    assert not any(isinstance(event, (Usage, Timings)) for event in events)


def test_one_whole_record_is_said_to_be_not_streamed() -> None:
    streamed = with_polls("13-tool-call-on-done-line")
    head = {"status": 200, "headers": [["Content-Type", "application/json; charset=utf-8"]]}
    whole = [Note(r.at_ns, "head", head) if isinstance(r, Note) and r.name == "head" else r for r in streamed]
    assert "not_streamed" not in seen(streamed).warnings and "not_streamed" in seen(whole).warnings


def test_the_openai_route_is_read_as_that() -> None:
    view = seen(with_polls("19d-openai-reasoning"))
    assert (str(view.reasoning), str(view.answer), view.tokens) == ("Any colour.", "Blue.", 8)
    assert not any(
        isinstance(event, Learned) and "timings_note" in event.conditions
        for event in events_of(with_polls("19a-openai-usage"))
    )
