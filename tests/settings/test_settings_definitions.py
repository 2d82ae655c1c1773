"""The definitions: complete, and fit to stand in a help page and a README."""

from tests.domain.test_domain_phases import NAMES
from tui.domain.values import Provenance, Value
from tui.domain.view import View
from tui.settings.definitions import BY_NAME, DEFINITIONS, GROUPS, MARKS, of_phase


def test_every_number_of_a_view_has_a_definition() -> None:
    view = View()
    numbers = {name for name in View.__slots__ if isinstance(getattr(view, name), Value)}
    assert numbers - BY_NAME.keys() <= {"last_token"}


def test_every_phase_has_a_definition() -> None:
    for phase in NAMES:
        assert of_phase(phase).group == "phases"


def test_definitions_are_plain_whole_sentences() -> None:
    assert len(BY_NAME) == len(DEFINITIONS)
    for number in DEFINITIONS:
        assert number.group in GROUPS
        assert number.says.endswith(".")
        assert not number.beware or number.beware.endswith(".")
        for text in (number.title, number.says, number.formula, number.clock, number.beware, number.doubt):
            assert text.isprintable() or not text
            assert "  " not in text


def test_every_mark_is_explained() -> None:
    assert {origin for origin, _ in MARKS} == set(Provenance)
