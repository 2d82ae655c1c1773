"""All that the machine says about one request: estimates, what is kept in memory, and the verdicts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.app.machines import KNOBS, MACHINES, script
from tests.domain.headers import LLAMA_8B
from tui.domain.gguf import Weight
from tui.domain.gguf_shape import shape_of
from tui.domain.insight import Insight, insight
from tui.domain.look import look
from tui.domain.machine import Gpu, Reading, Server
from tui.domain.phases import Phase
from tui.domain.reduce import reduce
from tui.domain.shape import ModelShape, shape_raw
from tui.domain.state import State
from tui.domain.values import Provenance, Value
from tui.domain.view import Stage, View

MS = 1_000_000
SECOND = 1000 * MS
FILE = 4_920_734_272
SHAPE = shape_of(
    LLAMA_8B,
    (
        Weight("token_embd.weight", 525_336_576, 295_501_824),
        Weight("output.weight", 7_504_663_424, 4_625_232_448),
    ),
    FILE,
)
PREFILL, DECODE = (0, 520 * MS), (520 * MS, 8520 * MS)


def reading(at_ns: int, **more: Any) -> Reading:
    t = at_ns / SECOND
    gpu = Gpu(
        name="NVIDIA GeForce RTX 4090",
        uuid="a",
        util_pct=97.0,
        power_w=312.0,
        power_limit_w=450.0,
        energy_mj=round((100 + t) * 312_000),
        mem_used_bytes=round(8e9),
        mem_total_bytes=round(24e9),
        server_bytes=round(7e9),
    )
    whole = Reading(at_ns, cpu_cores=16, gpus=(gpu,), server=Server(pid=7, cpu_s=t, read_bytes=0, threads=9))
    return replace(whole, **more)


def ran(readings: list[Reading] | None = None, conditions: dict[str, Any] | None = None, **more: Any) -> View:
    """4096 tokens read in 0.52 s, then 1024 written at 128 a second, on an RTX 4090."""
    measured = Provenance.MEASURED
    if readings is None:
        readings = [reading(i * 100 * MS) for i in range(-20, 110)]
    told = {"engine": "llama.cpp", "context_length": 8192, "slots": 1, "shape": shape_raw(SHAPE)}
    whole = View(
        now_ns=DECODE[1],
        conditions=told | (conditions or {}),
        phases=(Phase("prefill", *PREFILL, measured, ""), Phase("decode", *DECODE, measured, "")),
        told_ns={"prefill": PREFILL[1], "decode": DECODE[1] - DECODE[0]},
        decode_engine=Value(128.0, "tok/s", measured),
        prompt_tokens=4096,
        cached_tokens=0,
        processed_tokens=4096,
        tokens=1024,
        samples=readings,
    )
    return replace(whole, **more)


def test_a_dense_model_on_a_listed_card() -> None:
    told = insight(ran())
    assert told.bandwidth.number == pytest.approx((4_625_232_448 + (4096 + 512) * 131072) * 128 / 1e9)
    assert told.bandwidth_pct.number == pytest.approx(66.4, abs=0.1)
    assert told.flops_pct.provenance is Provenance.ESTIMATED
    assert told.decode_verdict is not None and told.decode_verdict.word == "bandwidth-bound"
    assert told.decode_verdict.evidence == "≈ 669 of 1008 GB/s = 66 %"
    assert (told.stored.used.number, told.stored.reserved.number) == (5120 * 131072, 8192 * 131072)
    assert told.stored.headroom.number == 8192 - 5120
    assert told.split.offload.number == 0.0
    assert told.ridge.number is not None and 40 < told.ridge.number < 60
    assert told.joules_per_token.number == pytest.approx(8 * 312 / 1024)
    assert told.tokens_per_wh.number == pytest.approx(3600 / (8 * 312 / 1024))


def test_arithmetic_of_the_prefill_by_the_engines_own_time() -> None:
    params = replace(SHAPE, params=8_030_000_000, active_params=8_030_000_000)
    told = insight(ran(conditions={"shape": shape_raw(params)}))
    assert told.flops.number == pytest.approx(135.0, abs=0.1)
    assert told.flops_pct.number == 80.0
    assert told.prefill_verdict is not None
    assert told.prefill_verdict.line == "compute-bound: ≈ 80 % of the arithmetic peak"
    assert insight(ran(told_ns={})).flops.number is None


def test_the_two_phases_get_a_verdict_each() -> None:
    told = insight(ran(conditions={"shape": {}}))
    assert told.decode_verdict is not None and told.prefill_verdict is not None
    assert told.decode_verdict.line == "unclear: GPU 97 %, power 69 % of its limit"
    assert told.prefill_verdict.word == "unclear"
    assert told.bandwidth.number is None and "not known" in told.bandwidth.note


def test_a_request_to_another_machine_gets_no_estimate_and_no_verdict() -> None:
    readings = [reading(i * 100 * MS, remote=True, server=None) for i in range(-20, 110)]
    told = insight(ran(readings))
    for verdict in (told.prefill_verdict, told.decode_verdict):
        assert verdict is not None and verdict.line == "no verdict: server is on another machine"
    figures = [getattr(told, name) for name in Insight.__dataclass_fields__]
    figures += [getattr(told.stored, name) for name in told.stored.__dataclass_fields__]
    values = [one for one in figures if isinstance(one, Value)]
    assert len(values) > 10
    assert all(one.number is None and one.note == "server is on another machine" for one in values)


def test_experts_that_are_not_known_print_no_number() -> None:
    experts = replace(SHAPE, experts=32, experts_used=4, weight_bytes=None)
    told = insight(ran(conditions={"shape": shape_raw(experts)}))
    assert (told.bandwidth.number, told.bandwidth_pct.number) == (None, None)
    assert "mixture of experts" in told.bandwidth.note


def test_an_estimate_above_the_peak_prints_its_reason() -> None:
    told = insight(ran(decode_engine=Value(400.0, "tok/s", Provenance.MEASURED)))
    assert (told.bandwidth.number, told.bandwidth_pct.number) == (None, None)
    assert "% of the peak" in told.bandwidth.note
    assert told.decode_verdict is not None and told.decode_verdict.word == "unclear"


def test_tokens_that_were_guessed_ahead_take_no_pass_of_their_own() -> None:
    alone = insight(ran()).bandwidth.number
    guessed = insight(ran(accepted_tokens=512)).bandwidth.number
    assert alone is not None and guessed == pytest.approx(alone / 2)
    untold = insight(ran(conditions={"speculative": True})).bandwidth
    assert untold.number is None and "speculative" in untold.note


def test_a_shape_read_once_stays_when_its_reading_is_thinned_out() -> None:
    whole = ran([reading(i * 100 * MS, model=SHAPE if i == 5 else None) for i in range(60)], {"shape": {}})
    first = insight(whole)
    assert first.shape == SHAPE
    later = replace(whole, samples=[one for one in whole.samples if one.model is None])
    assert insight(later, first).shape == SHAPE


def test_what_the_gpu_counts_itself_replaces_the_estimate() -> None:
    readings = [
        replace(one, gpus=(replace(one.gpus[0], dram_pct=71.0),))
        for one in (reading(i * 100 * MS) for i in range(-20, 110))
    ]
    told = insight(ran(readings))
    assert (told.bandwidth_pct.number, told.bandwidth_pct.provenance) == (
        pytest.approx(71.0),
        Provenance.MEASURED,
    )


def test_the_header_of_the_model_file_goes_before_the_engines_word() -> None:
    read = ModelShape("llama", layers=2, experts=0, weight_bytes=1000, file_bytes=1100)
    readings = [reading(i * 100 * MS, model=read if i == 0 else None) for i in range(-20, 110)]
    assert insight(ran(readings)).shape == read


def test_a_split_model_is_judged_by_its_slow_part() -> None:
    host = {"memory": "64 GiB, DDR5-5600 x2"}
    readings = [
        reading(i * 100 * MS, host=host, server=Server(pid=7, cpu_s=8.2 * i / 10, threads=9))
        for i in range(-20, 110)
    ]
    readings = [replace(one, gpus=(replace(one.gpus[0], util_pct=20.0),)) for one in readings]
    told = insight(ran(readings, {"gpu_share": 0.5}))
    assert told.split.offload.number == 50.0
    assert told.split.ceiling.number == pytest.approx(1 / (2.3126 / 1008 + 2.3126 / 89.6), rel=1e-3)
    assert told.bandwidth_pct.number is None and "split" in told.bandwidth_pct.note
    assert told.decode_verdict is not None
    assert told.decode_verdict.line == "offload: 50 % of the weights in RAM cost 92 % of the time"


def test_paging_in_decode_is_the_verdict_of_decode_alone() -> None:
    readings = [
        reading(i * 100 * MS, server=Server(pid=7, read_bytes=max(i - 5, 0) * 200_000_000))
        for i in range(-20, 110)
    ]
    told = insight(ran(readings))
    assert told.decode_verdict is not None and told.decode_verdict.word == "disk-bound"
    assert told.decode_verdict.evidence == "2.0 GB/s from disk during decode, model does not stay in RAM"
    assert [mark.word for mark in told.moments.marks] == ["PAGING"]


def test_a_server_killed_after_its_last_token_is_the_verdict_of_decode() -> None:
    alive = [reading(i * 100 * MS, oom_kills=0) for i in range(-20, 86)]
    gone = [reading(i * 100 * MS, oom_kills=1, server=None) for i in range(86, 100)]
    told = insight(ran([*alive, *gone]))
    assert told.decode_verdict is not None and told.decode_verdict.word == "OOM-killed"
    assert told.prefill_verdict is not None and told.prefill_verdict.word != "OOM-killed"


def test_a_server_killed_in_decode_does_not_change_what_the_prefill_was() -> None:
    alive = [reading(i * 100 * MS, oom_kills=0) for i in range(-20, 12)]
    gone = [reading(i * 100 * MS, oom_kills=1, server=None) for i in range(12, 30)]
    told = insight(ran([*alive, *gone]))
    assert told.decode_verdict is not None and told.decode_verdict.word == "OOM-killed"
    assert told.prefill_verdict is not None and told.prefill_verdict.word != "OOM-killed"


def test_a_processor_alone_is_judged_by_its_threads_and_by_the_memory_that_is_told() -> None:
    def alone(i: int, **host: str) -> Reading:
        server = Server(pid=7, cpu_s=1.98 * i / 10, threads=9, read_bytes=0)
        return reading(i * 100 * MS, gpus=(), cpu_cores=2, server=server, host=host)

    told = insight(ran([alone(i) for i in range(-20, 110)]))
    assert told.decode_verdict is not None
    assert told.decode_verdict.line == "CPU-bound: CPU 198 % on 2 threads, no GPU read"
    assert told.bandwidth.number is not None and told.bandwidth_pct.number is None
    slow = ran(
        [alone(i, memory="DDR4-3200 x2") for i in range(-20, 110)],
        decode_engine=Value(7.0, "tok/s", Provenance.MEASURED),
    )
    assert insight(slow).bandwidth_pct.number == pytest.approx(71.5, abs=0.1)


def test_going_on_equals_starting_over() -> None:
    whole = ran()
    early = insight(replace(whole, samples=whole.samples[:60]))
    assert insight(whole, early) == insight(whole)


def test_a_load_is_told_by_its_rate_or_by_the_page_cache() -> None:
    load = Phase("load", -1500 * MS, 0, Provenance.MEASURED, "")

    def loading(per_100ms: int) -> View:
        readings = [
            reading(i * 100 * MS, server=Server(pid=7, read_bytes=(i + 20) * per_100ms))
            for i in range(-20, 110)
        ]
        view = ran(readings)
        return replace(view, phases=(load, *view.phases))

    assert insight(loading(250_000_000)).load_rate.number == pytest.approx(2.5e9)
    cached = insight(loading(0)).load_rate
    assert (cached.number, cached.note) == (0, "from page cache")
    assert insight(ran()).load_rate.number is None


def test_an_engine_whose_cache_grows_has_headroom_by_its_free_memory() -> None:
    told = insight(ran(conditions={"engine": "mlx-lm", "context_length": None}))
    assert told.stored.headroom.number == int(16e9 / 131072)
    assert told.stored.reserved.number is None
    assert insight(ran(conditions={"engine": "vllm"})).stored.headroom.number is None


def test_a_cache_type_that_is_not_told_is_said_to_be_assumed() -> None:
    assumed = insight(ran()).stored.used
    assert "f16 assumed" in assumed.note
    told = insight(ran(conditions={"cache_type_k": "f16", "cache_type_v": "f16"})).stored.used
    assert told.number == assumed.number and told.note.endswith("f16/f16")


def test_a_pool_that_the_engine_tells_is_what_it_reserves() -> None:
    reserved = insight(ran(conditions={"engine": "vllm", "kv_bytes": 5 * 10**9})).stored.reserved
    assert (reserved.number, reserved.provenance) == (5 * 10**9, Provenance.MEASURED)
    assert insight(ran(conditions={"engine": "vllm"})).stored.reserved.number is None


def test_a_request_that_has_not_begun_has_nothing() -> None:
    told = insight(View())
    assert (told.prefill, told.decode, told.prefill_verdict, told.decode_verdict) == (None,) * 4
    assert told.stored.used.number is None
    assert told.moments.marks == ()


def test_a_prefill_that_is_long_over_is_not_counted_again_while_the_answer_is_written() -> None:
    phases = (
        Phase("prefill", *PREFILL, Provenance.MEASURED, ""),
        Phase("decode", *DECODE, Provenance.OBSERVED, "", running=True),
    )
    readings = [reading(i * 100 * MS) for i in range(-20, 110)]
    running = ran(readings, stage=Stage.DECODING, phases=phases)
    early = insight(replace(running, samples=readings[:35]))
    first = insight(running, early)
    assert first.prefill is not early.prefill, "its last readings were still to come"
    later = insight(replace(running, samples=[*readings, reading(11 * SECOND)]), first)
    assert later.prefill is first.prefill
    moved = (Phase("prefill", 0, 600 * MS, Provenance.MEASURED, ""), phases[1])
    assert insight(replace(running, phases=moved), first).prefill != first.prefill


def test_a_settled_cost_stays_when_the_readings_are_thinned_out_and_not_when_time_goes_back() -> None:
    readings = [
        replace(one, gpus=(replace(one.gpus[0], util_pct=float(i * i % 97)),))
        for i, one in enumerate(reading(i * 100 * MS) for i in range(-20, 110))
    ]
    long = (Phase("prefill", 0, 5 * SECOND, Provenance.MEASURED, ""), Phase("decode", 5 * SECOND, DECODE[1],
            Provenance.MEASURED, ""))  # fmt: skip
    whole = ran(readings, phases=long)
    first = insight(whole)
    thinned = replace(whole, samples=[*readings[:1], *readings[2:-1:2], readings[-1]])
    assert insight(thinned, first).prefill is first.prefill
    assert insight(thinned).prefill != first.prefill
    back = replace(whole, samples=readings[:60])
    assert insight(back, first) == insight(back)


@pytest.mark.parametrize("name", MACHINES)
def test_going_on_step_by_step_equals_starting_over_on_every_machine(name: str) -> None:
    state, told = State(), None
    for n, event in enumerate(script(MACHINES[name], tokens=256)(KNOBS)):
        state = reduce(state, event)
        if state.samples and n % 60 == 0:
            view = look(state)
            told = insight(view, told)
            assert told == insight(view)
    assert told is not None and told.decode is not None
