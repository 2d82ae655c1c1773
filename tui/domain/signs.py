"""When each word for the state of the memory holds: one table, by system, with the evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tui.domain.flow import Flow
from tui.domain.machine import Reading
from tui.domain.memory_words import LIMITS, Word
from tui.domain.sizes import gib, per_s


@dataclass(frozen=True, slots=True)
class Sight:
    """What the rules look at: a reading, what flowed before it, and whether tokens were written meanwhile.

    `writing` None: the flow began before the first token, so it belongs to the load as much as to the answer.
    """

    reading: Reading
    flow: Flow
    writing: bool | None


@dataclass(frozen=True, slots=True)
class Rule:
    """`holds` gives the evidence in words, "" when the rule does not hold or its system is another one."""

    word: Word
    system: str
    what: str
    holds: Callable[[Sight], str]


def signs(reading: Reading, now: Flow | None, decode_ns: int | None) -> dict[Word, str]:
    """The words whose rules hold in this reading, without any patience, each with its evidence.

    `decode_ns` is since when tokens are written, None while none are. Flows that began before it belong to
    the load of the model.
    """
    flow = now or Flow(reading.at_ns, 0)
    writing = False if decode_ns is None else (True if flow.at_ns - flow.span_ns >= decode_ns else None)
    sight = Sight(reading, flow, writing)
    found: dict[Word, str] = {}
    for rule in RULES:
        if (why := rule.holds(sight)) and rule.word not in found:
            found[rule.word] = why
    return found


def _over(value: float | None, limit: float) -> bool:
    return value is not None and value >= limit


def _swap_in(sight: Sight) -> str:
    rate = sight.flow.swap_in_bytes_s
    return f"{per_s(rate or 0)} from swap" if _over(rate, LIMITS.swap_in_bytes_s) else ""


def _swapping(sight: Sight) -> str:
    return "" if sight.reading.swap_compressed else _swap_in(sight)


def _swapping_windows(sight: Sight) -> str:
    rate, share = sight.flow.page_read_bytes_s, _commit_share(sight.reading)
    if not (_over(rate, LIMITS.swap_in_bytes_s) and _over(share, LIMITS.swapping_commit_share)):
        return ""
    return f"{per_s(rate or 0)} of pages read, {100 * (share or 0):.0f} % of commit used"


def _reads(sight: Sight) -> float | None:
    """What the server reads from disk; what the machine reads when the server's own can't be seen."""
    server = sight.reading.server
    if server is not None and server.read_bytes is None and server.pagein_bytes is None:
        return sight.flow.disk_read_bytes_s
    return sight.flow.server_read_bytes_s


def _paging(sight: Sight) -> str:
    if not sight.writing:
        return ""
    for rate, what in (
        (_reads(sight), "from disk"),
        (sight.flow.pagein_bytes_s, "paged in"),
        (sight.flow.page_read_bytes_s, "of pages read"),
        (sight.flow.refault_bytes_s, "of the file cache read again"),
    ):
        if _over(rate, LIMITS.paging_bytes_s):
            return f"{per_s(rate or 0)} {what}"
    return ""


def _loading(sight: Sight) -> str:
    rate = _reads(sight) if sight.flow.pagein_bytes_s is None else sight.flow.pagein_bytes_s
    return (
        f"{per_s(rate or 0)} from disk"
        if sight.writing is False and _over(rate, LIMITS.paging_bytes_s)
        else ""
    )


def _stalls(sight: Sight) -> Iterator[tuple[float | None, float | None, str]]:
    flow = sight.flow
    yield flow.group_stall_some_pct, flow.group_stall_full_pct, " in the container"
    yield flow.stall_some_pct, flow.stall_full_pct, ""


def _stalled(sight: Sight) -> str:
    for some, full, where in _stalls(sight):
        if _over(some, LIMITS.stalled_some_pct):
            return f"{some or 0:.0f} % of the time something waits for memory{where}"
        if _over(full, LIMITS.stalled_full_pct):
            return f"{full or 0:.0f} % of the time everything waits for memory{where}"
    return ""


def _held_up(sight: Sight) -> str:
    return "the container's memory.high holds it up" if sight.flow.limit_hits else ""


def _critical(sight: Sight) -> str:
    return "critical by macOS" if _over(sight.reading.pressure_level, LIMITS.critical_level) else ""


def _compressing(sight: Sight) -> str:
    if sight.reading.swap_compressed:
        return _swap_in(sight).replace("from swap", "out of compressed swap")
    rate = sight.flow.decompressed_bytes_s
    mac = sight.reading.pressure_level is not None
    limit = LIMITS.decompressed_bytes_s if mac else LIMITS.swap_in_bytes_s
    return f"{per_s(rate or 0)} decompressed" if _over(rate, limit) else ""


def _short(sight: Sight) -> str:
    reading = sight.reading
    if reading.pressure_level is not None:  # macOS fills its memory on purpose and tells when it is short
        return ""
    for total, available, where in (
        (reading.limit_bytes, reading.limit_available_bytes, " in the container"),
        (reading.ram_total_bytes, reading.ram_available_bytes, ""),
    ):
        if total is not None and available is not None:
            floor = max(LIMITS.tight_available_bytes, LIMITS.tight_available_share * total)
            if available < floor:
                return f"{gib(available)} available{where}"
    return ""


def _waiting(sight: Sight) -> str:
    for some, _, where in _stalls(sight):
        if _over(some, LIMITS.tight_some_pct):
            return f"{some or 0:.0f} % of the time something waits for memory{where}"
    return ""


def _warned(sight: Sight) -> str:
    return "a warning by macOS" if _over(sight.reading.pressure_level, LIMITS.warning_level) else ""


def _budget(sight: Sight) -> str:
    for gpu in sight.reading.gpus:
        used, budget = gpu.mem_used_bytes, gpu.mem_budget_bytes
        if used is not None and budget and used > LIMITS.tight_budget_share * budget:
            return f"GPU {gib(used)} of its {gib(budget)}"
    return ""


def _commit_share(reading: Reading) -> float | None:
    used, limit = reading.commit_bytes, reading.commit_limit_bytes
    return used / limit if used is not None and limit else None


def _committed(sight: Sight) -> str:
    share = _commit_share(sight.reading)
    return f"{100 * (share or 0):.0f} % of commit used" if _over(share, LIMITS.tight_commit_share) else ""


# A rule whose numbers its system does not give never holds, so all systems share the table. OOM-KILLED needs
# two readings and stands in `pressure`.
RULES: tuple[Rule, ...] = (
    Rule(Word.SWAPPING, "Linux, macOS", "swap-in of 1 MiB/s or more from a disk", _swapping),
    Rule(Word.SWAPPING, "Windows", "page reads with over 90 % of commit used", _swapping_windows),
    Rule(
        Word.PAGING,
        "all",
        "20 MiB/s or more read for the server, or again, while tokens are written",
        _paging,
    ),
    Rule(Word.STALLED, "Linux", "waits for memory: some 20 % or all 5 % of the time", _stalled),
    Rule(Word.STALLED, "Linux", "the container's memory.high holds its programs up", _held_up),
    Rule(Word.STALLED, "macOS", "pressure level critical", _critical),
    Rule(
        Word.COMPRESSING, "Linux, macOS", "1 MiB/s (macOS: 50) or more out of compressed memory", _compressing
    ),
    Rule(Word.TIGHT, "Linux, Windows", "less available than 1 GiB or 5 %", _short),
    Rule(Word.TIGHT, "Linux", "waits for memory: some 5 % of the time", _waiting),
    Rule(Word.TIGHT, "macOS", "pressure level warning", _warned),
    Rule(Word.TIGHT, "unified memory", "the GPU holds over 95 % of its budget", _budget),
    Rule(Word.TIGHT, "Windows", "over 95 % of commit used", _committed),
    Rule(Word.LOADING, "all", "20 MiB/s or more read for the server before it writes", _loading),
)
