"""Numbers as text: three significant digits, the right unit, nothing that suggests more than is known."""

from __future__ import annotations

from typing import NamedTuple

_US = 1_000
_MS = 1_000_000
_S = 1_000_000_000
_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_DECIMAL = ("B/s", "kB/s", "MB/s", "GB/s", "TB/s")
ABSENT = "–"


class Figure(NamedTuple):
    """A number for block digits and the unit that stands beside it."""

    number: str
    unit: str


def three(number: float) -> str:
    """Three significant digits without exponent or comma: `9.54`, `81.4`, `101`, `2048`; `0.04` below 1."""
    size = abs(number)
    return f"{number:.{2 if size < 9.995 else 1 if size < 99.95 else 0}f}"


def count(tokens: int) -> str:
    """A whole number in running text: `6,854`."""
    return f"{tokens:,}"


def seconds(ns: int) -> str:
    """Seconds without unit, always seconds: `0.04`, `7.60`, `18.1`, `123`."""
    return three(ns / _S)


def fine_seconds(ns: int) -> str:
    """As `seconds`, but what is shorter than 0.1 s is told apart from nothing: `0.041`, `0.0004`."""
    return f"{ns / _S:.{3 if ns >= 999_500 else 4}f}" if 0 < ns < 99_500_000 else seconds(ns)


def duration(ns: int) -> str:
    """A length of time in running text: `850 µs`, `1.2 ms`, `299 ms`, `7.60 s`, `18.1 s`, `2:05`.

    What has only just begun is `<1 µs`.
    """
    if ns < 0:
        return "−" + duration(-ns)
    if 0 < ns < 999_500:
        return f"{round(ns / _US)} µs" if ns > _US // 2 else "<1 µs"
    if ns < 999_500_000:
        return f"{ns / _MS:.{1 if ns < 99_950_000 else 0}f} ms" if ns else "0 ms"
    if ns < 99_950_000_000:
        return f"{seconds(ns)} s"
    return clock(ns)


def clock(ns: int) -> str:
    """Minutes and seconds: `2:05`, `71:40`."""
    minutes, rest = divmod(round(ns / _S), 60)
    return f"{minutes}:{rest:02d}"


def duration_figure(ns: int, unit: str | None = None) -> Figure:
    """A length of time for block digits. A given unit (`µs`, `ms`, `s`, `min`) is kept."""
    if unit is None:
        unit = "µs" if ns < 999_500 else "ms" if ns < 999_500_000 else "s" if ns < 99_950_000_000 else "min"
    if unit == "min":
        return Figure(clock(ns), unit)
    return Figure(three(ns / {"µs": _US, "ms": _MS, "s": _S}[unit]), unit)


def rate(tokens_per_s: float) -> str:
    """A rate in running text: `81.6 tok/s`, `6,854 tok/s`."""
    return f"{tokens_per_s:,.0f} tok/s" if tokens_per_s >= 999.5 else f"{three(tokens_per_s)} tok/s"


def rate_figure(tokens_per_s: float, unit: str | None = None) -> Figure:
    """A rate for block digits: thousands get the unit `k tok/s`. A given unit is kept."""
    if unit is None:
        unit = "k tok/s" if tokens_per_s >= 999.5 else "tok/s"
    return Figure(three(tokens_per_s / (1000 if unit == "k tok/s" else 1)), unit)


def share(part: float, whole: float) -> str:
    """Part of a whole: `11.8 %`, `100.0 %`; what is there but tiny is `<0.1 %`."""
    percent = 100 * part / whole if whole else 0.0
    return "<0.1 %" if 0 < percent < 0.05 else f"{percent:.1f} %"


def percent(value: float) -> str:
    """A load from 0 to 100: `97 %`."""
    return f"{value:.0f} %"


def size(used_bytes: float) -> str:
    """Memory, powers of 1024: `14.2 GiB`, `327 MiB`, `0 B`."""
    return " ".join(_scaled(used_bytes, 1024, _BINARY))


def size_of(used_bytes: float, total_bytes: float) -> Figure:
    """Memory used of all there is, in the unit of the whole: `14.2/23.4`, `GiB`."""
    total, unit = _scaled(total_bytes, 1024, _BINARY)
    return Figure(f"{three(used_bytes / 1024 ** _BINARY.index(unit))}/{total}", unit)


def throughput(bytes_per_s: float) -> str:
    """Data per second, powers of 1000: `0 B/s`, `3.20 MB/s`, `312 GB/s`."""
    return " ".join(_scaled(bytes_per_s, 1000, _DECIMAL))


def _scaled(value: float, base: int, units: tuple[str, ...]) -> Figure:
    """The first unit in which the number has at most three digits before the point."""
    for unit in units[:-1]:
        if value < 999.5:
            return Figure(f"{value:.0f}" if unit == units[0] else three(value), unit)
        value /= base
    return Figure(three(value), units[-1])


def coarse(ns: int) -> str:
    """An estimated length of time: whole seconds from 10 s, tenths from 1 s, tens of milliseconds below."""
    if ns >= 99_500_000_000:
        return clock(ns)
    if ns >= 9_950_000_000:
        return f"{ns / _S:.0f} s"
    if ns >= 995_000_000:
        return f"{ns / _S:.1f} s"
    return f"{max(1, round(ns / (10 * _MS))) * 10} ms"


def steadied(shown_ns: int, new_ns: int) -> int:
    """The remaining time to show next: it counts down, and goes up only by 10 % or more."""
    return shown_ns if shown_ns < new_ns < 1.1 * shown_ns else new_ns


def prompt_length(tokens: int) -> str:
    """A step of the prompt dial: powers of two from 1,024 on as `1k`, `32k`; any other number in full."""
    thousands = tokens // 1024
    return f"{thousands}k" if tokens >= 1024 and tokens & (tokens - 1) == 0 else str(tokens)
