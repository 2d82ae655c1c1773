"""Arrivals: gaps between reads, stalls, token numbers."""

from tui.domain.arrivals import Arrivals

MS = 1_000_000


def steady(gaps_ms: list[int], counted: bool = True) -> Arrivals:
    arrivals = Arrivals()
    at = 0
    for number, gap in enumerate([0, *gaps_ms], 1):
        at += gap * MS
        arrivals.start(at)
        arrivals.message(number if counted else None)
    return arrivals


def test_a_stall_is_named_after_the_late_token() -> None:
    arrivals = steady([12] * 97 + [332] + [12] * 5)
    (stall,) = arrivals.stalls
    assert stall.gap_ns == 332 * MS
    assert (stall.at_token, stall.counted) == (99, True)


def test_a_slow_but_even_stream_does_not_stall() -> None:
    assert steady([400] * 20).stalls[1:] == []  # the first gap has no median to be measured by


def test_the_open_stall_grows_with_now() -> None:
    arrivals = steady([10] * 10)
    last = arrivals.at[-1]
    assert arrivals.open_stall(last + 200 * MS) is None
    stall = arrivals.open_stall(last + 300 * MS)
    assert stall is not None
    assert (stall.gap_ns, stall.at_token) == (300 * MS, 12)


def test_without_counts_stalls_name_messages() -> None:
    (stall,) = steady([10] * 5 + [900], counted=False).stalls
    assert (stall.at_token, stall.counted) == (7, False)


def test_several_messages_in_one_read_are_one_arrival() -> None:
    arrivals = Arrivals()
    arrivals.start(5 * MS)
    for count in (1, 2, 3):
        arrivals.message(count)
    assert len(arrivals) == 1
    assert (arrivals.tokens[0], arrivals.messages[0]) == (3, 3)
    assert arrivals.gaps.count == 0


def test_largest_gap_equals_the_plain_maximum() -> None:
    gaps = [n * 37 % 101 for n in range(110)]  # in no order, and some whole blocks of them
    arrivals = steady(gaps)
    all_gaps = [0, *(gap * MS for gap in gaps)]
    for start in range(len(all_gaps) + 1):
        for stop in range(start, len(all_gaps) + 1):
            assert arrivals.largest_gap(start, stop) == max(all_gaps[start:stop], default=0)


def test_stamps_never_go_back() -> None:
    arrivals = Arrivals()
    arrivals.start(10)
    arrivals.start(7)
    assert list(arrivals.at) == [10, 10]
