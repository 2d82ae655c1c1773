"""vLLM: the owner of its models; its version, and what its cache metric says about the KV cache."""

from __future__ import annotations

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.conditions import last_part
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, listed
from tui.engines.failures import is_page
from tui.engines.prometheus import Labels, Page
from tui.engines.shapes import text

VERSION = "/version"
_INFO = "vllm:cache_config_info"
_RUNNING = "vllm:num_requests_running"  # there wherever it counts at all
_CACHE = f"/metrics/?name[]={_INFO}&name[]={_RUNNING}"


def _likely(heard: Heard) -> bool:
    return heard.owner == "vllm"


def _known(heard: Heard) -> bool:
    """With a key set only paths under `/v1` are guarded: then the open version speaks for it."""
    guarded = heard.denied and heard.serves("uvicorn") and bool(text(heard.object(VERSION).get("version")))
    return _likely(heard) or guarded


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    return [Ask("GET", VERSION), Ask("GET", _CACHE)]


def _facts(heard: Heard) -> Facts:
    metrics = heard.page(_CACHE)
    told = heard.answer(_CACHE)
    counts = _INFO in metrics or _RUNNING in metrics
    features = {"metrics": counts} if told.status == 200 and not is_page(told.body) else {}
    return Facts(
        listed(heard),
        text(heard.object(VERSION).get("version")),
        conditions=file_of(heard) | cache(metrics),
        features=features,
    )


def file_of(heard: Heard) -> dict[str, object]:
    """The last part of where the weights lie."""
    root = text(heard.models[0].get("root")) if heard.models else ""
    return {"file": last_part(root)}


def cache(metrics: Page) -> dict[str, object]:
    """The KV cache that was reserved: tokens, bytes and the kind of its numbers, where the version tells.

    Several engines behind one address have one each; then it is the first one's.
    """
    series = metrics.series(_INFO)
    told = series[0].labels if series else {}
    kind = told.get("cache_dtype", "")
    caching = {"True": True, "False": False}.get(told.get("enable_prefix_caching", ""))
    return {
        "kv_tokens": whole(told.get("kv_cache_size_tokens", "")) or _blocks(told),
        "kv_bytes": whole(told.get("kv_cache_memory_bytes", "")),
        "kv_dtype": "" if kind == "auto" else kind,
        "prefix_caching": caching,
    }


def _blocks(told: Labels) -> int | None:
    blocks, size = whole(told.get("num_gpu_blocks", "")), whole(told.get("block_size", ""))
    return blocks * size if blocks and size else None


def whole(words: str) -> int | None:
    """A label's whole number; `None` and the like are not told."""
    return count(int(words)) if words.isascii() and words.isdigit() and len(words) < 19 else None


KIND = Kind("vllm", (VERSION,), _likely, _known, _more, _facts)
