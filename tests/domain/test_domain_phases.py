"""Phases tile the request: in order, touching, summing to the total, whatever the engine says."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from tui.domain.events import Dialect
from tui.domain.phases import Facts, Phase
from tui.domain.tiling import split
from tui.domain.values import Provenance

MS = 1_000_000
LLAMA = Dialect("llama.cpp", tokenizes_first=True, names_wait=True)
PLAIN = Dialect("openai")
NAMES = (
    *("connect", "send", "load", "queue", "tokenize", "prefill", "decode", "finish"),
    *("waiting", "unattributed"),
)


def named(phases: tuple[Phase, ...]) -> dict[str, int]:
    return {p.name: p.duration_ns for p in phases}


def finished(**more: object) -> Facts:
    facts: dict[str, object] = {
        "dialect": LLAMA, "now_ns": 1000 * MS, "over": True, "sent": True, "sent_all_ns": 1 * MS,
        "first_ns": 500 * MS, "last_ns": 990 * MS, "anchor_ns": 990 * MS, "end_ns": 1000 * MS,
        "prompt_ns": 480 * MS, "predicted_ns": 490 * MS, "prompt_tokens": 500,
    }  # fmt: skip
    return Facts(**(facts | more))  # type: ignore[arg-type]


def test_engine_durations_are_kept_exactly() -> None:
    phases = named(split(finished(tokenize_ns=3 * MS)))
    assert phases == {
        "send": 1 * MS, "tokenize": 3 * MS, "queue": 16 * MS, "prefill": 480 * MS, "decode": 490 * MS,
        "finish": 10 * MS,
    }  # fmt: skip


def test_queue_minus_an_estimate_is_an_estimate() -> None:
    phases = {p.name: p for p in split(finished(tokenize_ns=3 * MS))}
    assert phases["queue"].provenance is Provenance.ESTIMATED
    assert phases["tokenize"].provenance is Provenance.ESTIMATED
    assert phases["prefill"].provenance is Provenance.MEASURED


def test_a_short_wait_without_a_probe_stays_unnamed() -> None:
    assert "waiting" in named(split(finished()))


def test_a_wait_no_tokenizer_could_fill_is_queue() -> None:
    phases = named(
        split(finished(first_ns=2500 * MS, last_ns=2990 * MS, anchor_ns=2990 * MS, end_ns=3000 * MS))
    )
    assert phases["queue"] == 2019 * MS
    assert "waiting" not in phases


def test_a_wait_before_an_answer_that_came_all_at_once_is_not_called_queue() -> None:
    """Something on the way held it back: the engine may have begun at once."""
    lump = {"first_ns": 2990 * MS, "last_ns": 2990 * MS, "anchor_ns": 2990 * MS, "end_ns": 3000 * MS}
    assert named(split(finished(**lump)))["waiting"] == 2019 * MS
    assert named(split(finished(**lump, slots_busy=True)))["queue"] == 2019 * MS
    one = split(finished(**lump, predicted_ns=1))
    assert "queue" in named(one), "a single token comes in one read anyway"


def test_busy_slots_name_the_queue_while_it_lasts() -> None:
    waiting = {"dialect": LLAMA, "now_ns": 800 * MS, "sent": True, "sent_all_ns": 1 * MS}
    assert named(split(Facts(**waiting))) == {"send": 1 * MS, "waiting": 799 * MS}  # type: ignore[arg-type]
    busy = split(Facts(**waiting, slots_busy=True))  # type: ignore[arg-type]
    assert named(busy) == {"send": 1 * MS, "queue": 799 * MS}
    assert busy[-1].running


def test_an_engine_that_tells_nothing_leaves_one_wait() -> None:
    facts = finished(dialect=PLAIN, prompt_ns=None, predicted_ns=None, anchor_ns=None)
    assert named(split(facts)) == {"send": 1 * MS, "waiting": 499 * MS, "decode": 490 * MS, "finish": 10 * MS}


def test_connect_ends_where_sending_begins() -> None:
    connect = split(finished(connecting_ns=-30 * MS, connected_ns=-28 * MS))[0]
    assert (connect.name, connect.start_ns, connect.end_ns) == ("connect", -2 * MS, 0)


def test_an_engine_clock_that_says_too_much_moves_the_border_not_the_length() -> None:
    phases = {p.name: p for p in split(finished(prompt_ns=505 * MS))}
    assert phases["prefill"].duration_ns == 505 * MS
    assert phases["decode"].duration_ns == 490 * MS
    assert phases["decode"].end_ns == 996 * MS


TIMES = st.one_of(st.none(), st.integers(0, 5000 * MS))


@given(st.sampled_from([LLAMA, PLAIN]), st.booleans(), st.integers(0, 5000 * MS), *[TIMES] * 10)
def test_phases_tile_whatever_is_told(
    dialect: Dialect, over: bool, now: int, sent_all: int | None, report: int | None, first: int | None,
    last: int | None, anchor: int | None, load: int | None, queue: int | None, prompt: int | None,
    predicted: int | None, tokenize: int | None,
) -> None:  # fmt: skip
    facts = Facts(
        dialect=dialect, now_ns=now, over=over, sent=True, sent_all_ns=sent_all, prefill_from_ns=report,
        first_ns=first, last_ns=last if first is not None else None, anchor_ns=anchor,
        end_ns=now if over else None,
        load_ns=load, queue_ns=queue, prompt_ns=prompt, predicted_ns=predicted, tokenize_ns=tokenize,
    )  # fmt: skip
    phases = split(facts)
    assert all(p.name in NAMES and p.start_ns <= p.end_ns for p in phases)
    if phases:
        assert phases[0].start_ns == 0
        assert phases[-1].end_ns == max(now, 0)
    for before, after in pairwise(phases):
        assert before.end_ns == after.start_ns


def test_decode_begins_no_later_than_its_first_token_was_seen() -> None:
    late = {p.name: p for p in split(finished(anchor_ns=1900 * MS, end_ns=2000 * MS))}
    assert (late["prefill"].end_ns, late["decode"].start_ns) == (500 * MS, 500 * MS)
    assert late["decode"].duration_ns == 490 * MS and late["decode"].provenance is Provenance.MEASURED
    assert late["finish"].duration_ns == 1010 * MS
    short = {p.name: p for p in split(finished(predicted_ns=100 * MS))}
    assert short["prefill"].end_ns == 500 * MS, "tokens came for longer than the engine says"
    assert (short["decode"].duration_ns, short["decode"].provenance) == (490 * MS, Provenance.OBSERVED)


def test_what_does_not_fit_into_the_time_seen_is_not_the_engines_word() -> None:
    """The table beside it tells a rate by the whole time: the two must not both be called measured."""
    phases = {p.name: p for p in split(finished(prompt_ns=600 * MS))}
    assert phases["prefill"].duration_ns == 600 * MS
    assert phases["prefill"].provenance is Provenance.MEASURED
    cut = phases["decode"]
    assert (cut.duration_ns, cut.provenance) == (399 * MS, Provenance.DERIVED)
    assert cut.source.endswith(": so much of its 0.490 s fits into the time seen")
    over = {p.name: p for p in split(finished(prompt_ns=2000 * MS))}
    assert (over["prefill"].duration_ns, over["prefill"].provenance) == (999 * MS, Provenance.DERIVED)
