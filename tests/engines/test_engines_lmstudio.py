"""What LM Studio's named events and its OpenAI routes mean, and which of the two APIs is asked."""

import json
from dataclasses import replace

import pytest

from tests.wire.runs import CAPTURES, events_of, recording
from tui.capture.live import Live
from tui.domain.events import Done, Edge, Event, Failed, Finish, FirstSign, Generated, Progress, Usage
from tui.domain.phases import Phase
from tui.domain.values import Provenance
from tui.domain.view import View
from tui.domain.wire import End, Meta, Note, Read, Record
from tui.engines.base import Plan, Turn
from tui.engines.lmstudio_native import LmStudioTongue
from tui.engines.registry import adapter

FOLDER = CAPTURES / "lm-studio-authored"
MS = 1_000_000
PLAN = Plan(
    "google/gemma-3-4b", (Turn("system", "be brief"), Turn("user", "hi")), max_tokens=8, temperature=0.0
)


def records_of(name: str) -> list[Record]:
    meta, *rest = recording(FOLDER / f"{name}.jsonl").records
    return [meta, Note(0, "sent_all"), *rest]


def seen(records: list[Record], until_ms: float | None = None) -> View:
    """What is to be seen at the end, or at a moment of the run."""
    live = Live()
    if until_ms is None:
        live.feed(records)
        return live.view()
    live.feed([r for r in records if isinstance(r, Meta) or r.at_ns <= until_ms * MS])
    return live.view(int(until_ms * MS))


def native(*events: tuple[str, object], path: str = "/api/v1/chat", end: str = "eof") -> list[Record]:
    """A stream of named events, one read each millisecond."""
    meta = Meta({"engine": "lmstudio", "status": 200, "request": {"path": path, "body": {"model": "m"}}})
    reads = [
        Read(at * MS, f"event: {name}\ndata: {json.dumps(data)}\n\n".encode())
        for at, (name, data) in enumerate(events, start=1)
    ]
    return [meta, *reads, End((len(reads) + 1) * MS, end)]


def names(view: View) -> list[str]:
    return [phase.name for phase in view.phases]


def phase(view: View, name: str) -> Phase:
    (found,) = [phase for phase in view.phases if phase.name == name]
    return found


# -- what is asked -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("conditions", [{}, {"native_chat": True}])
def test_the_native_request_has_no_key_that_it_might_refuse(conditions: dict[str, object]) -> None:
    request = adapter("lmstudio").request(replace(PLAN, conditions=conditions))
    assert (request.method, request.path) == ("POST", "/api/v1/chat")
    assert request.body == {
        "model": "google/gemma-3-4b",
        "input": "hi",
        "system_prompt": "be brief",
        "stream": True,
        "store": False,
        "max_output_tokens": 8,
        "temperature": 0.0,
    }


def test_what_nobody_asked_for_is_left_out() -> None:
    body = adapter("lmstudio").request(Plan("m", (Turn("user", "hi"),))).body
    assert body == {"model": "m", "input": "hi", "stream": True, "store": False}


@pytest.mark.parametrize(
    "plan",
    [
        replace(PLAN, conditions={"native_chat": False}),
        replace(PLAN, seed=1),
        replace(PLAN, turns=(Turn("user", "a"), Turn("assistant", "b"), Turn("user", "c"))),
        replace(PLAN, turns=(Turn("user", "a"), Turn("user", "c"))),
        replace(PLAN, turns=(Turn("system", "a"),)),
        replace(PLAN, turns=(Turn("user", "a"), Turn("assistant", "b"))),
    ],
)
def test_what_the_native_api_cannot_say_goes_by_the_openai_route(plan: Plan) -> None:
    request = adapter("lmstudio").request(replace(plan, ignore_eos=True))
    assert request.path == "/v1/chat/completions"
    assert request.body["messages"] == [{"role": t.role, "content": t.content} for t in plan.turns]
    assert "ignore_eos" not in request.body and request.body["stream_options"] == {"include_usage": True}


# -- the native events ---------------------------------------------------------------------------------------


def test_events_open_and_close_the_phases_of_a_cold_start() -> None:
    view = seen(records_of("02-v1-cold-load"))
    assert names(view) == ["waiting", "load", "waiting", "prefill", "decode", "finish"]
    load, prefill = phase(view, "load"), phase(view, "prefill")
    assert (load.start_ns, load.duration_ns, load.provenance) == (15 * MS, 6418 * MS, Provenance.MEASURED)
    assert (prefill.start_ns, prefill.end_ns) == (6_445 * MS, 6_540_500_000)
    assert prefill.provenance is Provenance.OBSERVED
    assert (view.tokens, view.prompt_tokens, view.reasoning_tokens, view.complete) == (8, 12, 0, True)
    assert view.cached_tokens is None and view.finish_reason is None
    assert not view.prefill.known and not view.decode_engine.known  # its printed rate is no measurement


def test_a_load_is_seen_while_it_runs() -> None:
    view = seen(records_of("02-v1-cold-load"), 2000)
    assert phase(view, "load").running and view.conditions["load_share"] == 0.21


def test_progress_is_a_share_and_no_count_of_tokens() -> None:
    view = seen(records_of("03-v1-long-prompt"), 1100)
    assert phase(view, "prefill").running
    assert [(r.processed, r.total, r.unit) for r in view.reports][-1] == (187, 1000, "share")
    assert view.prompt_tokens is None and view.cached_tokens is None and view.forecast is not None
    assert seen(records_of("03-v1-long-prompt")).prompt_tokens == 8206


def test_a_long_wait_before_prefill_is_queue() -> None:
    view = seen(records_of("15-v1-wait-before-prefill"))
    assert phase(view, "queue").provenance is Provenance.ESTIMATED
    assert (phase(view, "queue").end_ns, phase(view, "prefill").start_ns) == (3421 * MS, 3421 * MS)


def test_reasoning_comes_first_and_is_counted_apart() -> None:
    view = seen(records_of("05-v1-reasoning-then-answer"))
    assert str(view.reasoning).startswith("Okay, 51") and str(view.answer) == "No: 51 = 3 × 17."
    assert (view.reasoning_tokens, view.ttft.number, view.first_answer.number) == (18, 0.1064, 0.480477)


def test_events_are_known_by_name_and_a_second_end_of_prefill_is_passed_over() -> None:
    events = events_of(records_of("13-v1-bare-payloads-double-end"))
    edges = [(e.phase, e.begins, e.at_ns) for e in events if isinstance(e, Edge)]
    assert edges == [("prefill", True, 21 * MS), ("prefill", False, 112 * MS)]
    assert sum(isinstance(event, FirstSign) for event in events) == 1
    view = seen(records_of("13-v1-bare-payloads-double-end"))
    assert phase(view, "prefill").end_ns == 112 * MS and str(view.answer) == "Hi!"


def test_the_type_stands_in_for_a_missing_name() -> None:
    tongue = LmStudioTongue()
    assert tongue.message(3, {"type": "message.delta", "content": "a"}, "") == [Generated(3, "a")]
    assert tongue.message(3, {"type": "message.delta", "content": ""}, "") == []
    assert tongue.message(3, {"type": "something.new"}, "") == []


@pytest.mark.parametrize(("told", "processed"), [(0.5, [500]), (7, [1000]), (-1, [0]), ("x", []), (None, [])])
def test_a_share_stays_within_its_whole(told: object, processed: list[int]) -> None:
    events = LmStudioTongue().message(0, {"progress": told}, "prompt_processing.progress")
    assert [event.processed for event in events if isinstance(event, Progress)] == processed


def test_a_tool_call_comes_with_name_and_arguments_and_a_second_round_changes_no_phase() -> None:
    view = seen(records_of("14-v1-tool-call"))
    assert [(tool.name, tool.arguments) for tool in view.tools] == [("forecast", '{"city": "Oslo"}')]
    assert view.ttft.number == 0.521 and phase(view, "prefill").end_ns == 355 * MS
    assert view.reports[-1].at_ns == 354 * MS


def test_the_count_may_hold_an_end_token_where_no_reason_is_told() -> None:
    assert not seen(records_of("01-v1-warm-short")).decode.reliable


def test_the_model_that_answers_is_named() -> None:
    view = seen(native(("chat.start", {"model_instance_id": "m:2"})))
    assert view.conditions["model"] == "m:2"


def test_text_that_comes_only_with_the_end_is_not_lost() -> None:
    output = [{"type": "reasoning", "content": "hm"}, {"type": "message", "content": "Late"}]
    stats = {"input_tokens": 5, "total_output_tokens": 4}
    end = {"type": "chat.end", "result": {"output": output, "stats": stats}}
    late = LmStudioTongue().message(900, end, "chat.end")
    assert late[0] == Generated(900, "Late", "hm") and late[-1] == Done(900)
    tongue = LmStudioTongue()
    tongue.message(800, {"content": "Late"}, "message.delta")
    assert not any(isinstance(event, Generated) for event in tongue.message(900, end, "chat.end"))


def test_zeros_of_a_failed_run_count_nothing() -> None:
    events = LmStudioTongue().message(
        0, {"result": {"stats": {"input_tokens": 0, "total_output_tokens": 0}}}, "chat.end"
    )
    assert events == [Done(0)]


def test_a_result_that_was_not_streamed_is_read() -> None:
    (end,) = [
        r for r in records_of("05-v1-reasoning-then-answer") if isinstance(r, Read) and b"chat.end" in r.data
    ]
    result = json.loads(end.data.split(b"data: ")[1])["result"]
    meta = {"engine": "lmstudio", "status": 200, "request": {"path": "/api/v1/chat"}}
    view = seen([Meta(meta), Read(5, json.dumps(result).encode()), End(6, "eof")])
    assert (str(view.answer), view.tokens, view.reasoning_tokens) == ("No: 51 = 3 × 17.", 31, 18)
    assert "not_streamed" in view.warnings and view.complete
    assert LmStudioTongue().whole(0, {"lmstudio": True}) == []


# -- how it ends ---------------------------------------------------------------------------------------------


def test_an_error_event_fails_the_run_but_what_follows_still_counts() -> None:
    view = seen(records_of("07-v1-midstream-error"))
    assert view.failure is not None and view.failure.message.endswith("The model crashed while generating.")
    assert (str(view.answer), view.tokens, view.complete) == ("Once upon a time, a fox", 7, False)
    late = native(
        ("message.delta", {"content": "a"}),
        ("error", {"type": "error", "error": {"message": "no tool"}}),
        ("message.delta", {"content": "b"}),
        ("chat.end", {"result": {}}),
    )
    assert str(seen(late).answer) == "ab" and seen(late).failure is not None


@pytest.mark.parametrize(
    "data", [{}, {"type": "error", "message": "gone"}, {"type": "error", "error": {"code": "x"}}]
)
def test_an_error_event_of_any_shape_is_one(data: object) -> None:
    failures = [event for event in events_of(native(("error", data))) if isinstance(event, Failed)]
    assert [failed.kind.value for failed in failures] == ["engine_error"]


def test_a_stream_without_chat_end_is_incomplete() -> None:
    view = seen(native(("chat.start", {}), ("message.delta", {"content": "a"})))
    assert not view.complete and "ended_without_finish" in view.warnings


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("07b-v1-error-before-text", "engine_error", "does not fit into the context"),
        ("08-v1-model-not-found", "not_found", 'Invalid model identifier "nosuch-1b"'),
        ("08b-v1-unrecognized-key", "http_error", "'ttl'"),
        ("09-auth-401", "auth", "refused the key"),
        ("10-unknown-endpoint-200", "engine_error", "Unexpected endpoint or method. (POST /api/v1/chat)"),
        ("22-openai-context-overflow-200", "engine_error", "context size of the model was exceeded"),
    ],
)
def test_errors_are_told_once_in_the_servers_words(name: str, kind: str, words: str) -> None:
    (failed,) = [event for event in events_of(records_of(name)) if isinstance(event, Failed)]
    assert failed.kind.value == kind and words in failed.message


def test_remedies_for_a_long_prompt_and_an_old_server() -> None:
    def remedy(name: str) -> str:
        return next(event.remedy for event in events_of(records_of(name)) if isinstance(event, Failed))

    assert "shorter prompt" in remedy("07b-v1-error-before-text")
    assert "shorter prompt" in remedy("22-openai-context-overflow-200")
    assert "older server" in remedy("10-unknown-endpoint-200")


# -- the OpenAI routes ---------------------------------------------------------------------------------------


def v0(stop_reason: str) -> list[Event]:
    """The events of a v0 stream that ends with this reason in its stats."""
    chunk = {
        "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
        "stats": {"stop_reason": stop_reason},
    }
    return events_of(native(("", chunk), path="/api/v0/chat/completions"))


def test_the_older_route_tells_of_the_model_but_its_durations_are_not_taken() -> None:
    view = seen(records_of("30-v0-stream-with-stats"))
    assert view.conditions["quantization"] and view.conditions["context_length"]
    assert (view.tokens, view.prompt_tokens, view.told_ns, view.complete) == (3, 13, {}, True)
    plain = seen(records_of("31-v0-stream-without-stats"))
    assert (plain.tokens, plain.complete, set(plain.warnings)) == (None, True, {"usage_missing"})


def test_stop_reasons_that_no_finish_reason_tells() -> None:
    assert any(getattr(event, "code", "") == "stopped_by_context" for event in v0("contextLengthReached"))
    assert any(isinstance(event, Failed) for event in v0("modelUnloaded"))
    assert not any(isinstance(event, Failed) for event in v0("eosFound"))


def test_no_text_for_a_prompt_beyond_the_context_says_why() -> None:
    meta, *rest = records_of("23-openai-zero-deltas-200")
    assert isinstance(meta, Meta)
    view = seen([Meta(dict(meta.fields) | {"conditions": {"context_length": 4096}}), *rest])
    assert view.warnings["empty_output"].endswith("the prompt of 36211 tokens fills the context of 4096")


def test_the_openai_route_is_read_as_that() -> None:
    events = events_of(records_of("24-openai-reasoning-content"))
    assert [event.reason for event in events if isinstance(event, Finish)] == ["stop"]
    assert any(isinstance(event, Usage) and event.reasoning == 4 for event in events)
