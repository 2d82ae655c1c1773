"""When a screen has nothing left to do: a condition, in the place of Textual's own waiting.

Textual waits until the processor has rested for 20 ms, twice for each key. That takes long, and on a busy
machine a program that waits for the processor looks like one that is done.
"""

from __future__ import annotations

import asyncio
from typing import Any

from textual._context import active_app

NEAR_S = 0.02  # Textual's own timers, for frames and for sizes, are nearer than that
_MOST_S = 1.0  # a screen that never rests is left alone after so long, as Textual does
_ROUNDS = 3  # what a round of the loop reads from a socket is done in the next


async def calm(min_sleep: float = 0.0, max_sleep: float = _MOST_S) -> None:
    """Until no callback waits, no frame is owed, and no timer is near. For `textual._wait.wait_for_idle`."""
    del min_sleep
    loop: Any = asyncio.get_running_loop()
    until_s = loop.time() + max_sleep
    await _nothing_ready(loop, until_s)
    while loop.time() < until_s:
        screen = active_app.get().screen
        next_s = min((one.when() for one in loop._scheduled if not one.cancelled()), default=until_s)
        if screen._update_timer._active.is_set():
            screen._on_timer_update()  # the frame that this timer would draw in up to 17 ms
        elif next_s < loop.time() + NEAR_S:
            await asyncio.sleep(next_s - loop.time())
        else:
            return
        await _nothing_ready(loop, until_s)


async def _nothing_ready(loop: Any, until_s: float) -> None:
    calm_rounds = 0
    while calm_rounds < _ROUNDS and loop.time() < until_s:
        await asyncio.sleep(0)
        calm_rounds = 0 if loop._ready else calm_rounds + 1
