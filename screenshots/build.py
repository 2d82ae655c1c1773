"""Builds all pictures from recordings of real requests: `python screenshots/build.py [NAME …]`.

Each picture is the real monitor, fed from a recording on a clock that stands still at the chosen moment, so the
pictures come out the same each time. SVG always; PNG and GIF where resvg-py and Pillow are (the extra `test`).
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent))  # for a plain checkout

from screenshots import drawing, pixels  # noqa: E402
from screenshots.catalogue import FILM, PICTURES, SECTIONS, Picture, sittings  # noqa: E402

FILM_ZOOM = 0.8


def main() -> int:
    """Build all pictures, or those named on the command line."""
    wanted = set(sys.argv[1:])
    if unknown := wanted - {FILM.name, *(picture.name for picture in PICTURES)}:
        sys.exit(f"no picture of that name: {', '.join(sorted(unknown))}")
    chosen = tuple(picture for picture in PICTURES if not wanted or picture.name in wanted)
    try:
        build(chosen)
        if not wanted or FILM.name in wanted:
            build_film()
    except pixels.Missing as error:
        sys.exit(str(error))
    if not wanted:
        (HERE / "README.md").write_text("\n".join(gallery()), encoding="utf-8")
    return 0


def build(pictures: tuple[Picture, ...]) -> None:
    for picture, svg in drawing.all_drawn(sittings(pictures)):
        file = HERE / f"{picture.name}.svg"
        file.write_text(svg, encoding="utf-8")
        image = pixels.png(svg)
        file.with_suffix(".png").write_bytes(image)
        print(f"{picture.name:<26} svg {len(svg):>7,}  png {len(image):>7,}", flush=True)


def build_film() -> None:
    svgs = asyncio.run(_frames())
    image = pixels.gif(svgs, FILM.every_s, FILM.stand_s, FILM_ZOOM)
    (HERE / f"{FILM.name}.gif").write_bytes(image)
    print(f"{FILM.name:<26} {len(svgs)} frames  gif {len(image):>7,}", flush=True)


async def _frames() -> list[str]:
    return [svg async for _, svg in drawing.frames(FILM)]


def gallery() -> Iterator[str]:
    """The page of this folder: every picture with what it shows."""
    yield "<!-- Made by build.py. -->"
    yield "# Pictures of toklane\n"
    yield "All of them are the real monitor, drawn from recordings of real requests: `python screenshots/build.py`."
    yield f"\n![{FILM.tells}]({FILM.name}.gif)"
    for title, section in SECTIONS.items():
        yield f"\n## {title}\n"
        yield from _pairs(section)
    yield ""


def _pairs(section: Iterable[Picture]) -> Iterator[str]:
    some = tuple(section)
    yield "| | |\n|---|---|"
    for left, right in zip(some[::2], (*some[1::2], None)[: len(some[::2])], strict=True):
        both = [picture for picture in (left, right) if picture is not None]
        cells = [f"[![{picture.tells}]({picture.name}.png)]({picture.name}.svg)" for picture in both]
        told = [picture.tells for picture in both]
        yield f"| {' | '.join([*cells, ''][:2])} |"
        yield f"| {' | '.join([*told, ''][:2])} |"


if __name__ == "__main__":
    sys.exit(main())
