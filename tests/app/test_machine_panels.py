"""The panels of the machine: what stands in them on each kind of computer, and what is never claimed."""

import re
from dataclasses import replace

import pytest

from tests.app.conftest import Watch, Watched
from tests.app.machines import KNOBS, MACHINES, nvidia, rtx4090, script
from tests.app.scripted import MS, S, ScriptedSession
from tui.app.insights import Insights
from tui.domain.machine import Reading

SCENARIOS = (
    "rtx4090_normal", "rtx4060_laptop", "mig_slice_container", "wsl2_rtx4070ti", "gb10_dgx_spark",
    "no_driver",
    "driver_not_loaded", "driver_mismatch", "gpu_lost_mid_run", "eight_h100", "throttling", "slow_nvml",
)  # fmt: skip
SIZES = ((120, 36), (80, 24), (160, 45), (70, 20), (40, 12))
WHOLE_S = 9.0


async def ran(at: Watched, seconds: float = WHOLE_S) -> str:
    """The text of the screen so many seconds after sending."""
    await at.press("enter")
    at.clock.now_ns += round(seconds * S)
    await look(at)
    return at.text


async def look(at: Watched) -> None:
    """A frame for every panel."""
    at.desk.pump.touch()
    await at.frame()


def side(at: Watched, panel: str) -> str:
    """What stands in a panel, as text in one line."""
    box = next(one for one in at.desk.panels if one.id == panel)
    region = box.region
    rows = [row[region.x : region.right].strip() for row in at.rows[region.y : region.bottom]]
    return " ".join(" ".join(rows).split())


@pytest.mark.parametrize("name", SCENARIOS)
async def test_every_driver_is_shown_without_a_zero_for_what_it_does_not_tell(
    watch: Watch, session: ScriptedSession, name: str
) -> None:
    session.script = script(nvidia(name, from_s=0.5))
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        for size in SIZES:
            await at.pilot.resize_terminal(*size)
            await at.frame()
            assert max(map(len, at.rows)) <= size[0]
        await at.pilot.resize_terminal(120, 36)
        await at.frame()
        shown = side(at, "gpu")
        now = at.desk.pump.scene.pressure.latest
        assert now is not None
        for gpu in now.gpus[:1]:
            assert ("use –" in shown) == (gpu.util_pct is None) or len(now.gpus) > 1
            assert gpu.power_w is not None or "W" not in re.findall(r"\d+ (W)\b", shown)
        if not now.gpus:
            words = now.gpu_reason.split(":")[0]
            assert words in shown and shown.startswith("─ cpu")


@pytest.mark.parametrize("name", MACHINES)
async def test_every_machine_fits_every_size(watch: Watch, session: ScriptedSession, name: str) -> None:
    session.script = script(MACHINES[name])
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        for size in ((120, 36), (80, 24), (40, 12)):
            await at.pilot.resize_terminal(*size)
            for key in "345":
                await at.frame()
                assert max(map(len, at.rows)) <= size[0]
                await at.press(key)
                assert max(map(len, at.rows)) <= size[0]
                await at.press("escape")


async def test_a_card_that_decodes_at_its_bandwidth(watch: Watch, session: ScriptedSession) -> None:
    session.script = script(rtx4090)
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        shown = side(at, "gpu")
        assert "RTX 4090" in shown and "312/450 W" in shown and "20.0/24.0 G" in shown
        assert "prefill 99 % 446 W 273 mJ/tok" in shown
        assert "decode 97 % 312 W 2.49 J/tok" in shown
        assert shown.endswith("decode ≈ bandwidth-bound: 64 %")
        await at.press("4")
        shown = side(at, "gpu")
        assert "prefill compute-bound: GPU 99 %, power 99 % of its limit" in shown
        assert "≈ 649 of 1,008 GB/s = 64 %" in shown
        assert "1,275 J of GPU energy" in shown and "1,446 tokens per Wh" in shown
        assert "NVIDIA architecture white paper" in shown and "all weights on the GPU" in shown
        assert "66 °C (18 below its limit)" in shown and "1 other process 1.00 GiB" in shown
        assert "power cap" in shown


async def test_the_cache_is_computed_and_stands_beside_what_is_reserved(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = script(rtx4090)
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        assert "KV ≈ 0.56/2.00 GiB" in side(at, "memory")
        await at.press("3")
        shown = side(at, "memory")
        assert "128 KiB a token · GPU memory did not grow" in shown
        assert "11,776 tokens · left of the context" in shown
        assert "own 410 MiB · mapped files 819 MiB" in shown and "process 4242" in shown


@pytest.mark.parametrize("size", [(120, 36), (80, 24)])
async def test_a_model_that_does_not_stay_in_ram_is_paging_although_the_ram_looks_healthy(
    watch: Watch, session: ScriptedSession, size: tuple[int, int]
) -> None:
    session.script = script(MACHINES["paging"])
    async with watch(size, KNOBS) as at:
        text = await ran(at)
        assert "PAGING ✖" in text and "21.5/62.7 G" in text
        assert "✖ PAGING 2.1 GB/s from disk" in next(row for row in at.rows if row.strip().startswith("gpu "))
        if size[0] == 120:
            assert "why 2.1 GB/s from disk" in side(at, "memory")
            assert "✖ disk-bound: 2.1 GB/s" in side(at, "gpu")
        await at.press("4")
        assert "disk-bound: 2.1 GB/s from disk during decode, model does not stay in RAM" in side(at, "gpu")
        await at.press("escape", "3")
        assert "PAGING" in side(at, "memory") and "GB/s" in side(at, "memory")


@pytest.mark.parametrize(
    ("name", "pool", "part"),
    [
        ("m4_max", "46.0/64.0 G", "37.2 of budget 48.0 GiB"),
        ("strix_halo", "71.4/128 G", "62.0 GiB in it"),
        ("gb10", "71.4/120 G", "62.0 GiB in it"),
    ],
)
async def test_unified_memory_is_one_pool_and_the_gpus_part_is_inside(
    watch: Watch, session: ScriptedSession, name: str, pool: str, part: str
) -> None:
    session.script = script(MACHINES[name])
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        shown = side(at, "memory")
        assert f"{pool} GPU {part}" in shown
        assert "VRAM" not in side(at, "gpu")
        assert "╍" in shown, "what is used beside the GPU's part"
        assert ("│" in shown) == ("budget" in part)


@pytest.mark.parametrize("size", [(120, 36), (160, 45), (80, 24)])
async def test_with_the_server_elsewhere_there_is_no_verdict_and_the_panels_say_whose_they_are(
    watch: Watch, session: ScriptedSession, size: tuple[int, int]
) -> None:
    session.script = script(MACHINES["remote"])
    async with watch(size, KNOBS) as at:
        text = await ran(at)
        if size[0] >= 120:
            whose = "this computer, not the server" if size[0] == 160 else "not the server's"
            assert f"memory · {whose}" in text and f"gpu · {whose}" in text
            assert "server is on another machine" in text
        assert "this computer, not the server" in text
        for word in ("bound", "OK ●", "KV", "J/tok", "power cap"):
            assert word not in text, word
        await at.press("4")
        assert "GB/s =" not in at.text and "this computer, not the server" in at.text


async def test_a_computer_without_a_gpu_has_a_panel_of_its_processor(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = script(MACHINES["processor"])
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        shown = side(at, "gpu")
        assert "cpu · no GPU used" in shown and "1.98/2" in shown and "2.8 GHz" in shown
        assert "decode 198 % server 196 %" in shown and shown.endswith("CPU-bound: CPU 196 %")
        await at.press("4")
        shown = side(at, "gpu")
        assert "decode CPU-bound: CPU 196 % on 2 threads, no GPU read" in shown
        assert "DDR4-3200 x2: 51 GB/s" in shown
        assert "the estimate is 1268 % of the peak, so it is wrong" in shown and "1268 %," not in shown


async def test_the_limit_of_a_container_stands_in_the_panel(watch: Watch, session: ScriptedSession) -> None:
    session.script = script(MACHINES["container"])
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        assert "limit container 4.00 GiB" in side(at, "memory")
        await at.press("3")
        assert "container 4.00 GiB · 1.20 GiB left · /docker/3f2a" in side(at, "memory")


async def test_only_heat_and_the_brake_hurt_and_their_time_is_marked(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = script(MACHINES["throttling"])
    async with watch(knobs=KNOBS) as at:
        await ran(at, 5.0)
        assert "✖ too hot (hardware)" in side(at, "gpu")
        at.clock.now_ns += 4 * S
        await look(at)
        lane = next(row for row in at.rows if row.startswith(" gpu    "))
        assert re.search("● power cap ━.*▲ hot ━.*✖ too hot \\(hardware\\)", lane)
        await at.press("4")
        shown = side(at, "gpu")
        assert "✖ decode slowed by heat: too hot (hardware)" in shown
        assert "hot 3." in shown, "when it began"


async def test_of_many_gpus_those_of_the_server_have_a_row_and_the_others_one_line(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = script(nvidia("eight_h100"))
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        shown = side(at, "gpu")
        assert "8 × H100" in shown and "others ▁▁▁█▁▁ 6 more" in shown
        assert re.search("gpu 2 .*88 % 72.0/79.6 G gpu 3 .*88 % 72.0/79.6 G", shown)
        assert "gpu 5" not in shown
        await at.press("4")
        shown = side(at, "gpu")
        assert "sum 1,080 W 144 GiB of the server's 2" in shown
        assert all(f"gpu {n} " in shown for n in range(8))


async def test_a_lost_gpu_says_so_and_its_old_values_stand_back(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = script(nvidia("gpu_lost_mid_run", from_s=0.5))
    async with watch(knobs=KNOBS) as at:
        text = await ran(at)
        assert "✖ GPU lost" in side(at, "gpu")
        assert "✖ GPU lost" in text
        panel = next(one for one in at.desk.panels if one.id == "gpu")
        loud = [
            row
            for row in panel._rows[1:4]
            if any(style.startswith("text") for text, style in row if text.strip())
        ]
        assert not loud, "what was read before the loss is grey"


async def test_a_prefill_shorter_than_the_drivers_window_is_told_no_use(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = script(nvidia("rtx4090_normal", from_s=0.5), prefill_ns=300 * MS)
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        assert re.search(r"prefill (too short to say|≥)", side(at, "gpu"))
        assert not re.search(r"prefill \d+ %", side(at, "gpu"))


async def test_without_colour_the_states_are_still_told(
    watch: Watch, session: ScriptedSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    session.script = script(MACHINES["paging"])
    async with watch(knobs=KNOBS) as at:
        text = await ran(at)
        assert "PAGING ✖" in text and "✖ disk-bound" in text and "✖ PAGING" in text


async def test_hostile_names_of_devices_and_servers_do_nothing(
    watch: Watch, session: ScriptedSession
) -> None:
    evil = "\x1b]0;x\x07[bold]GPU\n"

    def make(at_ns: int, t: float) -> Reading:
        calm = rtx4090(at_ns, t)
        gpu = replace(calm.gpus[0], name=evil, note=evil, reason="")
        assert calm.server is not None
        server = replace(calm.server, name=evil, note=evil, holder=evil, holder_pid=9)
        return replace(calm, gpus=(gpu,), server=server, memory_note=evil, limit_group=evil, limit_bytes=9**9)

    session.script = script(make)
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        for key in ("3", "4", "5"):
            await at.press(key)
            strips = at.desk._compositor.render_strips(at.desk.size)
            shown = "".join(segment.text for strip in strips for segment in strip)
            assert not re.search("[\x00-\x1f\x7f-\x9f]", shown)
            await at.press("escape")


async def test_the_numbers_are_explained_with_formula_and_origin(
    watch: Watch, session: ScriptedSession
) -> None:
    session.script = script(rtx4090)
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        await at.press("i", "left", "left")
        assert "what limited decode" in at.rows[0] and "bandwidth-bound ≈" in at.text
        told = ""
        for _ in range(19):
            await at.pilot.press("left")
            told += at.text
        for words in (
            "≈ 649 GB/s", "a lower bound", "2.49 J", "J of GPU energy in decode / 512 tokens", "1,446 tokens",
            "≈ 47 tokens", "power cap in prefill", "layers x kv heads", "312 W of 450 W",
        ):  # fmt: skip
            assert words in told, words


async def test_what_is_the_same_is_worked_out_once(watch: Watch, session: ScriptedSession) -> None:
    session.script = script(rtx4090)
    async with watch(knobs=KNOBS) as at:
        await ran(at)
        scene = at.desk.pump.scene
        insights = Insights()
        first = insights.follow(1, scene.view)
        assert first is not None and insights.follow(1, scene.view) is first
        before = at.desk.pump.scene.told
        await at.frame()
        assert at.desk.pump.scene.told is before
        assert insights.follow(2, scene.view) is not first
        assert len(scene.history) <= 120
