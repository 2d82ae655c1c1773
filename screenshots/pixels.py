"""From SVG to small PNGs and one GIF: with the fonts that lie here, so that every machine makes the same."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from screenshots.vector import FONT, elements

if TYPE_CHECKING:
    from PIL.Image import Image

FONTS = Path(__file__).parent / "fonts"
COLOURS = 256
FILM_COLOURS = 160
_IS_ZERO = [255, *[0] * 255]
MADE_FROM = "made-from"
"""The word in a PNG beside the digest of its SVG."""


class Missing(RuntimeError):
    """A library for pictures is not there."""


def digest(svg: str) -> str:
    """Of what a picture shows."""
    return hashlib.sha256("\n".join(elements(svg)).encode()).hexdigest()[:16]


def png(svg: str) -> bytes:
    """The picture with a palette of its own. Raises Missing."""
    from PIL.Image import Quantize
    from PIL.PngImagePlugin import PngInfo

    told = PngInfo()
    told.add_text(MADE_FROM, digest(svg))
    out = io.BytesIO()
    image = _image(svg)
    image.quantize(COLOURS, Quantize.MAXCOVERAGE, dither=0).save(out, "PNG", optimize=True, pnginfo=told)
    return out.getvalue()


def made_from(file: Path) -> str:
    """The digest of the SVG that a PNG was made from."""
    from PIL import Image

    with Image.open(file) as image:
        return str(image.info.get(MADE_FROM, ""))


def frames_made_from(file: Path) -> list[str]:
    """The same of each frame of a GIF."""
    from PIL import Image

    with Image.open(file) as image:
        return bytes(image.info.get("comment", b"")).decode("ascii").split()


def gif(svgs: Iterable[str], every_s: float, stand_s: float, zoom: float) -> bytes:
    """Frames of `every_s` seconds, the last one for `stand_s`; its comment has the digest of each. Raises Missing."""
    told, images = [], []
    for svg in svgs:
        told.append(digest(svg))
        images.append(_image(svg, zoom))
    palette = _palette(images)
    flat = list(_changes([image.quantize(palette=palette, dither=0) for image in images]))
    every_ms, stand_ms = round(every_s * 1000), round(stand_s * 1000)
    out = io.BytesIO()
    flat[0].save(
        out,
        "GIF",
        save_all=True,
        append_images=flat[1:],
        duration=[*[every_ms] * (len(flat) - 1), stand_ms],
        loop=0,
        disposal=1,
        transparency=FILM_COLOURS,
        optimize=False,
        comment=" ".join(told).encode(),
    )
    return out.getvalue()


def _changes(images: Sequence[Image]) -> Iterator[Image]:
    """Each frame with only those pixels that are not as in the one before: the rest packs into nothing."""
    from PIL import ImageChops

    yield images[0]
    for before, now in pairwise(images):
        as_before = (
            ImageChops.difference(now.convert("RGB"), before.convert("RGB")).convert("L").point(_IS_ZERO)
        )
        changed = now.copy()
        changed.paste(FILM_COLOURS, mask=as_before)
        yield changed


def _palette(images: Sequence[Image]) -> Image:
    """One for all frames: a colour must not flicker."""
    from PIL import Image

    few = [images[n] for n in sorted({0, len(images) // 3, 2 * len(images) // 3, len(images) - 1})]
    whole = Image.new("RGB", (few[0].width, sum(image.height for image in few)))
    for n, image in enumerate(few):
        whole.paste(image, (0, n * few[0].height))
    return whole.quantize(FILM_COLOURS, Image.Quantize.MAXCOVERAGE, dither=0)


def _image(svg: str, zoom: float | None = None) -> Image:
    """As it is drawn. Raises Missing."""
    try:
        import resvg_py
        from PIL import Image
    except ImportError as error:
        raise Missing(f"{error.name} is missing: pip install 'toklane[test]'") from None
    files = [str(file) for file in sorted(FONTS.glob("*.ttf"))]
    data = resvg_py.svg_to_bytes(
        svg_string=svg,
        background="#ffffff",
        zoom=zoom,
        skip_system_fonts=True,
        font_files=files,
        font_family=FONT,
        monospace_family=FONT,
    )
    return Image.open(io.BytesIO(bytes(data))).convert("RGB")
