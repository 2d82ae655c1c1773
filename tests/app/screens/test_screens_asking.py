"""The pages that ask for something: exact number, own prompt, engine, the first choice."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from textual import events
from textual.widgets import Input, OptionList, TextArea

from tui.app.screens.choices import BuiltIn, UseBuiltIn, UseUrl
from tui.app.screens.engine import EngineScreen
from tui.app.screens.exact import ExactScreen
from tui.app.screens.own import OwnScreen
from tui.app.screens.welcome import BUILT_IN, DEMO, URL, WelcomeScreen
from tui.domain.knobs import Knobs, Profile
from tui.engines.detect import Found, Model
from tui.engines.urls import Base

HOSTILE = "[/ [red]x[/red]\x1b[31m"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
SMALL = Model("small", quantization="Q4_1", context=8192, loaded=True)
LLAMA = Found("llama.cpp", Base("http://127.0.0.1:8080"), "small", (SMALL,), context=8192)
OTHER = Model(HOSTILE, context_most=131072, loaded=False)
OLLAMA = Found("ollama", Base("http://127.0.0.1:11434"), "one", (Model("one"), OTHER), auth_needed=True)
MANY = Found("lmstudio", Base("http://box:1234"), "m0", tuple(Model(f"m{n}", loaded=n < 2) for n in range(9)))
Show = Callable[..., Any]


def engines(**more: Any) -> EngineScreen:
    return EngineScreen(lambda: (LLAMA, OLLAMA), BuiltIn(there=True), {"MY_KEY": "secret"}, **more)


# -- exact number ---------------------------------------------------------------------------------------


async def test_exact_number_takes_k_and_says_what_it_understood(show: Show) -> None:
    async with show(ExactScreen(Knobs(), 8192)) as seen:
        assert "8,128 at most" in seen.text
        await seen.press("2", "k")
        assert "2,048 tokens" in seen.text
        await seen.press("enter")
        assert seen.results == [2048]


@pytest.mark.parametrize(
    ("typed", "said"),
    [("9k", "too long: 8,128 at most"), ("3", "too short"), ("[/", "a number"), ("", "a number")],
)
async def test_a_number_that_cannot_be_is_refused_with_the_reason(show: Show, typed: str, said: str) -> None:
    async with show(ExactScreen(Knobs(), 8192)) as seen:
        await seen.fill(typed)
        await seen.press("enter")
        assert said in seen.text
        assert not seen.results


async def test_without_a_known_context_any_length_goes(show: Show) -> None:
    async with show(ExactScreen(Knobs(), None)) as seen:
        await seen.fill("100k")
        await seen.press("enter")
        assert seen.results == [102_400]


# -- own prompt -----------------------------------------------------------------------------------------


async def test_own_prompt_is_written_pasted_and_taken(show: Show) -> None:
    async with show(OwnScreen(Knobs())) as seen:
        await seen.press("H", "i", "enter")
        seen.pilot.app.post_message(events.Paste("two\r\nlines\x1b[31m [/"))
        await seen.pilot.pause()
        assert not CONTROL.search(seen.text)
        await seen.press("ctrl+o")
        knobs = seen.results[0]
    assert knobs.own_text == "Hi\ntwo\nlines[31m [/"
    assert knobs.profile is Profile.OWN


async def test_sampling_is_taken_over(show: Show) -> None:
    async with show(OwnScreen(Knobs(own_text="ask"))) as seen:
        for value in ("0.7", "42", "1k", "yes"):
            await seen.press("tab")
            await seen.fill(value)
        await seen.press("enter")
        knobs = seen.results[0]
    assert (knobs.temperature, knobs.seed, knobs.answer_limit, knobs.ignore_eos) == (0.7, 42, 1024, True)


async def test_a_wrong_setting_is_named_and_gets_the_focus(show: Show) -> None:
    async with show(OwnScreen(Knobs(own_text="ask"))) as seen:
        await seen.press("tab", "tab")
        await seen.fill("many")
        await seen.press("ctrl+o")
        assert "seed: a whole number" in seen.text
        assert seen.focus == "seed"
        assert not seen.results


async def test_an_untouched_text_stays_exactly_what_it_was(show: Show) -> None:
    text = "tab\there\x1b and\u2028there"
    async with show(OwnScreen(Knobs(own_text=text, profile=Profile.OWN))) as seen:
        assert not CONTROL.search(seen.text)
        await seen.press("ctrl+o")
        assert seen.results[0].own_text == text


async def test_an_emptied_text_goes_back_to_the_plain_prompt(show: Show) -> None:
    async with show(OwnScreen(Knobs(own_text="x", profile=Profile.OWN))) as seen:
        seen.pilot.app.screen.query_one(TextArea).text = "  "
        await seen.press("ctrl+o")
        assert (seen.results[0].profile, seen.results[0].own_text) == (Profile.PLAIN, "")


async def test_esc_changes_nothing(show: Show) -> None:
    async with show(OwnScreen(Knobs())) as seen:
        await seen.press("x", "escape")
        assert seen.results == [None]


# -- engine ---------------------------------------------------------------------------------------------


async def test_every_model_of_every_engine_is_offered_and_hostile_names_are_shown_as_they_are(
    show: Show,
) -> None:
    async with show(engines()) as seen:
        rows = [" ".join(row.split()) for row in seen.text.splitlines()]
        assert "llama.cpp small Q4_1 8,192 loaded :8080" in rows
        assert "▾ ollama 2 models wants a key :11434" in rows
        assert "[/ [red]x[/red]␛[31m ≤131,072 not loaded" in rows
        assert "built-in   llama.cpp with SmolLM2" in seen.text
        assert not CONTROL.search(seen.text)
        await seen.press("down", "down", "down", "enter")
        assert seen.results == [UseUrl("http://127.0.0.1:11434", HOSTILE)]


async def test_the_columns_are_named_and_stand_one_under_the_other(show: Show) -> None:
    async with show(engines()) as seen:
        head, first = (row for row in seen.text.splitlines() if "format" in row or "8,192" in row)
        for title, value in (("model", "small"), ("format", "Q4_1"), ("state", "loaded"), ("at", ":8080")):
            assert head.rindex(title) == first.rindex(value)
        assert head.index("context") + len("context") == first.index("8,192") + len("8,192")
        assert max(map(len, seen.text.splitlines())) <= 80


async def test_an_engine_with_many_models_is_folded_until_it_is_opened(show: Show) -> None:
    page = EngineScreen(lambda: (LLAMA, MANY), BuiltIn(there=True))
    async with show(page) as seen:
        assert "▸ lmstudio   9 models" in seen.text and "m8" not in seen.text
        assert "2 loaded" in seen.text and "box:1234" in seen.text
        await seen.press("down", "enter")
        assert "▾ lmstudio   9 models" in seen.text and "m8" in seen.text
        assert not seen.results
        await seen.press("down", "down", "left")
        assert "m8" not in seen.text, "left from one of its models"
        await seen.press("left", "right", "right", "down", "enter")
        assert seen.results == [UseUrl("http://box:1234", "m0")]


async def test_the_keys_that_fold_do_nothing_to_an_engine_with_one_model(show: Show) -> None:
    async with show(engines()) as seen:
        before = seen.text
        await seen.press("left", "right")
        assert seen.text == before
        await seen.press("end", "left", "right")
        await seen.press("enter")
        assert seen.results == [UseBuiltIn()]


async def test_the_keys_that_fold_move_the_cursor_in_a_field(show: Show) -> None:
    async with show(engines(type_url=True)) as seen:
        await seen.press("a", "c", "left", "b")
        assert seen.pilot.app.screen.query_one("#url", Input).value == "abc"


async def test_who_did_not_answer_in_time_is_named(show: Show) -> None:
    page = EngineScreen(lambda: (LLAMA,), BuiltIn(there=True), slow=lambda: ("127.0.0.1:8000",))
    async with show(page) as seen:
        assert "found on the usual ports · no answer in time at 127.0.0.1:8000" in seen.text


async def test_the_last_row_is_the_built_in_engine(show: Show) -> None:
    async with show(engines()) as seen:
        await seen.press("end", "enter")
        assert seen.results == [UseBuiltIn()]


async def test_an_address_can_be_typed_with_model_and_variable(show: Show) -> None:
    async with show(engines(type_url=True)) as seen:
        await seen.fill("localhost:9000/v1")
        await seen.press("tab")
        await seen.fill("big")
        await seen.press("tab")
        await seen.fill("MY_KEY")
        await seen.press("enter")
        assert seen.results == [UseUrl("localhost:9000/v1", "big", "MY_KEY")]


@pytest.mark.parametrize(
    ("using", "gives"), [(None, []), (LLAMA, [UseUrl("http://127.0.0.1:8080", "big")])], ids=["none", "one"]
)
async def test_a_model_alone_is_one_of_the_engine_in_use(
    show: Show, using: Found | None, gives: list[UseUrl]
) -> None:
    async with show(engines(using=using)) as seen:
        await seen.press("tab", "tab")
        await seen.fill("big")
        await seen.press("enter")
        assert seen.results == gives
        if not gives:
            assert "the address comes first" in seen.text and seen.focus == "url"


async def test_what_is_in_use_is_marked_wherever_it_is(show: Show) -> None:
    for using, row in (
        (LLAMA, "llama.cpp small Q4_1 8,192 in use :8080"),
        (replace(LLAMA, base=Base("http://box:9")), "llama.cpp small Q4_1 8,192 in use box:9"),
        (replace(MANY, model="m1"), "▸ lmstudio 9 models in use box:1234"),
    ):
        async with show(engines(using=using)) as seen:
            rows = [" ".join(row.split()) for row in seen.text.splitlines()]
            assert row in rows
            assert seen.text.count("in use") == 1
    async with show(EngineScreen(lambda: (LLAMA,), BuiltIn(there=True, used=True))) as seen:
        (row,) = (row for row in seen.text.splitlines() if "in use" in row)
        assert "built-in" in row


async def test_a_wrong_address_is_refused(show: Show) -> None:
    async with show(engines(type_url=True)) as seen:
        await seen.fill("ftp://x")
        await seen.press("enter")
        assert "only http:// and https://" in seen.text
        assert not seen.results


async def test_a_key_in_the_place_of_its_variable_is_refused_and_not_repeated(show: Show) -> None:
    async with show(engines()) as seen:
        field = seen.pilot.app.screen.query_one("#api_key_env", Input)
        field.value = "sk-very-secret"
        await seen.press("enter")
        assert "no variable of that name holds a key" in seen.text
        assert seen.text.count("sk-very-secret") == 1, "in the field where it was typed"
        assert seen.focus == "api_key_env"
        assert not seen.results


async def test_engines_appear_when_the_search_is_done(show: Show) -> None:
    found: list[Any] = [None]
    page = EngineScreen(lambda: found[0], BuiltIn(there=False))
    async with show(page) as seen:
        assert "looking on the usual ports" in seen.text
        assert "fetched once: 93 MB" in seen.text
        found[0] = (LLAMA,)
        page.look()
        await seen.pilot.pause()
        assert "llama.cpp  small" in seen.text
        assert seen.pilot.app.screen.query_one(OptionList).highlighted == 0, "not left on the built-in one"
        found[0] = ()
        page.look()
        await seen.pilot.pause()
        assert "no engine answers on the usual ports" in seen.text
        assert "small" not in seen.text


async def test_a_built_in_engine_that_cannot_be_had_is_not_offered(show: Show) -> None:
    async with show(EngineScreen(lambda: (), BuiltIn(there=False, obstacle="not installed"))) as seen:
        assert seen.pilot.app.screen.query_one(OptionList).option_count == 0


# -- the first choice -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "gives"),
    [
        (["enter"], BUILT_IN),
        (["e"], URL),
        (["down", "enter"], DEMO),
        (["end", "enter"], URL),
        (["escape"], None),
    ],
)
async def test_welcome_gives_the_choice(show: Show, keys: list[str], gives: str | None) -> None:
    async with show(WelcomeScreen(BuiltIn(there=False))) as seen:
        await seen.press(*keys)
        assert seen.results == [gives]


async def test_welcome_stands_in_the_middle(show: Show) -> None:
    async with show(WelcomeScreen(BuiltIn(there=False)), (120, 36)) as seen:
        rows = seen.text.split("\n")
        filled = [number for number, row in enumerate(rows) if row.strip()]
        assert abs(filled[0] - (len(rows) - 1 - filled[-1])) <= 1
        assert set(rows[filled[1]].strip()) == {"─"}, "the rule under the heading"


async def test_welcome_says_why_there_is_no_built_in_engine(show: Show) -> None:
    async with show(WelcomeScreen(BuiltIn(there=False, obstacle="the extra is not installed"))) as seen:
        assert "the extra is not installed" in seen.text
        await seen.press("enter")
        assert seen.results == [DEMO], "what needs nothing comes first then"


async def test_welcome_offers_the_recordings_first_once_the_built_in_engine_has_failed(show: Show) -> None:
    async with show(WelcomeScreen(BuiltIn(there=False), failed=True)) as seen:
        await seen.press("enter")
        assert seen.results == [DEMO]


async def test_welcome_names_who_did_not_answer_in_time(show: Show) -> None:
    async with show(WelcomeScreen(BuiltIn(there=True), ("127.0.0.1:8000",))) as seen:
        assert "no answer in time at 127.0.0.1:8000" in seen.text


async def test_welcome_can_be_quit(show: Show) -> None:
    async with show(WelcomeScreen(BuiltIn(there=True))) as seen:
        assert "93 MB" not in seen.text
        await seen.press("q")
        assert not seen.pilot.app.is_running or seen.pilot.app._exit
