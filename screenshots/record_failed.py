"""Records the request that fails in the pictures: `python screenshots/record_failed.py`.

It is a real request to the built-in engine of this machine, kept as it came; the engine's process is killed amid
the answer, on purpose, and the recording says so. The file goes to screenshots/recordings, packed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

from record_demo import keep, sent, until, warm_up

from tui.capture.channel import Child
from tui.capture.session import Session
from tui.domain.knobs import Knobs
from tui.domain.view import View
from tui.probes.sampler import Sampler

PLACE = Path(__file__).parent / "recordings"
AT_TOKEN = 24
KILLED = f"the engine's process was killed at token {AT_TOKEN}, on purpose"


def main() -> int:
    """Record it."""
    sampler = Sampler()
    sampler.start()
    session = Session(Child.start(), sampler)
    killed = threading.Event()

    def kill(view: View) -> None:
        engine = session.builtin.engine
        if view.tokens is not None and view.tokens >= AT_TOKEN and engine is not None and not killed.is_set():
            killed.set()
            os.kill(engine.pid, signal.SIGKILL)

    try:
        session.embed()
        until(session, lambda: session.found is not None or bool(session.problem))
        if session.found is None:
            sys.exit(session.problem)
        warm_up(session)
        keep("failed", sent(session, Knobs(prompt_tokens=512, answer_limit=64), meanwhile=kill), KILLED, PLACE)
    finally:
        session.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
