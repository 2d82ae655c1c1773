"""Decode against memory bandwidth: each token reads the active weights and the KV cache once.

GB/s = (weight bytes + KV bytes at the mean context) x tokens/s / 10^9. A lower bound of the traffic:
activations and repeated reads are not in it. Above 105 % of the peak the picture of the work is wrong, and no
number is told.
"""

from __future__ import annotations

from tui.domain.shape import ModelShape
from tui.domain.values import Provenance, Value, absent

MOST_PCT = 105.0
GIGA = 1e9


def weights_read(shape: ModelShape | None) -> Value:
    """Bytes of weights read for one token."""
    unit = "B"
    if shape is None:
        return absent(unit, "the model's file is not known")
    if shape.weight_bytes is not None:
        note = "the file without its embedding table"
        if shape.experts:
            note = f"{shape.experts_used} of {shape.experts} experts and what all tokens share"
        elif shape.tied or shape.embedding_bytes is None:
            note = "the whole file"
        return Value(shape.weight_bytes, unit, Provenance.ESTIMATED, note)
    if shape.experts:
        return absent(unit, "mixture of experts: the bytes read per token are not known")
    if shape.experts is None:
        return absent(unit, "whether the model is a mixture of experts is not told")
    return absent(unit, "the size of the weights is not known")


def decode_bandwidth(
    weights: Value, kv_bytes: float | None, tok_s: float | None, drafts: bool = False
) -> Value:
    """GB/s of one decoding sequence; `drafts`: tokens are guessed ahead, several come from one pass."""
    unit = "GB/s"
    if weights.number is None:
        return absent(unit, weights.note)
    if tok_s is None:
        return absent(unit, "no decode rate")
    if drafts:
        return absent(unit, "speculative decoding: one pass over the weights writes several tokens")
    total = weights.number + (kv_bytes or 0.0)
    kv = f" + {kv_bytes / GIGA:.2f} GB KV" if kv_bytes else ""
    note = f"({weights.number / GIGA:.2f} GB weights{kv}) x {tok_s:.1f} tok/s; a lower bound"
    return Value(total * tok_s / GIGA, unit, Provenance.ESTIMATED, note)


def share_of_peak(
    used: Value, peak: float | None, why: str = "the peak of this device is not known"
) -> Value:
    """Percent of the device's peak, in the unit of `used`; above 105 % the reason instead."""
    if used.number is None:
        return absent("%", used.note)
    if not peak:
        return absent("%", why)
    pct = 100 * used.number / peak
    if pct > MOST_PCT:
        return absent("%", too_much(pct))
    return Value(pct, "%", Provenance.ESTIMATED, f"{used.number:.0f} of {peak:.0f} {used.unit}")


def too_much(pct: float) -> str:
    """Why an estimate above the peak is none."""
    return (
        f"the estimate is {pct:.0f} % of the peak, so it is wrong: experts, drafted tokens or a batch "
        "read less per token"
    )


def plausible(used: Value, peak: float | None) -> Value:
    """The estimate itself, or the reason when it is above 105 % of the peak."""
    if used.number is None or not peak or 100 * used.number / peak <= MOST_PCT:
        return used
    return absent(used.unit, too_much(100 * used.number / peak))
