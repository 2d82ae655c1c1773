"""exo, KoboldCpp, Lemonade, llamafiler, TGI and LMDeploy: what each tells beside the OpenAI dialect."""

import json
from dataclasses import replace

import pytest

from tests.engines.seen import MS, how, lengths, run
from tui.domain.events import Generated, Learned, Progress, Timings, Usage
from tui.domain.values import Provenance
from tui.domain.view import View
from tui.domain.wire import End, Meta, Poll, Read, Record
from tui.engines.exo import ExoTongue
from tui.engines.koboldcpp import PERF, KoboldCppTongue
from tui.engines.lemonade import STATS, LemonadeTongue
from tui.engines.llamafiler import LlamafilerTongue
from tui.engines.registry import adapter

USAGE = {"prompt_tokens": 100, "completion_tokens": 11, "prompt_tokens_details": {"cached_tokens": 40}}


def text(words: str = "a") -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": words}}]}).encode() + b"\n\n"


def chunk(**body: object) -> bytes:
    return b"data: " + json.dumps({"choices": []} | body).encode() + b"\n\n"


def seen(engine: str, *records: Record, before: Poll | None = None) -> View:
    """The end of a run: these records, then the end mark and the end."""
    meta = Meta({"engine": engine, "status": 200, "request": {"path": "/v1/chat/completions"}})
    polls = [before] if before else []
    after = [it for it in records if isinstance(it, Poll)]
    course = [it for it in records if not isinstance(it, Poll)]
    view, _ = run(
        [meta, *polls, *course, Read(3000 * MS, b"data: [DONE]\n\n"), *after, End(3001 * MS, "eof")]
    )
    return view


# -- exo --------------------------------------------------------------------------------------------------


def test_exo_tells_its_progress_in_comments() -> None:
    told = '{"model":"m","processed_tokens":64,"total_tokens":256}'
    assert ExoTongue().comment(5, f" prefill_progress {told}") == [Progress(5, 256, 0, 64, None, whole=False)]
    odd = ["keep-alive", "prefill_progress", "prefill_progress [1]", 'prefill_progress {"total_tokens":9}']
    assert [ExoTongue().comment(5, words) for words in odd] == [[]] * 4


def test_exos_prefill_begins_with_its_first_report() -> None:
    view = seen(
        "exo",
        Read(200 * MS, b': prefill_progress {"processed_tokens":0,"total_tokens":60}\n\n'),
        Read(900 * MS, b': prefill_progress {"processed_tokens":60,"total_tokens":60}\n\n'),
        Read(1000 * MS, text()),
        Read(2000 * MS, text() + chunk(usage=USAGE)),
    )
    assert lengths(view)["waiting"] == pytest.approx(200)
    assert lengths(view)["prefill"] == pytest.approx(800)
    assert how(view)["prefill"] == "observed"
    assert (view.prompt_tokens, view.cached_tokens) == (100, 40)


@pytest.mark.parametrize(("hit", "prefill_ms"), [("none", 500), ("partial", None), ("exact", None)])
def test_exos_statistics_are_a_duration_only_where_nothing_was_reused(
    hit: str, prefill_ms: float | None
) -> None:
    statistics = json.dumps({
        "prompt_tps": 200.0, "generation_tps": 10.0, "prompt_tokens": 100, "generation_tokens": 11,
        "prefix_cache_hit": hit,
    })  # fmt: skip
    view = seen(
        "exo",
        Read(1000 * MS, text()),
        Read(2000 * MS, text() + chunk(usage=USAGE) + f": generation_stats {statistics}\n\n".encode()),
    )
    assert lengths(view).get("prefill") == prefill_ms
    assert how(view).get("prefill") == ("derived" if prefill_ms else None), "it is computed from a rate"
    assert view.prefill.number is None or view.prefill.provenance is Provenance.DERIVED
    assert view.decode_engine.number is None, "a rate that is printed is not used"


# -- KoboldCpp --------------------------------------------------------------------------------------------


def perf(at_ms: int, gens: object, **more: object) -> Poll:
    body = {
        "total_gens": gens, "last_process_time": 0.4, "last_eval_time": 1.0, "last_token_count": 11,
    } | more  # fmt: skip
    return Poll(at_ms * MS, PERF, 200, json.dumps(body).encode())


def test_koboldcpps_record_is_ours_when_one_generation_was_added() -> None:
    view = seen(
        "koboldcpp", Read(1500 * MS, text()), Read(2500 * MS, text()), perf(3000, 8), before=perf(-2, 7)
    )
    assert lengths(view)["prefill"] == pytest.approx(400)
    assert how(view)["prefill"] == how(view)["decode"] == "measured"
    prefill = view.phase("prefill")
    assert prefill is not None and "the only one meanwhile" in prefill.source
    assert view.prefill.number is None, "it does not say how many tokens it had to read"
    assert view.decode_engine.number == pytest.approx(10)


@pytest.mark.parametrize(("before", "after"), [(7, 7), (7, 9), (7, 0)])
def test_koboldcpps_record_of_others_is_not_taken(before: int, after: int) -> None:
    view = seen(
        "koboldcpp",
        Read(1500 * MS, text()),
        Read(2500 * MS, text()),
        perf(3000, after),
        before=perf(-2, before),
    )
    assert "prefill" not in lengths(view)
    assert "not attributable" in str(view.conditions["timings_note"])


@pytest.mark.parametrize("told", [{"last_token_count": 300}, {"last_process_time": 30.0}])
def test_koboldcpps_record_that_does_not_fit_is_anothers(told: dict[str, object]) -> None:
    view = seen(
        "koboldcpp",
        Read(1500 * MS, text()),
        Read(2500 * MS, text() + chunk(usage=USAGE)),
        perf(3000, 8, **told),
        before=perf(-2, 7),
    )
    assert "prefill" not in lengths(view) and view.decode_engine.number is None
    assert "not attributable" in str(view.conditions["timings_note"])


def test_koboldcpps_prefill_of_no_time_is_not_told() -> None:
    read = [Read(1500 * MS, text()), Read(2500 * MS, text()), perf(3000, 8, last_process_time=0)]
    assert "prefill" not in seen("koboldcpp", *read, before=perf(-2, 7)).told_ns


def test_a_count_that_comes_after_the_stream_is_not_missing() -> None:
    view = seen(
        "koboldcpp", Read(1500 * MS, text()), Read(2500 * MS, text()), perf(3000, 8), before=perf(-2, 7)
    )
    assert view.tokens == 11 and "usage_missing" not in view.warnings


@pytest.mark.parametrize("gens", [None, "7", 7.5])
def test_koboldcpp_without_a_count_tells_nothing(gens: object) -> None:
    tongue = KoboldCppTongue()
    assert tongue.poll(perf(-2, gens)) == []
    assert tongue.poll(perf(3000, 8)) == []


def test_an_old_koboldcpp_tells_ms_a_token() -> None:
    tongue = KoboldCppTongue()
    tongue.poll(perf(-2, 7))
    (told,) = tongue.poll(perf(3000, 8, last_process_time=None, last_eval_time=None, last_eval=90.0))
    assert isinstance(told, Timings)
    assert (told.prompt_ns, told.predicted_ns, told.predicted_n) == (None, 990 * MS, 11)
    assert list(told.derived) == ["decode"]


# -- Lemonade ---------------------------------------------------------------------------------------------


def test_lemonades_statistics_are_ours_when_the_counts_are() -> None:
    usage = chunk(usage={"prompt_tokens": 100, "completion_tokens": 11})
    stats = {"input_tokens": 100, "output_tokens": 11, "cache_tokens": 40, "tokens_per_second": 9.0}
    ours = Poll(3000 * MS, STATS, 200, json.dumps(stats).encode())
    view = seen("lemonade", Read(1000 * MS, text()), Read(2000 * MS, text() + usage), ours)
    assert (view.cached_tokens, view.processed_tokens) == (40, 60)
    assert view.prefill.number is None and "prefill" not in lengths(view)
    theirs = Poll(3000 * MS, STATS, 200, json.dumps(stats | {"output_tokens": 12}).encode())
    assert seen("lemonade", Read(1000 * MS, text()), Read(2000 * MS, usage), theirs).cached_tokens is None


def test_lemonades_statistics_do_not_replace_the_timings_of_its_stream() -> None:
    tongue = LemonadeTongue()
    tongue.message(5, {"choices": [], "usage": USAGE, "timings": {"prompt_n": 60, "prompt_ms": 5.0}}, "")
    stats = {"input_tokens": 100, "output_tokens": 11, "cache_tokens": 40}
    assert tongue.poll(Poll(9, STATS, 200, json.dumps(stats).encode())) == []


# -- llamafiler -------------------------------------------------------------------------------------------


def test_llamafiler_tells_a_share_and_no_tokens() -> None:
    body = {"choices": [{"index": 0, "delta": {"role": "assistant"}}], "x_prefill_progress": 0.25}
    assert LlamafilerTongue().message(5, body, "") == [Progress(5, 1000, 0, 250, None, unit="share")]
    for odd in (-0.1, 1.5, "0.5", None):
        assert LlamafilerTongue().message(5, body | {"x_prefill_progress": odd}, "") == []
    body = {"choices": [{"index": 0, "delta": {"content": "a"}}], "x_prefill_progress": 1}
    assert LlamafilerTongue().message(5, body, "")[-1] == Generated(5, "a")


def test_a_share_is_neither_a_count_nor_a_speed() -> None:
    reads = [
        Read(at * MS, chunk(x_prefill_progress=share)) for at, share in ((200, 0), (400, 0.25), (800, 0.75))
    ]
    view = seen("llamafiler", *reads, Read(1000 * MS, text()))
    assert (view.prompt_tokens, view.cached_tokens, view.prefill_now.number) == (None, None, None)
    assert lengths(view)["prefill"] == pytest.approx(800)


# -- TGI and LMDeploy -------------------------------------------------------------------------------------


def tgi(at_ms: int, requests: int, seconds: float, steps: int, running: int = 0) -> Poll:
    lines = [
        f"tgi_batch_current_size {running}",
        "tgi_queue_size 0",
        f"tgi_request_validation_duration_sum {0.01 * requests}",
        f"tgi_request_validation_duration_count {requests}",
        f"tgi_request_queue_duration_sum {0.1 * requests}",
        f"tgi_request_queue_duration_count {requests}",
        f'tgi_batch_inference_duration_sum{{method="prefill"}} {0.3 * requests}',
        f'tgi_batch_inference_duration_count{{method="prefill"}} {requests}',
        f'tgi_batch_inference_duration_sum{{method="decode"}} {seconds}',
        f'tgi_batch_inference_duration_count{{method="decode"}} {steps}',
    ]
    return Poll(at_ms * MS, "/metrics", 200, "\n".join(lines).encode())


def without(page: Poll, name: bytes) -> Poll:
    return replace(page, body=page.body.replace(name, b"renamed"))


def of_tgi(before: Poll, after: Poll) -> View:
    reads = (Read(1000 * MS, text()), Read(2000 * MS, text() + chunk(usage=USAGE)))
    return seen("tgi", *reads, after, before=before)


def test_tgis_histograms_split_a_request_that_was_alone() -> None:
    view = of_tgi(tgi(-2, 5, 7.0, 70), tgi(3000, 6, 8.0, 80))
    told = {
        name: length for name, length in lengths(view).items() if name in ("tokenize", "queue", "prefill")
    }
    assert told == {"tokenize": pytest.approx(10), "queue": pytest.approx(100), "prefill": pytest.approx(300)}
    assert view.prefill.number == pytest.approx(60 / 0.3)
    assert set(how(view).values()) >= {"measured"}


@pytest.mark.parametrize(
    ("before", "after", "why"),
    [
        (tgi(-2, 5, 7.0, 70, running=1), tgi(3000, 6, 8.0, 80), "other requests ran when"),
        (tgi(-2, 5, 7.0, 70), tgi(3000, 7, 8.0, 80), "other requests ran meanwhile"),
        (tgi(-2, 5, 7.0, 70), tgi(3000, 5, 8.0, 80), "not counted yet"),
        (tgi(-2, 5, 7.0, 70), tgi(3000, 6, 9.0, 90), "other steps"),
        (tgi(-2, 5, 7.0, 70), tgi(3000, 1, 1.0, 10), "began anew"),
        (without(tgi(-2, 5, 7.0, 70), b"tgi_queue_size"), tgi(3000, 6, 8.0, 80), "does not tell whether"),
    ],
)
def test_tgis_histograms_are_not_taken_when_others_ran(before: Poll, after: Poll, why: str) -> None:
    view = of_tgi(before, after)
    assert "prefill" not in lengths(view)
    assert why in str(view.conditions["timings_note"])


def lmdeploy(at_ms: int, ended: int) -> Poll:
    lines = ["lmdeploy:num_requests_running 0", "lmdeploy:num_requests_waiting 0"]
    for name, seconds in (("queue", 0.2), ("prefill", 0.4), ("decode", 0.9)):
        whole = f"lmdeploy:request_{name}_time_seconds"
        lines += [f'{whole}_sum{{m="x"}} {seconds * ended}', f'{whole}_count{{m="x"}} {ended}']
    return Poll(at_ms * MS, "/metrics", 200, "\n".join(lines).encode())


def test_lmdeploys_histograms_split_a_request_that_was_alone() -> None:
    reads = (Read(1000 * MS, text()), Read(2000 * MS, text() + chunk(usage=USAGE)))
    view = seen("lmdeploy", *reads, lmdeploy(3000, 5), before=lmdeploy(-2, 4))
    assert lengths(view)["queue"] == pytest.approx(200)
    assert lengths(view)["prefill"] == pytest.approx(400)
    assert view.decode_engine.number == pytest.approx(10 / 0.9)
    two = seen("lmdeploy", *reads, lmdeploy(3000, 6), before=lmdeploy(-2, 4))
    assert "prefill" not in lengths(two) and "timings_note" in two.conditions


@pytest.mark.parametrize("engine", ["tgi", "lmdeploy"])
def test_of_a_page_of_counters_only_what_is_needed_is_kept(engine: str) -> None:
    for look in adapter(engine).looks:
        assert look.path == "/metrics" and look.keep
        assert not any(line.endswith("_bucket") for line in look.keep)


def test_a_poll_of_another_path_is_nobodys() -> None:
    for engine in ("koboldcpp", "lemonade", "tgi", "lmdeploy"):
        decoder = adapter(engine).decoder()
        decoder.decode(Meta({"status": 200}))
        assert decoder.decode(Poll(-1, "/health", 200, b"{}")) == []
        assert [e for e in decoder.decode(Read(1, chunk(usage=USAGE))) if isinstance(e, (Usage, Learned))]
