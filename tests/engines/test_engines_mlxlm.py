"""MLX-LM: its head begins the prefill, its comments count new tokens, and nothing else is claimed."""

import json

import pytest

from tests.engines.seen import MS, how, lengths, records_of, run
from tui.capture.live import Live
from tui.domain.events import ErrorKind, Event, Finish, FirstSign, Learned, Progress
from tui.domain.values import Provenance
from tui.domain.view import Stage
from tui.domain.wire import Note, Read
from tui.engines.base import Plan, Turn
from tui.engines.mlxlm import MlxLmTongue
from tui.engines.registry import adapter

PLAN = Plan("default_model", (Turn("user", "u"),), max_tokens=8)
LONG = "mlx-lm/10-chat-long-prefill"


def reports(events: list[Event]) -> list[tuple[int, int]]:
    return [(it.processed, it.total) for it in events if isinstance(it, Progress)]


def test_the_request_names_no_model_and_no_seed_unless_it_was_asked_for() -> None:
    body = json.loads(adapter("mlx-lm").request(PLAN).data)
    assert body == {
        "model": "default_model",
        "messages": [{"role": "user", "content": "u"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 8,
    }
    assert adapter("mlx-lm").request(Plan("", PLAN.turns)).body["model"] == "default_model"
    named = adapter("mlx-lm").request(Plan("org/other", PLAN.turns, seed=3)).body
    assert (named["model"], named["seed"]) == ("org/other", 3)


def test_the_wait_ends_with_the_head_and_is_not_divided() -> None:
    view, events = run(records_of(LONG))
    assert lengths(view)["waiting"] == pytest.approx(3.5, abs=0.1)
    assert lengths(view)["prefill"] == pytest.approx(98_947, abs=1)
    assert how(view)["prefill"] == "observed"
    waiting = view.phase("waiting")
    assert waiting is not None and "load, queue and tokenize" in waiting.source
    assert reports(events) == [(256, 887), (512, 887), (768, 887), (886, 887), (887, 887)]
    assert all(not it.whole and it.engine_ns is None for it in events if isinstance(it, Progress))


def test_counts_come_from_the_end_and_not_from_the_comments() -> None:
    view, _ = run(records_of(LONG))
    assert (view.prompt_tokens, view.cached_tokens, view.tokens) == (911, 24, 8)
    assert view.prefill.number is None, "it tells no duration of the prefill"
    cached, events = run(records_of("mlx-lm/11b-chat-long-partial-cache"))
    assert (cached.prompt_tokens, cached.cached_tokens) == (915, 905)
    assert reports(events)[-1] == (10, 10)


@pytest.mark.parametrize(
    ("name", "least_ms"), [("14b-queue-second", 2_000), ("14c-queue-seeded-behind-batch", 4_000)]
)
def test_time_behind_other_requests_lies_before_the_head(name: str, least_ms: float) -> None:
    view, _ = run(records_of(f"mlx-lm/{name}"))
    assert lengths(view)["waiting"] > least_ms
    assert "queue" not in lengths(view), "it could as well be a load"


def test_a_comment_that_is_no_progress_says_nothing() -> None:
    tongue = MlxLmTongue()
    odd = ["keepalive", "keepalive 5/4", "keepalive 0/0", "keepalive -1/4", "keepalive 1/4 x", "ping"]
    assert [tongue.comment(5, words) for words in odd] == [[]] * len(odd)
    assert tongue.comment(5, "keepalive 0/4") == [Progress(5, 4, 0, 0, None, whole=False)]


def test_a_first_chunk_without_text_is_a_first_token() -> None:
    body = {"choices": [{"index": 0, "delta": {"role": "assistant"}, "finish_reason": "stop"}]}
    assert MlxLmTongue().message(5, body, "") == [FirstSign(5), Finish(5, "stop")]


def test_the_version_is_learned_and_the_system_is_not() -> None:
    tongue = MlxLmTongue()
    tongue.begin({})
    body = {"system_fingerprint": "0.32.2-0.32.4-Linux-6.1-secret", "choices": []}
    assert tongue.message(5, body, "") == [Learned(5, {"engine_version": "0.32.2"})]
    assert tongue.message(6, body, "") == []


def test_a_stream_that_closes_without_an_end_mark_is_cut() -> None:
    view, _ = run(records_of("mlx-lm/17-server-killed"))
    assert not view.complete and "ended_without_finish" in view.warnings


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("06a-unknown-endpoint", ErrorKind.NOT_FOUND, "Not Found"),
        ("06e-unknown-model", ErrorKind.NOT_FOUND, "Cannot find an appropriate cached snapshot"),
        ("06h-empty-messages", ErrorKind.NOT_FOUND, "empty conversation"),
        ("06d2-max-tokens-0", ErrorKind.HTTP_ERROR, "max_tokens must be at least 1"),
    ],
)
def test_errors_are_told_in_its_words(name: str, kind: ErrorKind, words: str) -> None:
    view, _ = run(records_of(f"mlx-lm/{name}"))
    assert view.failure is not None and view.failure.kind is kind
    assert words in view.failure.message
    assert view.phase("prefill") is None, "a refusal is no beginning of work"


def test_while_it_reads_speed_and_forecast_come_from_arrivals() -> None:
    live = Live()
    records = records_of(LONG)
    last = next(n for n, it in enumerate(records) if isinstance(it, Read) and b"768/887" in it.data)
    live.feed(records[: last + 1])
    at_ns = records[last].at_ns  # type: ignore[union-attr]
    view = live.view(at_ns)
    head_ns = next(it.at_ns for it in records if isinstance(it, Note) and it.name == "head")
    assert (view.stage, view.prefill_start_ns) == (Stage.PREFILL, head_ns)
    assert view.prefill_now.provenance is Provenance.OBSERVED
    before = view.reports[-2]
    assert view.prefill_now.number == pytest.approx(256e9 / (at_ns - before.at_ns))
    assert view.forecast is not None and not view.forecast.bound
    assert view.forecast.total_ns + head_ns == pytest.approx(98_950 * MS, rel=0.2)
    assert view.read_now == 768
    assert 768 < live.view(at_ns + 5_000 * MS).read_now <= 887


def test_a_run_against_a_real_server_is_whole() -> None:
    view, events = run(records_of("own/mlx-lm-plain-256"))
    assert reports(events)[0] == (19, 277) and reports(events)[-1] == (277, 277)
    assert (view.complete, view.tokens, view.prompt_tokens, view.cached_tokens) == (True, 16, 277, 0)
    assert view.conditions["engine_version"] == "0.32.2"
    assert lengths(view)["waiting"] == pytest.approx(9.0, abs=0.1)
    assert lengths(view)["prefill"] == pytest.approx(26_667, abs=1)
    assert view.prefill_now.number == pytest.approx(12.5, abs=0.1), "not the last report's single token"
