"""Builds the pictures of the README from recordings of real requests: `python screenshots/build.py`.

Each picture is the real monitor, fed from a recording on a clock that stands still at the chosen moment, so
the pictures come out the same each time. SVG always, PNG where resvg-py is installed (the extra `test`).
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
RECORDINGS = HERE / "recordings"
FONT = "DejaVu Sans Mono"
LENGTHS = ("128", "256", "512", "1k")  # earlier runs: they fill the dial, the last one is the ghost


@dataclass(frozen=True, slots=True)
class Picture:
    """One file: a recording, a moment of it (seconds since sent, None: its end), a size, a theme."""

    name: str
    recording: str
    at_s: float | None = None
    size: tuple[int, int] = (120, 36)
    theme: str = "dark"
    keys: tuple[str, ...] = ()


PICTURES = (
    Picture("hero", "2k"),
    Picture("prefill", "2k", at_s=8.0),
    Picture("decode", "1k", at_s=13.6),
    Picture("finished-80x24-light", "2k", size=(80, 24), theme="light"),
    Picture("prefill-80x24", "2k", at_s=8.0, size=(80, 24)),
    Picture("finished-projector", "2k", theme="projector"),
    Picture("help", "2k", keys=("question_mark",)),
)


def main() -> int:
    """Build all pictures, or those named on the command line."""
    os.environ.update(COLORTERM="truecolor", TERM="xterm-256color")
    os.environ.pop("NO_COLOR", None)
    wanted = [p for p in PICTURES if not sys.argv[1:] or p.name in sys.argv[1:]]
    for picture in wanted:
        svg = asyncio.run(drawn(picture))
        (HERE / f"{picture.name}.svg").write_text(svg, encoding="utf-8")
        written = [f"{picture.name}.svg"]
        if (png := rendered(svg)) is not None:
            (HERE / f"{picture.name}.png").write_bytes(png)
            written.append(f"{picture.name}.png")
        print(*written)
    return 0


async def drawn(picture: Picture) -> str:
    """The SVG of the monitor at the picture's moment."""
    from tui.app.main import Monitor
    from tui.capture.recording import read
    from tui.capture.replay_session import ReplaySession
    from tui.settings import themes

    now = [0]
    file = RECORDINGS / f"{picture.recording}.jsonl"
    session = ReplaySession(read(file), file, clock=lambda: now[0])
    for name in LENGTHS:
        if name != picture.recording:
            session.remember(read(RECORDINGS / f"{name}.jsonl"))
    session.seek(picture.at_s)
    app = Monitor(lambda: (session, session.knobs), theme=themes.load(picture.theme))
    async with app.run_test(size=picture.size) as pilot:
        while app.desk is None or not app.desk.is_current:
            await pilot.pause()
        app.desk.pump.tick()
        await pilot.press(*picture.keys)
        await pilot.pause()
        return plain(app.export_screenshot(title="toklane"))


def plain(svg: str) -> str:
    """Without addresses outside: the font is the reader's own."""
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)
    return svg.replace("Fira Code", FONT)


def rendered(svg: str) -> bytes | None:
    """The picture as PNG, None where resvg-py is missing."""
    try:
        import resvg_py
    except ImportError:
        print("no PNG: resvg-py is missing (pip install 'toklane[test]')", file=sys.stderr)
        return None
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, font_family=FONT, monospace_family=FONT))


if __name__ == "__main__":
    sys.exit(main())
