"""The pictures are what the monitor draws today from the recordings beside them."""

import html
import re
from pathlib import Path

import pytest

from screenshots import build

SCREENSHOTS = Path(build.__file__).parent


def words(svg: str) -> list[str]:
    """Every text of the picture with its place and colours, whatever the names of its classes."""
    colours = dict(re.findall(r"\.terminal-\d+-(r\d+) \{ ([^}]*) \}", svg))
    texts = re.findall(r'<text class="terminal-\d+-(r\d+)" x="([\d.]+)" y="([\d.]+)"[^>]*>([^<]*)<', svg)
    return [f"{y} {x} {colours[name]} {html.unescape(text)}" for name, x, y, text in texts]


@pytest.mark.parametrize("picture", build.PICTURES, ids=lambda picture: picture.name)
async def test_picture(picture: build.Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    kept = (SCREENSHOTS / f"{picture.name}.svg").read_text(encoding="utf-8")
    drawn = await build.drawn(picture)
    assert len(words(kept)) > 20
    assert words(drawn) == words(kept)


def test_no_picture_names_an_address_outside() -> None:
    for file in SCREENSHOTS.glob("*.svg"):
        outside = re.findall(r"(?:url\(|href=)[\"']?(https?:[^\"')]+)", file.read_text(encoding="utf-8"))
        assert outside == []
