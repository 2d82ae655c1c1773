"""What every number on the screen means, in plain words, for the help, the explanations and the README."""

from __future__ import annotations

from tui.domain.values import Provenance
from tui.settings.cost_numbers import OF_THE_PHASES
from tui.settings.defining import COSTS, MACHINE, Definition
from tui.settings.machine_numbers import OF_THE_MACHINE

_OURS = "ours, at the socket"
_ENGINES = "the engine's"
_LUMPS = "the tokens came in lumps, so their times are those of the lumps"
_WAIT, _SPEED, _COUNT, _PHASE, _LAND, _TOOL = _GROUPS = (
    "waiting", "speeds", "counts", "phases", "tokens as they land", "the instrument",
)  # fmt: skip
GROUPS = (*_GROUPS, MACHINE, COSTS)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        "since_sent", "since sent", _WAIT,
        "The time that has passed since the first byte of the request was given to the network. When"
        " the answer is over it stands still and is the time of the whole request.",
        "now (or the end of the answer) − sent", _OURS,
        "Connecting comes before it and is not inside.",
    ),
    Definition(
        "ttft", "TTFT, time to first token", _WAIT,
        "How long you look at nothing: from sending the request to the first piece of generated text."
        " Text of a reasoning model counts, and so does a tool call.",
        "first generated text − sent", _OURS,
        "It is more than reading the prompt: queue, loading, tokenizing and the way there and back are"
        " inside.",
        "the answer came in lumps, so the first token may have waited for the others",
    ),
    Definition(
        "first_answer", "first answer token", _WAIT,
        "When the answer itself begins. A reasoning model thinks first, and then this is later than TTFT.",
        "first text of the answer − sent", _OURS,
    ),
    Definition(
        "prefill", "prefill rate", _SPEED,
        "How fast the prompt was read. All its tokens are worked on together, so this is far more than"
        " the speed of writing, and it falls as the prompt grows: look at the length beside it.",
        "prompt tokens really read / the engine's time for them", _ENGINES,
        "Reused tokens took no time and are not counted. It is never made from TTFT.",
        "the engine did not say how many tokens it reused, so too many may be counted",
    ),
    Definition(
        "prefill_now", "prefill rate now", _SPEED,
        "How fast the prompt is being read, between the engine's last two reports.",
        "tokens between two reports / the engine's time between them", _ENGINES,
    ),
    Definition(
        "decode_now", "decode rate, last second", _SPEED,
        "How fast the answer is being written right now. It falls while nothing comes.",
        "tokens in the last second / 1 s (less while the first token is younger)", _OURS,
        "It needs the engine's running count; pieces of text are not tokens.", _LUMPS,
    ),
    Definition(
        "decode_run", "decode rate, since the first token", _SPEED,
        "How fast the answer has been written so far.",
        "tokens after the first / time since the first", _OURS,
        doubt=_LUMPS,
    ),
    Definition(
        "decode", "decode rate, whole answer", _SPEED,
        "How fast the answer was written, as it arrived here. The first token belongs to the wait"
        " before it, so it is not counted.",
        "tokens after the first / (last token − first token)", _OURS + "; the count is the engine's",
        "There is none with fewer than two tokens, or when all of them came at once.",
        "with few tokens one that nobody sees may be in the count, or " + _LUMPS,
    ),
    Definition(
        "decode_engine", "decode rate by the engine", _SPEED,
        "The same speed by the engine's own clock. The network is not in it, so it may differ from what"
        " arrived here; neither of the two replaces the other.",
        "(tokens − 1) / the engine's time from first to last token", _ENGINES,
        "The rate that the engine itself prints is not used.",
    ),
    Definition(
        "prompt_tokens", "prompt tokens", _COUNT,
        "How long the prompt was, counted by the model's own tokenizer, with everything the engine adds"
        " to it.",
        "as the engine told it", _ENGINES,
    ),
    Definition(
        "cached_tokens", "cached tokens", _COUNT,
        "The beginning of the prompt that the engine still had from an earlier request and did not read"
        " again.",
        "as the engine told it", _ENGINES,
        "An engine that tells nothing may still have reused something; told 0 is really 0.",
    ),
    Definition(
        "tokens", "generated tokens", _COUNT,
        "How many tokens were written, reasoning included.",
        "as the engine told it", _ENGINES,
        "The pieces in which text arrives are not tokens: one piece can hold several.",
    ),
    Definition(
        "connect", "connect", _PHASE,
        "Opening the connection. It ends before the request is sent and is not part of any waiting time.",
        "connected − started to connect", _OURS,
    ),
    Definition(
        "send", "send", _PHASE,
        "Giving the request to the network.",
        "last byte given − first byte given", _OURS,
    ),
    Definition(
        "load", "load", _PHASE,
        "The engine brings the model into memory before it can begin.",
        "as the engine told it", _ENGINES,
    ),
    Definition(
        "queue", "queue", _PHASE,
        "The request waits for others, or until the engine turns to it.",
        "as the engine told it, or what is left of the wait without tokenizing",
        "the engine's or an estimate",
    ),
    Definition(
        "tokenize", "tokenize", _PHASE,
        "The prompt's text is cut into tokens.",
        "time of the same text tokenized alone just before", "an estimate",
    ),
    Definition(
        "prefill_time", "prefill", _PHASE,
        "The prompt is read: this is most of the silence after a long prompt.",
        "as the engine told it, placed before the first token", _ENGINES + "; ours while it runs",
    ),
    Definition(
        "decode_time", "decode", _PHASE,
        "The answer is written, one token after the other.",
        "last token − first token", _ENGINES + " where it tells, else ours",
    ),
    Definition(
        "finish", "finish", _PHASE,
        "From the last token to the end of the reply.",
        "end of the reply − last token", _OURS,
    ),
    Definition(
        "waiting", "waiting", _PHASE,
        "Time that can't be told apart: the engine says nothing, so queue, tokenizing and prefill may"
        " all be in it.",
        "work that is known to begin − sent", _OURS,
    ),
    Definition(
        "usually", "usually", _WAIT,
        "What earlier runs on this computer say about this wait: the same engine, model, length and cache."
        " Newer runs count more, and when the speed has changed older ones are forgotten.",
        "the middle of their TTFTs, and the range they lay in; with none of this length, a curve through the"
        " other lengths",
        "ours, of earlier runs",
        "It is an expectation. Runs that failed, were stopped or had others beside them are not in it.",
    ),
    Definition(
        "calibration", "calibrated split", _PHASE,
        "An engine that says nothing can be sent a few prompts of different lengths. What of the wait does"
        " not grow with the prompt is then called waiting, and what grows is called prefill, always marked"
        " as an estimate.",
        "TTFT = a + b · n + c · n², n prompt tokens; prefill ≈ b · n + c · n² before the first token",
        "an estimate from trials",
        "It says what is usual, not what this request did. It is left out where tokens may have been reused"
        " or the wait is not like those of the trials, and no rate is made from it.",
    ),
    Definition(
        "unattributed", "unattributed", _PHASE,
        "Time that is left over when everything the engine told has been taken away.",
        "the whole wait − the phases the engine told", "a difference of both clocks",
    ),
    Definition(
        "gap", "gap between tokens", _LAND,
        "The time between one arrival of text and the next. Half of all gaps are shorter than p50, and"
        " 95 of 100 are shorter than p95.",
        "arrival − arrival before", _OURS,
        "Tokens that arrive together have no gap between them.", _LUMPS,
    ),
    Definition(
        "stall", "stall", _LAND,
        "A hole in the answer: a gap that is far longer than usual. It is named after the token that"
        " came late.",
        "a gap over 250 ms and over 5 times the usual gap", _OURS,
        "What is delivered in lumps has such holes between the lumps; those are no stalls of the engine.",
        _LUMPS,
    ),
    Definition(
        "delay", "instrument delay", _TOOL,
        "How late this program itself looked at what had arrived. The stamps are taken by the system"
        " when the bytes come in, so this delay is not inside the numbers; it says how far they can be"
        " trusted where the system gives no stamps.",
        "time of reading − the system's stamp of arrival", "ours, at the socket and in the system",
    ),
    *OF_THE_MACHINE,
    *OF_THE_PHASES,
)  # fmt: skip
BY_NAME = {definition.name: definition for definition in DEFINITIONS}

MARKS: tuple[tuple[Provenance, str], ...] = (
    (Provenance.MEASURED, "the engine's own clock or count for this request; for the machine, the system's"),
    (Provenance.OBSERVED, "our clock, where the bytes arrive"),
    (Provenance.DERIVED, "a difference of the two"),
    (Provenance.ESTIMATED, "an estimate from a trial, a model or earlier runs; drawn hatched"),
    (Provenance.ABSENT, "not known, with the reason; never shown as 0"),
)


def of_phase(phase: str) -> Definition:
    """The definition of a phase by the name it has in the lane."""
    return BY_NAME.get(f"{phase}_time") or BY_NAME[phase]
