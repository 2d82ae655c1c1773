"""How far apart two colours are: in lightness for reading, in kind for telling areas apart, for every eye."""

from __future__ import annotations

import math
from collections.abc import Sequence

Linear = tuple[float, float, float]
"""Red, green, blue from 0 to 1, as light (not as sRGB numbers)."""

_STEPS = 64  # of a walk to black or white
_EYES = (  # protan, deutan, tritan: Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB
    ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
)


def linear(colour: str) -> Linear:
    """The light of a `#rrggbb` colour (IEC 61966-2-1)."""
    red, green, blue = (_light(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return red, green, blue


def _light(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else float(((channel + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """From 1 (the same lightness) to 21 (black on white); WCAG 2."""
    low, high = sorted((_luminance(linear(one)), _luminance(linear(other))))
    return (high + 0.05) / (low + 0.05)


def _luminance(light: Linear) -> float:
    return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]


def apart(one: str, other: str) -> float:
    """Distance in CIE L*a*b* (1976) for the eye that tells them apart worst; 2.3 is just noticeable."""
    both = linear(one), linear(other)
    seen = [both, *((_through(eye, both[0]), _through(eye, both[1])) for eye in _EYES)]
    return min(math.dist(_lab(first), _lab(second)) for first, second in seen)


def _through(eye: Sequence[Sequence[float]], light: Linear) -> Linear:
    red, green, blue = (
        min(1.0, max(0.0, sum(part * channel for part, channel in zip(row, light, strict=True))))
        for row in eye
    )
    return red, green, blue


def _lab(light: Linear) -> tuple[float, float, float]:
    """L*, a*, b* under D65."""
    red, green, blue = light
    x, y, z = (
        t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116
        for t in (
            (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047,
            0.2126 * red + 0.7152 * green + 0.0722 * blue,
            (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883,
        )
    )
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def nearest(colour: str, among: Sequence[str]) -> str:
    """The one of them that looks most like the colour to the usual eye."""
    here = _lab(linear(colour))
    return min(among, key=lambda other: math.dist(here, _lab(linear(other))))


def mixed(one: str, other: str, share: float) -> str:
    """`share` (0 to 1) of the other colour in the one, as painters of screens mix: on sRGB numbers."""
    channels = ((int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in channels)


def readable(colour: str, ground: str, least: float) -> str:
    """The colour, as little lighter or darker as gives that contrast on the ground, as far as that can be."""
    goal = "#ffffff" if contrast(ground, "#ffffff") >= contrast(ground, "#000000") else "#000000"
    for step in range(_STEPS + 1):
        tried = mixed(colour, goal, step / _STEPS)
        if contrast(tried, ground) >= least:
            return tried
    return goal
