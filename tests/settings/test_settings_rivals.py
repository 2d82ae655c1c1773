"""The number of rivals: a flag, a variable and a setting of the file, never more than can be shown."""

import pytest

from tui import cli
from tui.settings.config import ConfigError, merged, parse_environment, parse_file


def test_it_becomes_a_knob() -> None:
    assert merged([parse_file("rivals = 3")]).knobs.rivals == 3
    assert merged([parse_environment({"TOKLANE_RIVALS": "1"})]).knobs.rivals == 1
    assert merged([]).knobs.rivals == 0


@pytest.mark.parametrize("raw", ["5", "-1", "many", "1.5"])
def test_what_can_t_be_is_refused_in_words(raw: str) -> None:
    with pytest.raises(ConfigError, match="from 0 to 4"):
        parse_environment({"TOKLANE_RIVALS": raw})


@pytest.mark.parametrize("words", [["run", "--rivals", "2"], ["--rivals", "2"]])
def test_it_can_be_typed_for_a_run_and_for_the_monitor(words: list[str]) -> None:
    assert cli.parse(words).flags["rivals"] == "2"
