"""What the screen's process goes without: neither its first text nor its memory pays for what others do."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path

from tests.app.conftest import Watch
from tui.app.main import Monitor

ROOT = Path(__file__).parents[2]
_SETTLE = Monitor._settle  # `watch` puts another in its place
_SCREEN = """
import sys
from tui.app.light import travel_light

travel_light()
import tui.app.leaving, tui.app.main, tui.app.desk
import tui.capture.channel, tui.capture.session, tui.probes.sampler
"""


def told(program: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_the_screens_process_imports_nothing_that_only_others_need() -> None:
    others = {"ssl", "_hashlib", "httpcore", "h11", "importlib.metadata", "tui.app.tour.tour"}
    assert told(f"{_SCREEN}print(*sorted({others!r} & set(sys.modules)))") == ""


def test_who_needs_tls_has_it_all_the_same() -> None:
    assert told(f"{_SCREEN}import ssl\nprint(bool(ssl.create_default_context()))") == "True"


def test_an_event_loop_opens_connections_without_it() -> None:
    program = """
import asyncio

async def there_and_back():
    async def answer(reader, writer):
        writer.write(await reader.read(5))
        writer.close()
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"hello")
    print((await reader.read()).decode())
    writer.close()
    server.close()

asyncio.run(there_and_back())
"""
    assert told(_SCREEN + program) == "hello"


async def test_the_collector_rests_until_the_board_is_there(watch: Watch) -> None:
    assert told(f"{_SCREEN}import gc\nprint(gc.isenabled())") == "False"
    thresholds = gc.get_threshold()
    gc.disable()
    try:
        async with watch() as at:
            _SETTLE(at.app)
            assert gc.isenabled()
    finally:
        gc.enable()
        gc.unfreeze()
        gc.set_threshold(*thresholds)
