"""Where settings come from, which source wins, and what is said about those that can't be used."""

from pathlib import Path

import pytest

from tui.domain.knobs import Cache, Knobs, Profile
from tui.settings import config
from tui.settings.config import ConfigError, Settings, load, merged, parse_environment, parse_file
from tui.settings.credentials import api_key
from tui.settings.options import BY_NAME, OPTIONS

KEY = "sk-very-secret"


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The user's settings folder."""
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    folder = tmp_path / "config"
    folder.mkdir()
    return folder


def test_every_option_is_a_setting_of_its_name() -> None:
    assert set(Settings.__slots__) == BY_NAME.keys() | {"keys"}
    assert len(BY_NAME) == len(OPTIONS)


def test_defaults_are_those_of_the_knobs() -> None:
    assert load({}, {}) == Settings()
    assert Settings().knobs == Knobs()


def test_flags_win_over_environment_over_file_over_what_was_used_last(folder: Path) -> None:
    (folder / "config.toml").write_text("max_tokens = 2\nseed = 2\nauto = true")
    last = {"max_tokens": 1, "seed": 1, "auto": False, "ignore_eos": True}
    settings = load({"max_tokens": "4"}, {"TOKLANE_MAX_TOKENS": "3", "TOKLANE_SEED": "3", "OTHER": "x"}, last)
    assert (settings.max_tokens, settings.seed, settings.auto, settings.ignore_eos) == (4, 3, True, True)


def test_all_kinds_of_values_are_read_from_file_and_environment() -> None:
    file = parse_file(
        'prompt_tokens = "2k"\ncache = "tail:128"\nprofile = "agent"\ntemperature = 1\nignore_eos = true\n'
        '[keys]\nsend = "f5"'
    )
    knobs = merged([file]).knobs
    assert (knobs.prompt_tokens, knobs.cache, knobs.tail_tokens) == (2048, Cache.TAIL, 128)
    assert (knobs.profile, knobs.temperature, knobs.ignore_eos) == (Profile.AGENT, 1.0, True)
    assert merged([file]).keys[0].keys == ("f5",)
    told = {
        "TOKLANE_PROMPT_TOKENS": "2k",
        "TOKLANE_CACHE": "same",
        "TOKLANE_IGNORE_EOS": "yes",
        "TOKLANE_SEED": "",
    }
    knobs = merged([parse_environment(told)]).knobs
    assert (knobs.prompt_tokens, knobs.cache, knobs.ignore_eos, knobs.seed) == (2048, Cache.SAME, True, None)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("prompt_token = 1", "unknown setting 'prompt_token'; did you mean prompt_tokens?"),
        ("colour = 'x'", "unknown setting 'colour'"),
        (f"api_key = '{KEY}'", "unknown setting 'api_key'; a key belongs in a variable"),
        (f"api_key_env = '{KEY}'", "api_key_env needs the name of an environment variable"),
        ("prompt_tokens = 'many'", "prompt_tokens needs a number of tokens"),
        ("prompt_tokens = true", "prompt_tokens needs a number of tokens"),
        ("max_tokens = 0", "max_tokens needs a whole number of tokens, at least 1"),
        ("temperature = nan", "temperature needs a number, 0 or more"),
        ("temperature = -1", "temperature needs a number"),
        ("seed = 1.5", "seed needs a whole number"),
        ("insecure = 'maybe'", "insecure needs true or false"),
        ("cache = 'cold:3'", "cache needs cold, same, or tail:N"),
        ("cache = 'tail:x'", "cache needs cold, same, or tail:N"),
        ("profile = 'mine'", "profile needs plain, agent or own"),
        ("model = ['a']", "model needs a text"),
        ("prompt = 'a'\nprompt_file = 'b'", "prompt and config.toml: prompt_file can't be given together"),
        ("a = [", "config.toml is not TOML"),
        ("[keys]\nsned = 'x'", "[keys] unknown action 'sned'"),
        ("keys = 3", "[keys] unknown action"),
    ],
)
def test_a_wrong_setting_is_named_in_one_line(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_file(text)
    message = str(caught.value)
    assert said in message
    assert message.startswith("config.toml")
    assert message.isprintable()
    assert KEY not in message


def test_a_wrong_variable_is_named() -> None:
    with pytest.raises(
        ConfigError, match="unknown variable TOKLANE_PROMPT_TOKEN; did you mean TOKLANE_PROMPT_TOKENS"
    ):
        parse_environment({"TOKLANE_PROMPT_TOKEN": "1"})
    with pytest.raises(ConfigError, match=r"^TOKLANE_SEED needs a whole number"):
        parse_environment({"TOKLANE_SEED": "x"})
    assert parse_environment({"TOKLANE_HOME": "/somewhere"}) == {}


def test_a_wrong_flag_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^--max-tokens needs a number of tokens"):
        load({"max_tokens": "lots"}, {})


def test_a_given_prompt_is_used_unless_another_profile_is_asked_for() -> None:
    assert merged([{"prompt": "ask"}]).knobs.profile is Profile.OWN
    assert merged([{"prompt": "ask", "profile": Profile.AGENT}]).knobs.profile is Profile.AGENT
    assert merged([{"profile": Profile.OWN}]).knobs.profile is Profile.PLAIN


def test_a_prompt_file_is_read_and_wins_over_an_earlier_prompt(tmp_path: Path) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("from the file")
    assert load({"prompt_file": str(file)}, {"TOKLANE_PROMPT": "told"}).knobs.own_text == "from the file"
    assert load({"prompt": "told"}, {"TOKLANE_PROMPT_FILE": "nowhere"}).knobs.own_text == "told"
    with pytest.raises(ConfigError, match="missing or empty"):
        load({"prompt_file": str(tmp_path / "none")}, {})


def test_the_mark_that_some_editors_put_before_a_text_is_none_of_it(folder: Path, tmp_path: Path) -> None:
    (folder / "config.toml").write_text("max_tokens = 16", encoding="utf-8-sig")
    file = tmp_path / "prompt.txt"
    file.write_text("ask", encoding="utf-8-sig")
    settings = load({"prompt_file": str(file)}, {})
    assert (settings.max_tokens, settings.prompt) == (16, "ask")
    file.write_text(KEY, encoding="utf-8-sig")
    assert api_key(Settings(api_key_file=str(file)), {}) == KEY


def test_a_later_target_replaces_an_earlier_one_of_another_kind() -> None:
    assert merged([{"embedded": True}, {"url": "http://a"}]) == Settings(url="http://a")
    assert merged([{"engine": "vllm"}, {"embedded": True}]) == Settings(embedded=True)
    assert merged([{"url": "http://a"}, {"embedded": True}]) == Settings(embedded=True)


def test_a_key_never_goes_to_an_address_it_was_not_given_with() -> None:
    tied = {"url": "http://a", "api_key_env": "A_KEY", "model": "m", "insecure": True}
    assert merged([tied, {"url": "http://b"}]) == Settings(url="http://b")
    assert merged([tied, {"embedded": True}]) == Settings(embedded=True)
    assert merged([tied, {"url": "http://a"}]).api_key_env == "A_KEY"
    assert merged([tied, {"model": "n"}]).api_key_env == "A_KEY"


def test_a_key_given_by_itself_goes_to_the_address_of_this_start() -> None:
    assert merged([{"api_key_env": "A_KEY"}, {"url": "http://b"}]).api_key_env == "A_KEY"
    tied = {"url": "http://a", "api_key_env": "A_KEY"}
    assert merged([tied, {"api_key_env": "B_KEY"}, {"url": "http://b"}]).api_key_env == "B_KEY"


def test_a_settings_file_that_cannot_be_read_is_said_so(folder: Path) -> None:
    (folder / "config.toml").write_bytes(b"\xff")
    with pytest.raises(ConfigError, match="not UTF-8"):
        load({}, {})
    assert config.path() == folder / "config.toml"


def test_the_key_comes_from_its_variable_or_file(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    assert api_key(Settings(api_key_env="A_KEY"), {"A_KEY": KEY}) == KEY
    assert api_key(Settings(api_key_file=str(file)), {}) == KEY
    assert api_key(Settings(), {"A_KEY": KEY}) == ""


@pytest.mark.parametrize("held", ["", KEY * 1000, "two\nlines " + KEY, KEY + "\x1b", KEY + "ü"])
def test_a_key_that_cannot_be_sent_is_not_repeated(held: str, tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_text(held)
    for settings in (Settings(api_key_env="A_KEY"), Settings(api_key_file=str(file))):
        with pytest.raises(ConfigError, match="one line of plain characters") as caught:
            api_key(settings, {"A_KEY": held})
        assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("NOPE", True),
        ("OPENAI_API_KEY", True),
        ("KEY_2", True),
        ("AKIAQ7ZX2M4NB8KD", False),
        ("gsk_Abc", False),
    ],
)
def test_a_variable_that_is_not_set_is_named_unless_it_may_be_the_key(name: str, shown: bool) -> None:
    said = name if shown else "that --api-key-env names"
    with pytest.raises(ConfigError) as caught:
        api_key(Settings(api_key_env=name), {})
    assert str(caught.value) == f"the environment variable {said} is not set; export the API key in it"


def test_a_key_in_the_place_of_its_name_is_not_repeated() -> None:
    for settings in (Settings(api_key_env="sk_secret"), Settings(api_key_file="sk_secret")):
        with pytest.raises(ConfigError) as caught:
            api_key(settings, {})
        assert "sk_secret" not in str(caught.value)
