"""SGLang: the owner of its models or its greeting, also where it answers like Ollama."""

from __future__ import annotations

from tui.domain.values import count
from tui.engines.asking import Ask
from tui.engines.conditions import last_part
from tui.engines.evidence.heard import Heard
from tui.engines.evidence.kind import Facts, Kind, Wish, listed
from tui.engines.shapes import Object, text

_INFO = ("/server_info", "/get_server_info")  # new and old name
_ABOUT = ("/model_info", "/get_model_info")


def _likely(heard: Heard) -> bool:
    return heard.owner == "sglang"


def _known(heard: Heard) -> bool:
    return _likely(heard) or heard.words("/").strip('"') == "SGLang is running"


def _more(heard: Heard, wish: Wish) -> list[Ask]:
    """The health path is left alone: it makes the engine write a token."""
    new, old = zip(_INFO, _ABOUT, strict=True)
    missing = any(heard.answer(path).status == 404 for path in new)
    return [Ask("GET", path) for path in (*new, *(old if missing else ()))]


def _facts(heard: Heard) -> Facts:
    info = _either(heard, _INFO)
    flags = {"metrics": "enable_metrics", "cache_report": "enable_cache_report"}
    return Facts(
        listed(heard),
        text(info.get("version")),
        conditions=conditions(info, _either(heard, _ABOUT)),
        features={name: info[key] is True for name, key in flags.items() if isinstance(info.get(key), bool)},
    )


def conditions(info: Object, about: Object) -> dict[str, object]:
    """Single values only: the arguments hold the person's keys and folders too."""
    radix_off = info.get("disable_radix_cache")
    kind = text(info.get("kv_cache_dtype"))
    return {
        "file": last_part(text(about.get("model_path")) or text(info.get("model_path"))),
        "quantization": text(info.get("quantization")),
        "context_length": count(info.get("context_length")),
        "slots": count(info.get("max_running_requests")),
        "batch": count(info.get("chunked_prefill_size")),
        "kv_tokens": count(info.get("max_total_num_tokens")),
        "kv_dtype": "" if kind == "auto" else kind,
        "prefix_caching": not radix_off if isinstance(radix_off, bool) else None,
    }


def _either(heard: Heard, paths: tuple[str, str]) -> Object:
    return heard.object(paths[0]) or heard.object(paths[1])


KIND = Kind("sglang", ("/",), _likely, _known, _more, _facts)
