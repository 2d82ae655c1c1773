"""Rich's SVG made our own: no address outside, blocks as areas instead of letters, and half as long."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

FONT = "DejaVu Sans Mono"
STACK = f"'{FONT}', Menlo, Consolas, 'Liberation Mono', monospace"
_CELL, _LINE, _ASCENT, _TOP, _OVER = 12.2, 24.4, 20.0, 1.5, 0.25  # Rich's own measures, in pixels
_FACE = re.compile(r"@font-face\s*{[^}]*}\s*")
_TEXT = re.compile(r'<text class="(t-r\d+)" x="([\d.]+)" y="([\d.]+)" textLength="[\d.]+">([^<]*)</text>')
_STYLE = re.compile(r"\.(t-r\d+) { ([^}]*) }")
_EIGHTHS = {chr(0x2580 + n): (0.0, 1 - n / 8, 1.0, n / 8) for n in range(1, 9)}  # ▁ to █
_LEFT = {chr(0x2590 - n): (0.0, 0.0, n / 8, 1.0) for n in range(1, 8)}  # ▏ to ▉
_HALVES = {
    "▀": (0.0, 0.0, 1.0, 0.5), "▐": (0.5, 0.0, 0.5, 1.0), "▔": (0.0, 0.0, 1.0, 0.125), "▕": (0.875, 0.0, 0.125, 1.0),
    "┃": (0.4, 0.0, 0.2, 1.0),
}  # fmt: skip
_BOXES = {sign: (box,) for sign, box in (_EIGHTHS | _LEFT | _HALVES).items()}
_CORNERS = ((0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.5, 0.5))
_BOXES |= {
    sign: tuple((x, y, 0.5, 0.5) for (x, y), on in zip(_CORNERS, corners, strict=True) if on == "1")
    for sign, corners in {
        "▘": "1000", "▝": "0100", "▖": "0010", "▗": "0001", "▚": "1001", "▞": "0110",
        "▙": "1011", "▛": "1110", "▜": "1101", "▟": "0111",
    }.items()
}  # fmt: skip
_WORDS = re.compile(r"[^ ]+(?: [^ ]+)*")
_RUN = re.compile(f"([{''.join(_BOXES)}]+)")


def tidied(svg: str) -> str:
    """The picture with the reader's own fonts. Blocks of a font leave thin lines between rows; areas don't."""
    svg = re.sub(r"terminal--?\d+-", "t-", svg)
    svg = _FACE.sub("", svg)
    svg = re.sub(r' clip-path="url\(#t-[^)]*\)"', "", svg)  # they cut what hangs below the last row
    svg = re.sub(r"<defs>.*?</defs>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = svg.replace("Fira Code, monospace", STACK).replace("font-family: arial", f"font-family: {STACK}")
    colours = {name: _fill(css) for name, css in _STYLE.findall(svg)}
    svg = _TEXT.sub(lambda found: "".join(_parts(found, colours)), svg)
    return re.sub(r"\n\s+", "\n", svg)


def _fill(css: str) -> str:
    found = re.search(r"fill: (#[0-9a-f]+)", css)
    return found[1] if found else "currentColor"


def _parts(found: re.Match[str], colours: dict[str, str]) -> Iterator[str]:
    """A run of text as texts and areas; what stands apart is placed apart, so that no font moves it."""
    name, words = found[1], html.unescape(found[4]).replace("\xa0", " ")
    x, y = float(found[2]), float(found[3])
    for part in _RUN.split(words):
        if part and part[0] in _BOXES:
            yield from _areas(part, x, y - _ASCENT + _TOP, colours[name])
        else:
            for word in _WORDS.finditer(part):
                yield _text(name, x + word.start() * _CELL, found[3], word[0])
        x += len(part) * _CELL


def _text(name: str, x: float, y: str, words: str) -> str:
    width = f"{len(words) * _CELL:g}"
    return f'<text class="{name}" x="{x:g}" y="{y}" textLength="{width}">{html.escape(words, quote=False)}</text>'


def _areas(signs: str, x: float, top: float, colour: str) -> Iterator[str]:
    """One area for equal neighbours."""
    for same in re.finditer(r"(.)\1*", signs):
        cells = len(same[0])
        for left, upper, wide, high in _BOXES[same[1]]:
            if wide == 1.0:
                yield _area(
                    x + same.start() * _CELL, top + upper * _LINE, cells * _CELL, high * _LINE, colour
                )
                continue
            for cell in range(same.start(), same.end()):
                yield _area(
                    x + (cell + left) * _CELL, top + upper * _LINE, wide * _CELL, high * _LINE, colour
                )


def _area(x: float, y: float, width: float, height: float, colour: str) -> str:
    return (
        f'<rect fill="{colour}" x="{x:g}" y="{y:g}" width="{width:g}" height="{height + _OVER:g}"'
        ' shape-rendering="crispEdges"/>'
    )


def elements(svg: str) -> list[str]:
    """Every area and every text with its place and colours, whatever the names of its classes."""
    styles = dict(_STYLE.findall(svg))
    found = re.findall(r"<(rect|text) ([^>]*?)/?>(?:([^<]*)</text>)?", svg)
    told = []
    for tag, attributes, words in found:
        of = dict(re.findall(r'([a-zA-Z-]+)="([^"]*)"', attributes))
        look = styles.get(of.get("class", ""), of.get("fill", ""))
        told.append(f"{tag} {of.get('y')} {of.get('x')} {of.get('width', '')} {look} {html.unescape(words)}")
    return told
