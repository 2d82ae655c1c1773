"""The pages that are only read: help, explanation, raw detail."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.app.scripted import S, machine_reading
from tui.app.screens.detail import MOST_CHARACTERS, MOST_OF_ONE, DetailScreen, detail
from tui.app.screens.evidence import evidence
from tui.app.screens.explain import ExplainScreen, explained
from tui.app.screens.help import HelpScreen
from tui.app.screens.machine import machine
from tui.domain.arrivals import Stall
from tui.domain.events import ErrorKind, Failed
from tui.domain.phases import Phase
from tui.domain.pressure import Pressure, step
from tui.domain.values import Provenance, Value, absent
from tui.domain.view import Clock, GapStats, View
from tui.settings import keymap
from tui.settings.definitions import BY_NAME, DEFINITIONS
from tui.settings.keys import KEYS

HOSTILE = "[/ [red]x[/red] [@click=app.quit]y[/] \x1b[2J\x1b]52;c;eA==\x07 \x9b31m"
SHOWN = "[/ [red]x[/red] [@click=app.quit]y[/] ␛[2J␛]52;c;eA==␇ \ufffd31m"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")

VIEW = View(
    prefill=Value(330.1, "tok/s", Provenance.MEASURED, "511 tokens / 1.549 s", reliable=False),
    ttft=Value(1.62, "s", Provenance.OBSERVED, "from the first byte"),
    decode_engine=absent("tok/s", HOSTILE),
    cached_tokens=0,
    phases=(Phase("queue", 0, 1_200_000, Provenance.ESTIMATED, "what is left"),),
    gaps=GapStats(40, 11_600_000.0, 15_000_000, 332_000_000, 11_000_000),
    clock=Clock("kernel", 20_000, 90_000, 400_000),
)


async def whole(seen: Any) -> str:
    """All of a page that is longer than the screen."""
    parts = [seen.text]
    while True:
        await seen.press("pagedown")
        if seen.text == parts[-1]:
            return "\n".join(parts)
        parts.append(seen.text)


async def test_help_has_every_key_every_definition_and_every_mark(show: Callable[..., Any]) -> None:
    async with show(HelpScreen(), (120, 40)) as seen:
        text = " ".join((await whole(seen)).split())
    for key in KEYS:
        assert f"{key.shown} {key.does[:20]}" in text
    for definition in DEFINITIONS:
        assert definition.title in text
        assert definition.formula[:20] in text
    for origin in Provenance:
        assert f"{origin.mark} {origin.value}" in text


async def test_help_shows_the_users_own_keys(show: Callable[..., Any]) -> None:
    async with show(HelpScreen(keymap.apply({"send": "f5"}))) as seen:
        assert re.search("f5 +send the request", seen.text)


@pytest.mark.parametrize(
    ("page", "key"),
    [(HelpScreen, "question_mark"), (lambda: ExplainScreen(VIEW), "i"), (lambda: DetailScreen(VIEW), "d")],
)
async def test_the_key_that_opened_a_page_closes_it(
    show: Callable[..., Any], page: Callable[[], Any], key: str
) -> None:
    async with show(page()) as seen:
        await seen.press(key)
        assert seen.results == [None]


async def test_the_users_own_key_closes_the_page_it_opened(show: Callable[..., Any]) -> None:
    async with show(HelpScreen()) as seen:
        seen.pilot.app.set_keymap({"help": "f1"})
        await seen.press("question_mark")
        assert not seen.results
        await seen.press("f1")
        assert seen.results == [None]


async def test_explanation_says_all_that_is_known(
    show: Callable[..., Any],
) -> None:
    async with show(ExplainScreen(VIEW, "prefill")) as seen:
        for told in (
            "prefill rate",
            "330 tok/s ●",
            "511 tokens / 1.549 s",
            "the engine's",
            "measured",
            "with doubt",
        ):
            assert told in seen.text


async def test_explanation_of_an_absent_number_says_why_and_shows_no_number(show: Callable[..., Any]) -> None:
    async with show(ExplainScreen(VIEW, "decode_engine")) as seen:
        assert f"why not  {SHOWN}" in seen.text
        assert not CONTROL.search(seen.text)


async def test_arrows_walk_through_all_numbers_and_around(show: Callable[..., Any]) -> None:
    numbers = (*evidence(VIEW), *machine(Pressure(), VIEW, "not read yet"))
    titles = [number.definition.title for number in numbers]
    async with show(ExplainScreen(VIEW)) as seen:
        await seen.press("right")
        assert seen.text.splitlines()[0].strip().startswith(f"{titles[1]} · 2 of {len(titles)}")
        await seen.press("left", "left")
        assert seen.text.splitlines()[0].strip().startswith(f"{titles[-1]} ·")


def test_evidence_holds_what_happened_and_absent_is_never_zero() -> None:
    numbers = {number.definition.name: number for number in evidence(VIEW)}
    assert numbers["cached_tokens"].text == "0 tok"
    assert numbers["prompt_tokens"].text == "–"
    assert numbers["queue"].text == "1.2 ms"
    assert numbers["gap"].text == "11.6 ms"
    assert numbers["delay"].text == "20 µs"
    assert "load" not in numbers
    assert dict(explained(numbers["queue"]))["mark"].startswith("≈ estimated")


def test_every_number_of_the_machine_is_explained_and_none_is_invented() -> None:
    pressure = Pressure()
    for n in range(12):
        pressure = step(pressure, machine_reading(n * S // 10, n, gpu=True), False)
    told = {number.definition.name: number.text for number in machine(pressure, VIEW, "")}
    assert told["ram"] == "14.2/23.4 GiB"
    assert told["cores"] == "1.98 of 2"
    assert told["memory_state"] == "OK"
    assert told["server"] == "327 MiB"
    assert told["swap"] == told["disk"] == "0 B/s"
    assert told["gpu_use"] == "97 %" and told["gpu_power"] == "312 W of 450 W"
    assert told["phase_cpu"] == "–", "nothing was read or written"
    group = {name for name, number in BY_NAME.items() if number.group == BY_NAME["ram"].group}
    assert group == told.keys()
    unread = machine(Pressure(), VIEW, "the recording holds no machine samples")
    assert {number.text for number in unread} == {"–"}
    assert {number.value.note for number in unread} == {"the recording holds no machine samples"}
    assert {number.definition.name for number in unread} == group


def test_the_machine_without_a_gpu_says_why() -> None:
    pressure = step(Pressure(), machine_reading(0, 0), False)
    numbers = {number.definition.name: number for number in machine(pressure, VIEW, "")}
    assert numbers["gpu_use"].value.note == "no NVIDIA driver"
    assert numbers["swap"].text == "–", "one reading tells no flow"


def test_a_stall_between_lumps_carries_a_doubt() -> None:
    stalled = replace(VIEW, stalls=(Stall(0, S, 9, True),))
    numbers = {number.definition.name: number for number in evidence(stalled)}
    assert numbers["stall"].value.reliable
    lumped = replace(stalled, warnings={"buffered_delivery": "8 of 8 messages came in lumps"})
    numbers = {number.definition.name: number for number in evidence(lumped)}
    assert not numbers["stall"].value.reliable
    assert "lumps" in dict(explained(numbers["stall"]))["trust"]


def test_every_phase_has_a_definition() -> None:
    for name in ("connect", "send", "load", "queue", "tokenize", "prefill", "decode", "finish", "waiting"):
        view = View(phases=(Phase(name, 0, 1, Provenance.OBSERVED, ""),))
        assert any(number.definition.group == "phases" for number in evidence(view)), name
    assert {"ttft", "first_answer", "unattributed"} <= BY_NAME.keys()


async def test_detail_shows_hostile_text_as_it_is(show: Callable[..., Any]) -> None:
    failure = Failed(1, ErrorKind.HTTP_ERROR, HOSTILE, status=500, remedy="try again", raw=HOSTILE)
    view = View(failure=failure, warnings={"bad_chunk": HOSTILE}, conditions={HOSTILE: HOSTILE})
    async with show(DetailScreen(view, [HOSTILE]), (160, 40)) as seen:
        assert f"message: {SHOWN}" in seen.text
        assert f"body: {SHOWN}" in seen.text
        assert f"bad_chunk: {SHOWN}" in seen.text
        assert f"{SHOWN}: {SHOWN}" in seen.text
        assert seen.text.count(SHOWN) == 6
        assert not CONTROL.search(seen.text)
        assert seen.pilot.app.is_running


def test_detail_keeps_the_newest_messages_and_cuts_long_ones() -> None:
    parts = dict(detail(View(), [f"message {number} " + "x" * 5000 for number in range(100)]))
    text = parts["latest messages"]
    assert len(text) < MOST_CHARACTERS + 2 * MOST_OF_ONE
    assert text.startswith("… earlier ones are not shown\n")
    assert "message 99 " in text
    assert "message 1 " not in text
    assert "more characters" in text


def test_detail_tells_conditions_in_plain_words_and_the_parts_of_the_prompt() -> None:
    told = {"sampling": {"temperature": 0.7, "seed": 5, "ignore_eos": True}, "batch": None}
    view = View(conditions=told)
    parts = dict(detail(view, (), {"tools": "120 tokens", "note": "shrunk"}))
    assert parts["conditions"] == "sampling: temperature 0.7, seed 5, ignore_eos yes\nbatch: –"
    assert parts["parts of the prompt"] == "tools: 120 tokens\nnote: shrunk"


def test_detail_without_a_request_says_so() -> None:
    assert detail(View(), ()) == (("nothing yet", "no request was sent"),)
