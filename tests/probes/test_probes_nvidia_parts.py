"""Parts of the NVIDIA probe by themselves: fields by number, the driver's own samples, measured activity."""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from tui.probes.metric import Metric
from tui.probes.nvidia_activity import Activity
from tui.probes.nvidia_fields import Fields
from tui.probes.nvidia_history import History

S = 1_000_000_000
NOON_NS = 1_700_000_000 * S


def field(number: int, code: int = 0, kind: int = 3, **value: float) -> Any:
    return SimpleNamespace(fieldId=number, nvmlReturn=code, valueType=kind, value=SimpleNamespace(**value))


class Driver:
    """Answers fields and samples as told, errors as the real module has them."""

    def __init__(self) -> None:
        self.fields: dict[int, Any] = {}
        self.asked: list[list[int]] = []
        self.samples: list[tuple[int, int]] = []  # stamp in us, percent

    def __getattr__(self, name: str) -> Any:
        return getattr(pynvml, name)

    def nvmlDeviceGetFieldValues(self, handle: object, numbers: list[int]) -> list[Any]:
        self.asked.append(numbers)
        return [self.fields[number] for number in numbers]

    def nvmlDeviceGetSamples(self, handle: object, kind: int, last: int) -> tuple[int, list[Any]]:
        new = [(stamp, share) for stamp, share in self.samples if stamp > last]
        return 1, [SimpleNamespace(timeStamp=t, sampleValue=SimpleNamespace(uiVal=v)) for t, v in new]


def test_each_field_answers_for_itself_and_is_read_by_its_type() -> None:
    driver = Driver()
    driver.fields = {
        74: field(74, ullVal=5),
        186: field(186, kind=1, uiVal=312450, ullVal=7),
        269: field(269, code=3),
        197: field(197, code=27),
    }
    ask = Fields(driver, object(), 74, 186, 269, 197)
    assert ask() == {74: 5, 186: 312450}
    driver.fields[197] = field(197, ullVal=9)
    assert ask() == {74: 5, 186: 312450, 197: 9}
    assert driver.asked == [[74, 186, 269, 197], [74, 186, 197]]


@pytest.mark.parametrize(
    ("codes", "raised"), [((3, 3), 3), ((2, 3), 3), ((3, 27), 27), ((15, 3), 15), ((1, 0), 1)]
)
def test_when_no_field_answers_the_error_says_whether_to_ask_again(
    codes: tuple[int, int], raised: int
) -> None:
    driver = Driver()
    driver.fields = {n: field(n, code=code, ullVal=1) for n, code in zip((74, 75), codes, strict=True)}
    with pytest.raises(pynvml.NVMLError) as error:
        Fields(driver, object(), 74, 75)()
    assert error.value.value == raised


def test_an_old_number_that_answers_counts_where_the_new_one_does_not(scene: Any) -> None:
    played = scene("throttling")
    fields = played.script["devices"][0]["fields"]
    fields["75"] = fields.pop("269")
    assert played.until(10).gpus()[0].hot_ns == 3_800_000_000


def test_a_type_of_a_later_driver_is_not_guessed() -> None:
    driver = Driver()
    driver.fields = {74: field(74, kind=7, ullVal=1)}
    metric = Metric(Fields(driver, object(), 74), S)
    metric.refresh(driver, Clocks().mono, edge=False)
    assert (metric.answer, metric.absent) == (None, "not supported here")


class Clocks:
    def __init__(self) -> None:
        self.now_ns = 500 * S

    def mono(self) -> int:
        return self.now_ns

    def wall(self) -> int:
        return NOON_NS + self.now_ns


@pytest.mark.parametrize("base_ns", [0, NOON_NS])
def test_samples_are_told_in_the_monotonic_clock_whatever_stamps_the_driver_uses(base_ns: int) -> None:
    clocks, driver = Clocks(), Driver()
    driver.samples = [((base_ns + 499 * S + i * S // 5) // 1000, 10 * i) for i in range(5)]
    history = History(driver, object(), clocks.mono, clocks.wall)
    told = history()
    assert told.samples == tuple((499 * S + i * S // 5, 10 * i) for i in range(5))
    assert told.window_ns == S // 5
    clocks.now_ns += S
    driver.samples.append(((base_ns + 500 * S) // 1000, 97))
    later = history()
    assert (later.samples, later.window_ns) == (((500 * S, 97),), S // 5)
    with pytest.raises(pynvml.NVMLError_NoData):
        history()


def test_stamps_of_no_known_clock_end_the_history() -> None:
    clocks, driver = Clocks(), Driver()
    driver.samples = [(77, 50)]
    metric = Metric(History(driver, object(), clocks.mono, clocks.wall), S)
    metric.refresh(driver, clocks.mono, edge=False)
    assert (metric.answer, metric.absent) == (None, "not supported here")


def test_shares_that_are_none_are_left_out() -> None:
    clocks, driver = Clocks(), Driver()
    driver.samples = [(499_000_000, 50), (499_200_000, 4_000_000_000), (499_400_000, 60)]
    told = History(driver, object(), clocks.mono, clocks.wall)()
    assert [share for _, share in told.samples] == [50, 60]


def test_the_drivers_own_samples_are_handed_on_once_with_their_age(scene: Any, monkeypatch: Any) -> None:
    played = scene("rtx4090_normal")

    def samples(handle: object, kind: int, last: int) -> tuple[int, list[Any]]:
        now_us = played.wall_ns() // 1000
        stamps = [one for one in range(now_us - 1_000_000, now_us, 200_000) if one > last]
        return 1, [SimpleNamespace(timeStamp=t, sampleValue=SimpleNamespace(uiVal=90)) for t in stamps]

    monkeypatch.setattr(played.nvml, "nvmlDeviceGetSamples", samples, raising=False)
    played.until(0.05)
    first, again = played.gpus()[0], played.gpus()[0]
    assert (len(first.util_recent), again.util_recent) == (5, ())
    assert first.util_window_ns == again.util_window_ns == S // 5
    age_ns, share = first.util_recent[-1]
    assert share == 90 and S // 5 <= age_ns < S // 2


class Gpm(Driver):
    """A card that measures its own activity: shares by number of the metric."""

    def __init__(self, shares: dict[int, tuple[int, float]], supported: int = 1) -> None:
        super().__init__()
        self.shares, self.supported, self.taken = shares, supported, []
        self.nvmlGpmQueryDeviceSupport = lambda handle: SimpleNamespace(isSupportedDevice=supported)
        self.nvmlGpmSampleAlloc = pynvml.c_nvmlGpmSample_t
        self.nvmlGpmSampleGet = lambda handle, sample: self.taken.append(handle)
        self.nvmlGpmMigSampleGet = lambda handle, part, sample: self.taken.append((handle, part))

    def nvmlGpmMetricsGet(self, asked: Any) -> None:
        for i in range(asked.numMetrics):
            asked.metrics[i].nvmlReturn, asked.metrics[i].value = self.shares[asked.metrics[i].metricId]


def test_activity_is_the_mean_between_two_samples() -> None:
    clocks, driver = Clocks(), Gpm({2: (0, 96.5), 5: (0, 12.0), 10: (0, 74.25)})
    activity = Activity(driver, "card", clocks.mono)
    with pytest.raises(pynvml.NVMLError_NotReady):
        activity()
    clocks.now_ns += S
    told = activity()
    assert (told.sm_pct, told.tensor_pct, told.dram_pct, told.span_ns) == (96.5, 12.0, 74.25, S)
    assert driver.taken == ["card", "card"]


def test_activity_that_is_not_told_is_absent() -> None:
    clocks, driver = Clocks(), Gpm({2: (3, 0.0), 5: (0, float("nan")), 10: (0, 0.0)})
    activity = Activity(driver, "card", clocks.mono, 7)
    with pytest.raises(pynvml.NVMLError_NotReady):
        activity()
    told = activity()
    assert (told.sm_pct, told.tensor_pct, told.dram_pct) == (None, None, 0.0)
    assert driver.taken == [("card", 7), ("card", 7)]


def test_a_card_without_activity_is_asked_once() -> None:
    clocks, driver = Clocks(), Gpm({}, supported=0)
    metric = Metric(Activity(driver, "card", clocks.mono), S)
    metric.refresh(driver, clocks.mono, edge=False)
    assert metric.absent == "not supported here"


def test_the_real_struct_takes_the_numbers_of_the_metrics() -> None:
    asked = pynvml.c_nvmlGpmMetricsGet_t()
    asked.metrics[0].metricId = pynvml.NVML_GPM_METRIC_DRAM_BW_UTIL
    assert asked.metrics[0].metricId == 10
    assert ctypes.sizeof(asked) > 0


def test_a_value_asked_once_is_asked_again_when_it_was_only_not_ready() -> None:
    clocks, answers = Clocks(), [pynvml.NVMLError(27), 384]

    def ask() -> int:
        one = answers.pop(0)
        if isinstance(one, Exception):
            raise one
        return one

    metric = Metric(ask, 1 << 62)
    metric.refresh(pynvml, clocks.mono, edge=False)
    clocks.now_ns += 31 * S
    metric.refresh(pynvml, clocks.mono, edge=False)
    assert metric.answer is not None and metric.answer[0] == 384
