"""Prefill against arithmetic: floating point operations of the prompt by the time it took.

Operations = 2 x active parameters x n + 2 x layers x heads x head size x (n_total² - n_cached²) for n tokens
really processed: the second term is attention, its causal half. TFLOP/s = operations / s / 10^12.
"""

from __future__ import annotations

from dataclasses import replace

from tui.domain.bandwidth import share_of_peak
from tui.domain.shape import ModelShape
from tui.domain.values import Provenance, Value, absent

TERA = 1e12
STEP_PCT = 5  # quantised weights run through FP16 or INT8 paths: the peak is no sharper than this


def linear_flop(active_params: int, tokens: int) -> float:
    """Operations of the weights: a multiplication and an addition for each and each token."""
    return 2.0 * active_params * tokens


def attention_flop(layers: int, heads: int, head_dim: int, total: int, cached: int = 0) -> float:
    """Operations of attention over a prompt of `total` tokens whose first `cached` were reused."""
    return 2.0 * layers * heads * head_dim * (total * total - cached * cached)


def prefill_flops(
    shape: ModelShape | None, processed: int | None, cached: int, seconds: float | None
) -> Value:
    """TFLOP/s of a prefill of `processed` tokens behind `cached` reused ones."""
    unit = "TFLOP/s"
    if shape is None or shape.active_params is None or shape.experts is None:
        return absent(unit, "the number of active parameters is not known")
    if not processed or not seconds:
        return absent(unit, "the engine tells no prefill time")
    flop = linear_flop(shape.active_params, processed)
    note = f"2 x {shape.active_params / 1e9:.3g}e9 parameters x {processed} tokens"
    if shape.layers and shape.heads and shape.head_dim:
        flop += attention_flop(shape.layers, shape.heads, shape.head_dim, processed + cached, cached)
        note += " + attention"
    return Value(flop / seconds / TERA, unit, Provenance.ESTIMATED, f"{note} / {seconds:.2f} s")


def flops_share(used: Value, peak_tflops: float | None) -> Value:
    """Percent of the peak in steps of 5; above 105 % the reason instead."""
    share = share_of_peak(used, peak_tflops, "the arithmetic peak of this device is not known")
    if share.number is None:
        return share
    return replace(share, number=float(STEP_PCT * round(share.number / STEP_PCT)))


def ridge(
    peak_tflops: float | None, gb_s: float | None, weight_bytes: float | None, params: int | None
) -> Value:
    """Tokens in flight where arithmetic takes as long as reading the weights.

    peak FLOP/s x bytes per weight / (2 x bandwidth): with fewer, bandwidth limits; with more, arithmetic.
    """
    unit = "tok"
    if not peak_tflops or not gb_s:
        return absent(unit, "the peaks of this device are not known")
    if not weight_bytes or not params:
        return absent(unit, "the bytes per weight are not known")
    each = weight_bytes / params
    tokens = peak_tflops * TERA * each / (2 * gb_s * 1e9)
    return Value(
        tokens, unit, Provenance.ESTIMATED, f"{each:.2f} B per weight, {peak_tflops:g} TFLOP/s, {gb_s:g} GB/s"
    )
