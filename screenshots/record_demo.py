"""Records the requests that `toklane --demo` plays: `python screenshots/record_demo.py [NAME …]`.

Each one is a real request to the built-in engine of this machine, kept as it came: only a note is put into
its first line where something was done to the engine on purpose. The files go to tui/demo, packed.
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx

from tui.capture.channel import Child
from tui.capture.session import Session
from tui.domain.knobs import Cache, Knobs, Profile
from tui.domain.view import View
from tui.probes.sampler import Sampler

PLACE = Path(__file__).parents[1] / "tui" / "demo"
STOPPED_S = 0.7
AT_TOKEN = 24
FROZEN = f"the engine's process was stopped for {STOPPED_S:g} s at token {AT_TOKEN}, on purpose"
RIVAL = "another request held the only slot, on purpose"
RIVAL_TOKENS = 480


def main() -> int:
    """Record all of them, or those named on the command line."""
    wanted = sys.argv[1:]
    with warm() as session:
        for name, make in {"long": long, "short": short, "stalled": stalled, "queued": queued}.items():
            if not wanted or name in wanted:
                make(session)
    return 0


@contextmanager
def warm() -> Iterator[Session]:
    """A sitting with the built-in engine, which has answered before; the program ends where there is none."""
    sampler = Sampler()
    sampler.start()
    session = Session(Child.start(), sampler)
    try:
        session.embed()
        until(session, lambda: session.found is not None or bool(session.problem))
        if session.found is None:
            sys.exit(session.problem)
        warm_up(session)
        yield session
    finally:
        session.close()


def warm_up(session: Session) -> None:
    """What is only slow the first time is no part of any recording."""
    knobs = Knobs(profile=Profile.OWN, own_text="Count from one to two hundred, in words.", answer_limit=16)
    sent(session, knobs)


def short(session: Session) -> None:
    keep("short", sent(session, Knobs(prompt_tokens=128, answer_limit=64)))


def long(session: Session) -> None:
    """The same prompt twice: read whole, then found in the cache."""
    knobs = Knobs(prompt_tokens=2048, answer_limit=48)
    keep("long", sent(session, knobs))
    keep("cached", sent(session, replace(knobs, cache=Cache.SAME)))


def stalled(session: Session) -> None:
    engine = session.builtin.engine
    assert engine is not None
    frozen = threading.Event()

    def freeze(view: View) -> None:
        if view.tokens is not None and view.tokens >= AT_TOKEN and not frozen.is_set():
            frozen.set()
            os.kill(engine.pid, signal.SIGSTOP)
            time.sleep(STOPPED_S)
            os.kill(engine.pid, signal.SIGCONT)

    keep("stalled", sent(session, Knobs(prompt_tokens=256, answer_limit=64), meanwhile=freeze), FROZEN)


def queued(session: Session) -> None:
    rival = threading.Thread(target=ask, args=(session,))
    rival.start()
    time.sleep(0.5)
    keep("queued", sent(session, Knobs(prompt_tokens=512, answer_limit=48)), RIVAL)
    rival.join()


def ask(session: Session) -> None:
    target = session.target
    assert target is not None
    body = {
        "messages": [{"role": "user", "content": "Tell a long story about a lighthouse."}],
        "max_tokens": RIVAL_TOKENS,
        "temperature": 0,
    }
    httpx.post(f"{target.url}/v1/chat/completions", json=body, headers=target.headers(), timeout=120)


def sent(session: Session, knobs: Knobs, meanwhile: Callable[[View], None] | None = None) -> Path:
    """Send one and wait for its end; `meanwhile` sees the request as it goes."""
    file = Path(tempfile.mkdtemp()) / "run.jsonl"
    before = session.run
    session.send(knobs, file)
    while session.run is before or not session.ended:
        session.wait(0.002 if meanwhile else 0.05)
        session.drain()
        if meanwhile and session.run is not before:
            meanwhile(session.view())
    return file


def until(session: Session, done: Callable[[], bool]) -> None:
    while not done():
        session.wait(0.1)
        session.drain()


def keep(name: str, file: Path, note: str = "", place: Path = PLACE) -> None:
    first, *rest = file.read_bytes().splitlines(keepends=True)
    meta = json.loads(first)
    if note:
        meta["meta"]["note"] = note
    whole = json.dumps(meta, separators=(",", ":")).encode() + b"\n" + b"".join(rest)
    packed = gzip.compress(whole, mtime=0)
    place.mkdir(exist_ok=True)
    (place / f"{name}.jsonl.gz").write_bytes(packed)
    print(name, len(whole), len(packed), flush=True)


if __name__ == "__main__":
    sys.exit(main())
