"""From knobs to the order that sends them: wish, sized prompt, request, first line of the recording."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from tui.capture.orders import LookOrder, PollOrder, StreamOrder
from tui.capture.rival_bodies import rival_bodies
from tui.capture.target import Target
from tui.domain.knobs import Cache, Knobs
from tui.engines.base import Adapter, Plan, Request
from tui.engines.detect import Found
from tui.engines.prompts import Wish
from tui.engines.sizing import Sized

_API = "/v1"  # the prefix that most servers give their OpenAI routes


def wish_of(knobs: Knobs, adapter: Adapter, nonce: str) -> Wish:
    """What the prompt shall be. A fresh `nonce` makes a prompt that no cache knows."""
    fresh = knobs.cache is Cache.TAIL or (knobs.cache is Cache.COLD and not adapter.can_switch_reuse_off)
    return Wish(
        profile=knobs.profile.value,
        tokens=None if knobs.own else knobs.prompt_tokens,
        own_text=knobs.own_text,
        cache=knobs.cache.value,
        tail=knobs.tail_tokens if knobs.cache is Cache.TAIL else 0,
        nonce=nonce if fresh else "",
    )


def plan_of(knobs: Knobs, found: Found, sized: Sized) -> Plan:
    return Plan(
        model=found.model,
        turns=sized.turns,
        max_tokens=knobs.answer_limit,
        cache=knobs.cache.value,
        temperature=knobs.temperature,
        seed=knobs.seed,
        ignore_eos=knobs.ignore_eos,
        conditions=dict(found.conditions) | dict(found.features),
    )


def order_of(
    run_id: int,
    knobs: Knobs,
    target: Target,
    found: Found,
    adapter: Adapter,
    sized: Sized,
    request: Request,
    record: Path | None,
    started: datetime,
    timeout_s: float | None,
) -> StreamOrder:
    """The order for the capture child. The recording's first line gets no header of the request."""
    own = dict(found.base.headers) | target.headers()
    url = found.base.url(
        found.api + request.path.removeprefix(_API) if request.path.startswith(_API) else request.path
    )
    conditions: dict[str, object] = dict(found.conditions) | {
        "prompt_tokens_asked": sized.asked,
        "prompt_tokens_counted": sized.tokens if sized.exact else None,
        "answer_limit": knobs.answer_limit,
        "cache_mode": _cache_mode(knobs),
        "profile": knobs.profile.value,
        "rivals": knobs.rivals,
        "certificate": target.trust(url) or None,
        "start_time": started.astimezone().isoformat(timespec="milliseconds"),
    }
    meta: Mapping[str, object] = {
        "engine": found.engine,
        "engine_version": found.conditions.get("engine_version"),
        "model": found.shown,
        "url": url,
        "request": {"method": request.method, "path": request.path, "body": request.body},
        "conditions": {key: value for key, value in conditions.items() if value is not None},
    }
    return StreamOrder(
        run_id,
        url,
        request.method,
        dict(request.headers) | own,
        request.data.decode("utf-8"),
        str(record.absolute()) if record else None,
        meta,
        True,
        tuple(PollOrder(w.path, found.base.url(w.path), w.every_s, w.until, own) for w in adapter.watches),
        tuple(
            LookOrder(k.path, found.base.url(k.path), k.when, k.tries_s, k.empty, own, k.keep)
            for k in adapter.looks
        ),
        timeout_s,
        target.ca_file,
        target.insecure,
        rival_bodies(knobs, found, adapter, sized),
    )


def _cache_mode(knobs: Knobs) -> str:
    return f"tail:{knobs.tail_tokens}" if knobs.cache is Cache.TAIL else knobs.cache.value
