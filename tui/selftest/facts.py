"""What the scripted server answers beside the stream, as the engine of its dialect would."""

from __future__ import annotations

NEXT = "next"
"""The model's name that asks for the script that was put down for the next request."""
CONTEXT = 131_072
_MODELS = ("one-80-400", NEXT)


def fact(path: str, dialect: str, body: dict[str, object], waits: bool) -> object:
    """What is told at a path; None for what this dialect does not know. waits: a request is in the queue."""
    match path, dialect:
        case "/health", _:
            return {"status": "ok"}
        case "/v1/models", _:
            return _listed(dialect)
        case "/props", "llama.cpp":
            settings = {"n_ctx": CONTEXT}
            return {"build_info": "scripted", "default_generation_settings": settings, "total_slots": 1}
        case "/slots", "llama.cpp":
            return [{"id": 0, "is_processing": waits}]
        case "/v1/chat/completions/input_tokens", "llama.cpp":
            return {"input_tokens": prompt_tokens(body)}
        case "/", "ollama":
            return "Ollama is running"
        case "/api/version", "ollama":
            return {"version": "0.34.0"}
        case (("/api/tags" | "/api/ps"), "ollama"):
            sizes = {"size": 1 << 30, "size_vram": 1 << 30, "context_length": CONTEXT}
            return {"models": [{"name": f"{name}:latest", **sizes} for name in _MODELS]}
        case "/api/show", "ollama":
            return {"model_info": {}}
        case _:
            return None


def _listed(dialect: str) -> object:
    owner = {"llama.cpp": "llamacpp", "ollama": "library"}.get(dialect, "scripted")
    names = _MODELS[:1] if dialect == "llama.cpp" else _MODELS
    entries = [{"id": name, "object": "model", "owned_by": owner, "max_model_len": CONTEXT} for name in names]
    return {"object": "list", "data": entries}


def prompt_tokens(body: dict[str, object]) -> int:
    """Tokens of a chat request: its words."""
    turns = body.get("messages")
    return sum(len(turn["content"].split()) for turn in turns) if isinstance(turns, list) else 0
