"""What the keys of a replay do, and the mouse on its time block; at a live engine they say so in a line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.events import Click, MouseMove

from tui.app.board import Board
from tui.app.feed import Demo, Feed, Playback, demo, live, playback
from tui.app.pump import Pump
from tui.app.replay_words import speed
from tui.app.theming import Ink
from tui.domain.knobs import Knobs
from tui.settings.keys import Key

if TYPE_CHECKING:
    from tui.app.feed import Live

ONLY_THERE = "that key is for recordings: toklane replay FILE, or toklane --demo"
ONLY_LIVE = "that key is for live requests: "
_SCRUB, _SCRUB_FINELY = 20, 100  # parts of the recording that one press of an arrow moves
Behind = Callable[[], "tuple[Feed, Knobs]"]
"""Makes what comes when a demo is left: who runs requests, and the knobs."""


class Playing(Board):
    """The board of a feed that may be a recording. `behind`: what a demo was put over, None when nothing."""

    feed: Feed
    pump: Pump

    def __init__(self, ink: Ink, keys: Sequence[Key]) -> None:
        super().__init__(ink, keys)
        self.behind: Behind | None = None

    def say(self, words: str) -> None:
        """A word in place of the footer, for a few seconds."""
        raise NotImplementedError

    def change(self, feed: Feed, knobs: Knobs | None = None) -> None:
        """Show another feed; without `knobs` those of before stay."""
        self.feed = feed
        self.pump.change(feed, knobs)

    # -- the demo -------------------------------------------------------------------------------------------

    def show_demo(self, recordings: Demo, behind: Behind | None = None) -> None:
        """Play the recordings that come along, over what is there now."""
        before = self.feed
        self.behind = behind or (lambda: (before, self.pump.knobs))
        self.change(recordings)
        recordings.begin()

    def action_demo(self) -> None:
        """The recordings that come along, over a live monitor."""
        if playback(self.feed) is not None:
            self.say("recordings are on the screen already")
        elif self.feed.running:
            self.say("a request is running: stop it first")
        else:
            from tui.app.pages import watch

            watch(self)

    def leave_demo(self) -> Live | None:
        """From a demo to what is behind it; the engine's side there, None when there is nothing to leave."""
        if demo(self.feed) is None or self.behind is None:
            return None
        behind, self.behind = self.behind, None
        self.change(*behind())
        return live(self.feed)

    def next_reel(self) -> None:
        """The next recording of a demo; nothing else has one."""
        recordings = demo(self.feed)
        if recordings is None:
            self.only_live()
        else:
            recordings.next()
            self.pump.touch()

    @property
    def goes_on(self) -> bool:
        """Whether the next recording is about to begin by itself."""
        recordings = demo(self.feed)
        return recordings is not None and recordings.next_in_s is not None

    def on_screen_suspend(self) -> None:
        """A page is read: what it tells of stays."""
        self._stay(True)

    def on_screen_resume(self) -> None:
        self._stay(False)

    def _stay(self, stays: bool) -> None:
        recordings = demo(self.feed)
        if recordings is not None:
            recordings.stays = stays

    @property
    def engines_behind(self) -> bool:
        """Whether leaving the recordings leads to where requests are sent."""
        return self.behind is not None

    # -- keys -----------------------------------------------------------------------------------------------

    def only_live(self) -> bool:
        """Over a recording: a word on where such a key does something. False at an engine."""
        if playback(self.feed) is None:
            return False
        key = self.pump.scene.keys["engine"]
        there = f"{key} picks an engine" if self.engines_behind else "start toklane without a recording"
        self.say(f"{ONLY_LIVE}{there}")
        return True

    def _player(self) -> Playback | None:
        """The feed as a player; says a word where it is none."""
        player = playback(self.feed)
        if player is None:
            self.say(ONLY_THERE)
        self.pump.touch()
        return player

    def action_token_back(self) -> None:
        self._step(-1)

    def action_token_forward(self) -> None:
        self._step(+1)

    def _step(self, direction: int) -> None:
        player = self._player()
        if player is not None and not player.step(direction):
            self.say("no token before this moment" if direction < 0 else "no token after this moment")

    def action_edge_back(self) -> None:
        self._leap(-1)

    def action_edge_forward(self) -> None:
        self._leap(+1)

    def _leap(self, direction: int) -> None:
        player = self._player()
        if player is not None and not player.leap(direction):
            self.say(f"no phase or stall {'before' if direction < 0 else 'after'} this moment")

    def action_slower(self) -> None:
        self._pace(-1)

    def action_faster(self) -> None:
        self._pace(+1)

    def _pace(self, direction: int) -> None:
        player = self._player()
        if player is not None:
            before, now = player.speed, player.pace(direction)
            self.say(speed(now) if now != before else f"{speed(now)}, the {_last(direction)} there is")

    def action_loop(self) -> None:
        player = self._player()
        if player is not None:
            player.loop = not player.loop

    def action_freeze(self) -> None:
        player = self._player()
        if player is not None:
            player.hold(not player.freeze)
            self.say("stops at each change of phase" if player.freeze else "plays through")

    def action_to_begin(self) -> None:
        if (player := self._player()) is not None:
            player.jump(player.start_ns)

    def action_to_end(self) -> None:
        if (player := self._player()) is not None:
            player.jump(player.end_ns)

    def scrub(self, direction: int, finely: bool = False) -> bool:
        """Move in a replay by a part of its length; False when the feed is none."""
        if playback(self.feed) is None:
            return False
        if (player := self._player()) is not None:
            parts = _SCRUB_FINELY if finely else _SCRUB
            player.jump(player.position_ns + direction * player.end_ns // parts)
        return True

    # -- mouse ----------------------------------------------------------------------------------------------

    def on_click(self, click: Click) -> None:
        self._point(click)

    def on_mouse_move(self, move: MouseMove) -> None:
        if move.button == 1:
            self._point(move)

    def _point(self, event: Click | MouseMove) -> None:
        """Go to the moment under the mouse."""
        if playback(self.feed) is None or event.widget is not self.time:
            return
        moment_ns = self.time.moment_at(event.screen_x - self.time.region.x)
        if moment_ns is not None and (player := self._player()) is not None:
            player.jump(moment_ns)


def _last(direction: int) -> str:
    return "slowest" if direction < 0 else "fastest"
