"""The names of the four figures, for wide and for narrow screens, and where they stand."""

SINCE, WHOLE = ("since sent", "sent"), ("whole request", "total")
TTFT = ("first token (TTFT)", "TTFT")
PREFILL = ("reading (prefill)", "prefill")
DECODE = ("writing (decode)", "decode")
ALL = (SINCE, TTFT, PREFILL, DECODE)

_PLACES = (1, 28, 58, 90)  # of 120 columns


def places(width: int, wide: bool) -> list[int]:
    """First column of each figure."""
    return (
        [place * width // 120 or 1 for place in _PLACES] if wide else [1 + n * width // 4 for n in range(4)]
    )
