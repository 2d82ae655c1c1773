"""Time over prompt length: t = a + b·n + c·n² with no factor below 0, and whether the bend pays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

Point = tuple[float, float]
_FLOOR = 1e-3  # relative error below which no clock can tell a better fit from a worse one
_LEAST_SCATTER = 0.02  # no engine repeats itself better, so no fewer points can promise more
_BEND_FROM = 3  # different lengths; two of them can't show a bend


@dataclass(frozen=True, slots=True)
class Fit:
    """The factors (s, s per token, s per token²) and `spread`, the relative standard deviation."""

    a: float
    b: float
    c: float
    spread: float

    def at(self, tokens: float) -> float:
        """The time for so many tokens, s."""
        return self.a + self.b * tokens + self.c * tokens * tokens


def fitted(points: Sequence[Point]) -> Fit | None:
    """Weighted least squares of relative errors over (tokens n, time t > 0); None with fewer than 3 points
    or 2 lengths.

    c is kept where it lowers the Akaike criterion with the correction for few points (Hurvich and Tsai 1989).
    """
    lengths = {n for n, _ in points}
    if len(points) < 3 or len(lengths) < 2:
        return None
    straight = _solved(points, 2)
    if len(lengths) < _BEND_FROM or len(points) < 5:
        return straight[0]
    bent = _solved(points, 3)
    pays = _criterion(bent[1], len(points), 3) < _criterion(straight[1], len(points), 2)
    return bent[0] if pays and bent[0].c > 0 else straight[0]


def _solved(points: Sequence[Point], terms: int) -> tuple[Fit, float]:
    """The best fit whose factors are all 0 or more, by trying every set of terms; and its squared error."""
    scale = max(n for n, _ in points)  # so that n² is no huge number
    best, least = [0.0, 0.0, 0.0], math.inf
    for size in range(1, terms + 1):
        for powers in combinations(range(terms), size):
            factors = _least_squares(points, powers, scale)
            if factors is None or min(factors) < 0:
                continue
            whole = [0.0, 0.0, 0.0]
            for power, factor in zip(powers, factors, strict=True):
                whole[power] = factor / scale**power
            error = sum(((sum(f * n**k for k, f in enumerate(whole)) - t) / t) ** 2 for n, t in points)
            if error < least - 1e-12:
                best, least = whole, error
    free = max(1, len(points) - terms)
    spread = max(_LEAST_SCATTER, math.sqrt(least / free))
    return Fit(best[0], best[1], best[2], spread), least


def _criterion(error: float, number: int, terms: int) -> float:
    free = number - terms - 1
    if free <= 0:
        return math.inf
    return number * math.log(error / number + _FLOOR**2) + 2 * terms + 2 * terms * (terms + 1) / free


def _least_squares(points: Sequence[Point], powers: Sequence[int], scale: float) -> list[float] | None:
    """The factors of the powers of n/scale, weighted by 1/t²; None where they are not determined."""
    rows = [([(n / scale) ** power / t for power in powers]) for n, t in points]
    size = len(powers)
    matrix = [
        [sum(row[i] * row[j] for row in rows) for j in range(size)] + [sum(row[i] for row in rows)]
        for i in range(size)
    ]
    for i in range(size):
        pivot = max(range(i, size), key=lambda k: abs(matrix[k][i]))
        matrix[i], matrix[pivot] = matrix[pivot], matrix[i]
        if abs(matrix[i][i]) < 1e-12:
            return None
        for k in range(size):
            if k != i:
                share = matrix[k][i] / matrix[i][i]
                matrix[k] = [x - share * y for x, y in zip(matrix[k], matrix[i], strict=True)]
    return [matrix[i][size] / matrix[i][i] for i in range(size)]
