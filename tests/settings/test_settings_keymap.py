"""The user's own keys over the key table."""

import pytest

from tui.settings.keymap import KeymapError, apply, written
from tui.settings.keys import KEYS


def rows(**wishes: object) -> dict[str, tuple[tuple[str, ...], str]]:
    return {row.action: (row.keys, row.shown) for row in apply(wishes)}


def test_a_wish_replaces_the_keys_of_one_action() -> None:
    assert rows(send="f5")["send"] == (("f5",), "f5")
    changed = [row.action for old, row in zip(KEYS, apply({"send": "f5"}), strict=True) if row != old]
    assert changed == ["send"]


def test_characters_and_several_keys_can_be_given() -> None:
    assert rows(help=["?", "f1"])["help"] == (("question_mark", "f1"), "? f1")
    assert rows(theme="ctrl+t")["theme"] == (("ctrl+t",), "ctrl+t")
    assert rows(send="/")["send"] == (("slash",), "/")
    assert rows(zoom_in="+")["zoom_in"] == (("plus",), "+")
    assert rows(send="ctrl+right")["send"] == (("ctrl+right",), "ctrl →")


def test_two_actions_can_swap_their_keys() -> None:
    swapped = rows(quit="e", engine="q")
    assert (swapped["quit"][0], swapped["engine"][0]) == (("e",), ("q",))


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"fly": "f"}, "unknown action 'fly'"),
        ({"send": "q"}, "'q' can't be both 'send' and 'quit'"),
        ({"send": []}, "'send' needs a key"),
        ({"send": 3}, "'send' needs a key"),
        ({"send": "no such key"}, "'no such key' is no key"),
        ({"send": "\x1b[31m"}, "is no key"),
        ({"maximise": "f1"}, "'maximise' needs 6 keys"),
    ],
)
def test_wishes_that_cannot_be_had_name_the_action_in_one_line(wishes: dict[str, object], said: str) -> None:
    with pytest.raises(KeymapError) as caught:
        apply(wishes)
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


def test_the_table_itself_has_no_clash_and_is_written_as_people_write_keys() -> None:
    assert apply({}) == KEYS
    for row in KEYS:
        if len(row.keys) == 1:
            assert written(row.keys[0]) == row.shown
