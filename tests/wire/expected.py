"""What a case expects of a run, and which of it a run does not fulfil."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

ELSEWHERE = {
    "screen", "follow", "requests_sent", "finish_within_s", "stall_notice_by_s", "state", "why", "any_of",
    "error", "message_must_not_contain", "warnings", "warnings_absent", "answer_len", "answer_sha256",
    "decode_reliable", "prefill_reliable",
}  # fmt: skip
Near = Callable[[str, object, object], bool]
"""Whether the value got for this key is as good as the one wanted."""


def wrong(got: dict[str, Any], expect: dict[str, Any], near: Near) -> list[str]:
    """The keys of `expect` that `got` does not fulfil."""
    bad = [key for key, want in expect.items() if key not in ELSEWHERE and not near(key, got[key], want)]
    for key, rate in (("decode_reliable", "decode_tok_s"), ("prefill_reliable", "prefill_tok_s")):
        if key in expect and got[key] != expect[key] and not (expect[key] is False and got[rate] is None):
            bad.append(key)
    if "answer_len" in expect and len(got["answer_text"]) != expect["answer_len"]:
        bad.append("answer_len")
    if (
        "answer_sha256" in expect
        and sha256(got["answer_text"].encode()).hexdigest() != expect["answer_sha256"]
    ):
        bad.append("answer_sha256")
    want = expect.get("error", got["error"])
    if (want is None) != (got["error"] is None) or (want and not same_error(got["error"], want, expect)):
        bad.append("error")
    told = set(got["warnings"])
    asked = set(expect.get("warnings", []))
    if (
        (expect.get("warnings") == [] and told)
        or asked - told
        or told & set(expect.get("warnings_absent", []))
    ):
        bad.append("warnings")
    return bad


def fulfils(got: dict[str, Any], expect: dict[str, Any], near: Near) -> list[str]:
    """The same, with the sets of keys of which one must hold."""
    bad = wrong(got, expect, near)
    if "any_of" in expect and all(wrong(got, option, near) for option in expect["any_of"]):
        bad.append("any_of")
    return bad


def exactly(_: str, got: object, want: object) -> bool:
    """As a replay must have it: within 0.5 %."""
    if isinstance(want, float) and isinstance(got, (int, float)):
        return abs(got - want) <= max(0.002, 0.005 * abs(want))
    return got == want


def same_error(got: dict[str, Any], want: dict[str, Any], expect: dict[str, Any]) -> bool:
    part = str(want.get("message_contains", "")).lower()
    banned = [text.lower() for text in expect.get("message_must_not_contain", [])]
    message = got["message"].lower()
    equal = all(got[key] == want[key] for key in ("kind", "status", "retry_after_s") if key in want)
    return equal and part in message and not any(text in message for text in banned)
