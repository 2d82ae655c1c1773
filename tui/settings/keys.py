"""The one key table: footer, help, palette, README and `toklane keys` all come from it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """One row: the action's name, its keys (Textual names), how they are written, what they do.

    `group` orders the help; `footer` is the short word there ("" = not in the footer).
    """

    action: str
    keys: tuple[str, ...]
    shown: str
    does: str
    group: str
    footer: str = ""


KEYS: tuple[Key, ...] = (
    Key(
        "send",
        ("enter",),
        "enter",
        "send the request (while one runs: send again when it ends); in the demo and the tour: the next one",
        "request",
        "send",
    ),
    Key(
        "stop",
        ("escape", "x"),
        "esc x",
        "stop the running request; esc otherwise steps back",
        "request",
        "stop",
    ),
    Key(
        "scene_back",
        ("backspace",),
        "backspace",
        "in the tour: the scene's beginning, the scene before",
        "request",
    ),
    Key("shorter", ("left",), "←", "shorter prompt, down the ladder; in a replay: back", "prompt"),
    Key(
        "longer",
        ("right",),
        "→",
        "longer prompt, up the ladder to the model's context; in a replay: forward",
        "prompt",
    ),
    Key("finer_shorter", ("shift+left",), "shift ←", "64 tokens shorter", "prompt"),
    Key("finer_longer", ("shift+right",), "shift →", "64 tokens longer", "prompt"),
    Key("exact", ("n",), "n", "type an exact number of prompt tokens", "prompt"),
    Key("more_answer", ("up",), "↑", "longer answer limit", "prompt"),
    Key("less_answer", ("down",), "↓", "shorter answer limit", "prompt"),
    Key("auto", ("a",), "a", "auto: every turn of a knob sends at once and cancels what runs", "prompt"),
    Key(
        "cache",
        ("c",),
        "c",
        "cache: cold, same (identical prompt), tail (same prefix, new tail)",
        "prompt",
        "cache",
    ),
    Key("profile", ("p",), "p", "prompt: plain, agent, own text", "prompt", "prompt kind"),
    Key("own", ("o",), "o", "write the own prompt, set the sampling", "prompt"),
    Key(
        "rivals",
        ("r",),
        "r",
        "rivals: 0-4 background requests, so that a queue and batching can be seen",
        "prompt",
        "rivals",
    ),
    Key("engine", ("e",), "e", "pick engine and model, or type a URL", "engine", "engine"),
    Key("ghost", ("g",), "g", "ghost of the previous run on or off", "view", "ghost"),
    Key(
        "pause",
        ("space",),
        "space",
        "pause the view (measuring goes on); in a replay: play or pause; in the tour: go on",
        "view",
    ),
    Key(
        "explain",
        ("i",),
        "i",
        "explain what the cursor is on: a number, or why a piece of the answer came when it did",
        "view",
        "explain",
    ),
    Key("detail", ("d",), "d", "raw detail: events, the engine's error body", "view"),
    Key(
        "scroll_up",
        ("pageup",),
        "pgup",
        "scroll the answer, the help or a list back; in the tour: as backspace",
        "view",
    ),
    Key("scroll_down", ("pagedown",), "pgdn", "scroll forward; in the tour: as space", "view"),
    Key(
        "gaps",
        ("f",),
        "f",
        "colour the answer by gaps, or not; in a maximised answer arrows move a cursor by pieces",
        "view",
    ),
    Key("copy", ("y",), "y", "copy the answer", "view"),
    Key("next_panel", ("tab",), "tab", "next panel", "view"),
    Key(
        "maximise",
        ("1", "2", "3", "4", "5", "6"),
        "1-6",
        "one panel on the whole screen; esc goes back",
        "view",
    ),
    Key(
        "stage",
        ("m",),
        "m",
        "stage: huge figures for a room, and back; 6 then shows the answer in place of the gaps",
        "view",
        "stage",
    ),
    Key("zoom_in", ("plus",), "+", "zoom into a maximised timeline; arrows move the time cursor", "view"),
    Key("zoom_out", ("minus",), "-", "zoom out", "view"),
    Key("zoom_all", ("0",), "0", "the whole time line", "view"),
    Key("token_back", ("comma",), ",", "in a replay: one token back", "replay"),
    Key("token_forward", ("full_stop",), ".", "in a replay: one token forward", "replay"),
    Key(
        "edge_back", ("left_square_bracket",), "[", "in a replay: back to the phase or stall before", "replay"
    ),
    Key(
        "edge_forward",
        ("right_square_bracket",),
        "]",
        "in a replay: on to the next phase or stall",
        "replay",
    ),
    Key("slower", ("less_than_sign",), "<", "in a replay: slower, down to ×¼", "replay"),
    Key("faster", ("greater_than_sign",), ">", "in a replay: faster, up to ×16", "replay"),
    Key("loop", ("l",), "l", "in a replay: begin again at the end, or not", "replay"),
    Key("to_begin", ("home",), "home", "in a replay: to its beginning", "replay"),
    Key("to_end", ("end",), "end", "in a replay: to its end", "replay"),
    Key("theme", ("t",), "t", "next theme", "program"),
    Key("where", ("w",), "w", "where the recording of this run lies", "program"),
    Key("screenshot", ("ctrl+s",), "ctrl+s", "save a picture of the screen (SVG)", "program"),
    Key("help", ("question_mark",), "?", "help, with the definition of every number", "program", "help"),
    Key("palette", ("ctrl+p",), "ctrl+p", "all commands by name", "program"),
    Key("interrupt", ("ctrl+c",), "ctrl+c", "stop the request; again, or when none runs: quit", "program"),
    Key("quit", ("q",), "q", "quit", "program", "quit"),
)


def by_action(action: str) -> Key:
    """The row of an action; KeyError when there is none."""
    return _ROWS[action]


def first_key(shown: str) -> str:
    """Of keys as they are written the first one: of `esc x` the one that steps back too."""
    return shown.split(" ", maxsplit=1)[0]


_ROWS = {key.action: key for key in KEYS}
