"""The scale by which text is coloured: plain as long as it came as usual, a stall's looks from a stall on."""

import pytest

from tui.plot.heat import STYLES, Scale, legend, scale, style
from tui.plot.rows import plain, row_width

MS = 1_000_000


@pytest.mark.parametrize(
    ("median_ms", "borders_ms"), [(11.6, (17, 66, 250)), (50, (75, 140, 250)), (400, (600, 1100, 2000))]
)
def test_borders_go_from_the_usual_to_the_stall(median_ms: float, borders_ms: tuple[int, ...]) -> None:
    assert scale(median_ms * MS).borders_ns == tuple(border * MS for border in borders_ms)


def test_what_is_usual_or_has_no_gap_is_plain() -> None:
    known = scale(10.0 * MS)
    assert [known.step(gap) for gap in (None, 0, 15 * MS)] == [0, 0, 0]
    assert [known.step(gap * MS) for gap in (16, 62, 250, 251)] == [1, 2, 2, 3]
    assert scale(None).step(10**12) == 0


def test_steps_differ_without_colour() -> None:
    looks = [frozenset(word.split()[1:]) for word in STYLES]
    assert len(set(looks)) == len(STYLES)
    assert style(2, together=True) == "slower reverse underline"


def test_the_legend_gives_its_borders_and_gives_way() -> None:
    known = scale(11.6 * MS)
    assert plain(legend(known, 90)) == (
        " up to 17.0 ms  to 66.0 ms  to 250 ms  longer: a stall  came in one read"
    )
    assert plain(legend(known, 60)) == " ≤17.0 ms  ≤66.0 ms  ≤250 ms  >250 ms  one read"
    assert plain(legend(known, 40)) == " ≤17.0 ms  ≤66.0 ms  ≤250 ms  >250 ms"
    assert legend(known, 20) == () and legend(Scale(), 90) == ()
    assert all(row_width(legend(known, cells)) <= cells for cells in range(100))
