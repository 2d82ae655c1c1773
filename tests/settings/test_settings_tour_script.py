"""The script of the tour: what comes along is whole, and what is wrong in one is said with its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tui import locations
from tui.domain.knobs import Cache, Profile
from tui.settings import tour_script
from tui.settings.tour_script import PLACEHOLDERS, ScriptError, filled, load, parse, write

HEAD = '[[scene]]\ntitle = "one"\n'


def wrong(text: str, tmp_path: Path) -> str:
    with pytest.raises(ScriptError) as raised:
        parse(text, tmp_path / "my.toml")
    return str(raised.value)


def test_what_comes_along_has_the_five_scenes() -> None:
    acts = load()
    short, long, again, rivals, deep = acts
    assert short.knobs.prompt_tokens * 8 <= long.knobs.prompt_tokens
    assert again.knobs.cache is Cache.SAME and long.knobs.cache is Cache.COLD
    assert (again.knobs.prompt_tokens, again.knobs.profile) == (long.knobs.prompt_tokens, long.knobs.profile)
    assert rivals.knobs.rivals == 2
    assert deep.knobs.answer_limit >= 512 and deep.knobs.ignore_eos
    assert all(set(act.captions) == {"before", "while", "after"} for act in acts)
    assert all(act.recording and act.recording.is_file() for act in acts)


def test_its_head_tells_every_placeholder_and_knob() -> None:
    head = (locations.tour_dir() / tour_script.FILE).read_text(encoding="utf-8").partition("[[scene]]\n")[0]
    assert set(PLACEHOLDERS) == set(re.findall(r"\{(\w+)\}", head))
    for knob in (*tour_script.KNOBS, *tour_script.CAPTIONS, "recording", "stage"):
        assert re.search(rf"\b{knob}\b", head), knob


def test_a_scene_takes_the_knobs_of_the_settings(tmp_path: Path) -> None:
    (act,) = parse(
        HEAD + 'prompt_tokens = "2k"\nmax_tokens = 64\ncache = "tail:32"\nrivals = 3\nprofile = "agent"\n'
        "stage = true\n",
        tmp_path / "x.toml",
    )
    assert (act.knobs.prompt_tokens, act.knobs.answer_limit, act.knobs.tail_tokens) == (2048, 64, 32)
    assert (act.knobs.rivals, act.knobs.profile, act.stage) == (3, Profile.AGENT, True)
    (own,) = parse(HEAD + 'prompt = "Why is the sky blue?"', tmp_path / "x.toml")
    assert (own.knobs.profile, own.knobs.own_text) == (Profile.OWN, "Why is the sky blue?")


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ('[[scene]]\ntitle = "a\n', 2, "texts stand in quotes"),
        ("[[scene]]\ntitle = a short prompt\n", 2, "texts stand in quotes"),
        ("[[scene]", 1, "name = value"),
        ("", 1, "a script needs scenes; each begins with [[scene]]"),
        ('[scene]\ntitle = "x"', 1, "each begins with [[scene]]"),
        ('# hello\nauthor = "me"\n' + HEAD, 2, "stands outside of the scenes"),
        (HEAD + '\n[[scene]]\nafter = "x"\n', 4, "a scene needs a title"),
        (HEAD + "title2 = 3\n", 3, "did you mean 'title'?"),
        (HEAD + "zzzzz = 3\n", 3, "there are title, before, while, after"),
        (HEAD + "before = 3\n", 3, "before needs a text in quotes"),
        (HEAD + 'after = "x"\nprompt_tokens = "many"\n', 4, "prompt_tokens needs a number of tokens such as"),
        (HEAD + "rivals = 9\n", 3, "rivals needs a whole number from 0 to 4"),
        (HEAD + 'cache = "warm"\n', 3, "cache needs cold, same, or tail:N"),
        (HEAD + 'stage = "yes"\n', 3, "stage needs true or false"),
        (HEAD + 'after = "{tfft}"\n', 3, "did you mean {ttft}?"),
        (HEAD + 'after = "{before.xyz}"\n', 3, "nothing is known as {before.xyz}; there are ttft"),
        (HEAD + 'recording = "gone.jsonl"\n', 3, "there is no file 'gone.jsonl'"),
        (HEAD + 'after = """\ntitle = 3\n"""\n' + HEAD + "stage = 1\n", 8, "stage needs true or false"),
    ],
)
def test_what_is_wrong_is_one_line_with_its_place_and_a_remedy(
    text: str, line: int, said: str, tmp_path: Path
) -> None:
    told = wrong(text, tmp_path)
    assert told.startswith(f"my.toml, line {line}: "), told
    assert said in told
    assert "\n" not in told


def test_a_recording_beside_the_script_goes_before_one_that_comes_along(tmp_path: Path) -> None:
    (act,) = parse(HEAD + 'recording = "short.jsonl.gz"', tmp_path / "x.toml")
    assert act.recording == locations.demo_dir() / "short.jsonl.gz"
    (tmp_path / "short.jsonl.gz").write_bytes(b"")
    (act,) = parse(HEAD + 'recording = "short.jsonl.gz"', tmp_path / "x.toml")
    assert act.recording == tmp_path / "short.jsonl.gz"


def test_a_written_script_is_the_one_that_comes_along_and_overwrites_nothing(tmp_path: Path) -> None:
    file = tmp_path / "talks" / "tour.toml"
    write(file)
    assert load(file) == load()
    with pytest.raises(ScriptError, match="is there already"):
        write(file)
    with pytest.raises(ScriptError, match="can't be written"):
        write(file / "x.toml")


def test_the_own_script_is_taken_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKLANE_HOME", str(tmp_path))
    assert len(load()) == 5
    own = tour_script.own_file()
    own.parent.mkdir(parents=True)
    own.write_text(HEAD, encoding="utf-8")
    assert [act.title for act in load()] == ["one"]
    own.write_bytes(b"\xff\xfe")
    with pytest.raises(ScriptError, match="not UTF-8"):
        load()
    with pytest.raises(ScriptError, match=r"can't be read: No such file .*--write-script"):
        load(tmp_path / "gone.toml")


def test_braces_of_no_placeholder_stay() -> None:
    assert filled("a {ttft} b {other}", {"ttft": "1 s"}) == "a 1 s b {other}"
