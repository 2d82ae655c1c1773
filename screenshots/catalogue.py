"""Which pictures there are: of which recording, at which moment, in which size, theme and terminal."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path

THEMES = Path(__file__).parents[1] / "themes"


class Look(Enum):
    """What the terminal can show."""

    COLOUR = "colour"
    NO_COLOR = "NO_COLOR"
    ASCII = "ASCII"


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture. `tells`: what it shows, for the gallery.

    show: what is played, see `shows.py`. at: a moment in seconds since sent, or amid the phase or `stall` of that
    name, so that a recording can be made anew; None: the end. maximised: a panel. keys: pressed at last. page: laid
    over it at last.
    """

    name: str
    tells: str
    show: str = "2k"
    at: float | str | None = None
    size: tuple[int, int] = (120, 36)
    theme: str = "dark"
    look: Look = Look.COLOUR
    staged: bool = False
    maximised: str = ""
    keys: tuple[str, ...] = ()
    page: str = ""


SMALL, DESIGN, LARGE, ROOM = (80, 24), (120, 36), (200, 60), (100, 28)

STATES = (
    Picture("hero", "a finished request, with the one before as its ghost"),
    Picture("waiting", "waiting: an engine that does not say why (vLLM, without its metrics)", "vllm", 2.4),
    Picture("queue", "in the queue, behind two rivals", "rivals", "queue"),
    Picture("prefill", "reading the prompt", at=8.0),
    Picture("decode", "writing the answer", "1k", 13.6),
    Picture("stalled", "a stall, while it lasts", "stalled", "stall"),
    Picture("cached", "nearly all of the prompt came from the cache", "cached"),
    Picture("rivals", "finished, with the lanes of two rivals", "rivals"),
    Picture("failed", "failed: the engine was killed amid the answer", "failed"),
)
SURROUNDINGS = (
    Picture("demo", "`toklane --demo`: a recording, marked as one", "demo", "prefill"),
    Picture("tour", "`toklane tour`: a scene with its caption", "tour", "queue"),
    Picture("engine", "`e`: engines that were found (an example, no recording)", size=SMALL, page="engine"),
    Picture("help", "`?`: all keys", keys=("question_mark",)),
    Picture(
        "doctor",
        "`toklane doctor`: what an engine lets us measure (an example, no recording)",
        "doctor",
        size=(80, 32),
    ),
)
TO_STALL = ("home", *["right"] * 24)
CLOSER = (
    Picture("timeline", "`1`: the timeline alone, its cursor on a moment", "1k", maximised="time", keys=("left",) * 12),
    Picture("answer", "`2`, `f`: the answer coloured by its gaps, the cursor on the stall", "stalled", size=SMALL,
            maximised="answer", keys=("f", *TO_STALL)),
    Picture("why", "`i` on a piece of the answer: why it came when it did", "stalled", size=SMALL,
            maximised="answer", keys=(*TO_STALL, "i")),
    Picture("explain", "`i`: a number explained", "1k", size=SMALL, keys=("i",)),
    Picture("dial", "`6`: time to the first token over the prompt's length", size=SMALL, maximised="dial"),
)  # fmt: skip
SIZES = (
    Picture("finished-80x24", "80 x 24", size=SMALL),
    Picture("prefill-80x24", "80 x 24, reading", at=8.0, size=SMALL),
    Picture("stalled-80x24", "80 x 24, stalled", "stalled", "stall", size=SMALL),
    Picture("finished-200x60", "200 x 60", size=LARGE),
    Picture("decode-200x60", "200 x 60, writing", "1k", 13.6, size=LARGE),
    Picture("finished-60x20", "60 x 20", size=(60, 20)),
    Picture("finished-40x10", "40 x 10", size=(40, 10)),
)
STAGE = (
    Picture("stage-prefill", "on stage, reading", at=8.0, size=ROOM, theme="projector", staged=True),
    Picture("stage-decode", "on stage, writing", "1k", 13.6, size=ROOM, theme="projector", staged=True),
    Picture("stage-finished", "on stage, finished", size=ROOM, theme="projector-light", staged=True),
)
TERMINALS = (
    Picture("finished-no-color", "`NO_COLOR`", look=Look.NO_COLOR),
    Picture("prefill-no-color", "`NO_COLOR`, reading", at=8.0, look=Look.NO_COLOR),
    Picture("finished-no-color-80x24", "`NO_COLOR`, 80 x 24", size=SMALL, look=Look.NO_COLOR),
    Picture("stage-no-color", "`NO_COLOR`, on stage", size=ROOM, staged=True, look=Look.NO_COLOR),
    Picture("finished-ascii", "ASCII", look=Look.ASCII),
    Picture("prefill-ascii", "ASCII, reading", at=8.0, look=Look.ASCII),
    Picture("finished-ascii-80x24", "ASCII, 80 x 24", size=SMALL, look=Look.ASCII),
)


def themed() -> tuple[Picture, ...]:
    """A finished request in each theme that comes along."""
    names = sorted(file.stem for file in THEMES.glob("*.toml"))
    return tuple(Picture(f"theme-{name}", name, "1k", size=ROOM, theme=name) for name in names)


SECTIONS = {
    "States": STATES,
    "Demo, tour, pages": SURROUNDINGS,
    "Closer looks": CLOSER,
    "Sizes": SIZES,
    "On stage": STAGE,
    "Themes": themed(),
    "Terminals with less": TERMINALS,
}
PICTURES = tuple(picture for section in SECTIONS.values() for picture in section)


@dataclass(frozen=True, slots=True)
class Film:
    """A moving picture: a recording from its beginning to its end, on a clock of equal steps."""

    name: str
    tells: str
    show: str
    size: tuple[int, int]
    theme: str
    every_s: float
    stand_s: float


FILM = Film("moving", "a request from beginning to end, as it happened", "512", ROOM, "dark", 0.1, 4.0)


def sittings(pictures: tuple[Picture, ...] = PICTURES) -> tuple[tuple[Picture, ...], ...]:
    """Those that one run of the monitor can show, one after the other: opening it costs more than a picture.

    What keys and pages did is not undone, so such a picture is the last of its sitting.
    """
    alike: dict[Picture, list[Picture]] = {}
    for picture in pictures:
        same = replace(Picture("", "", picture.show), look=picture.look)
        alike.setdefault(same, []).append(picture)
    made: list[tuple[Picture, ...]] = []
    for some in alike.values():
        still = [picture for picture in some if not (picture.keys or picture.page)]
        touched = [picture for picture in some if picture.keys or picture.page]
        still.sort(key=lambda picture: picture.at is None)  # an end that was seen is on the dial
        made.append((*still, *touched[:1]))
        made += [(picture,) for picture in touched[1:]]
    return tuple(made)
