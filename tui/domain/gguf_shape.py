"""From a model file's metadata (or an engine's copy of it) to the shape of the model.

Key names as in the GGUF specification; which layers of an architecture look at a window only, and how large a
recurrent state is, as llama.cpp builds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from tui.domain.gguf import Weight
from tui.domain.shape import MOST, MOST_LAYERS, Attention, ModelShape
from tui.domain.values import count

# every n-th layer sees all tokens and the others a window, where the file does not say so itself
_FULL_EVERY: Mapping[str, int] = {
    "gemma2": 2, "gemma3": 6, "gemma3n": 5, "gpt-oss": 2, "cohere2": 4, "llama4": 4, "exaone4": 4, "olmo2": 4,
}  # fmt: skip
_IGNORE_WINDOW = ("llama", "qwen2", "qwen2moe", "qwen3", "qwen3moe", "phi3", "starcoder2")
_CHUNK_LLAMA4 = 8192
_ALL_RECURRENT = ("mamba", "mamba2", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7")
_BOTH_IN_EACH = ("falcon-h1",)
_STATE_BYTES = 4  # states are kept as float32

Metadata = Mapping[str, object]


class _Told:
    """The keys of one architecture."""

    def __init__(self, metadata: Metadata) -> None:
        self._metadata = metadata
        name = metadata.get("general.architecture")
        self.architecture = name if isinstance(name, str) else ""

    def has(self, key: str) -> bool:
        return f"{self.architecture}.{key}" in self._metadata

    def raw(self, key: str) -> object:
        return self._metadata.get(f"{self.architecture}.{key}")

    def number(self, key: str) -> int | None:
        n = count(self.raw(key))
        return n if n is not None and n <= MOST else None

    def each(self, key: str, layers: int) -> list[int] | None:
        """One number per layer, from one for all or from a list; None when not told."""
        value = self.raw(key)
        if isinstance(value, (list, tuple)):
            numbers = [count(n) for n in value[:layers]]
            known = [n for n in numbers if n is not None and n <= MOST]
            return known if len(known) == layers else None
        one = self.number(key)
        return None if one is None else [one] * layers


class _Unknown(Exception):
    """What is kept per token can't be told; the message says why."""


def shape_of(metadata: Metadata, found: Sequence[Weight] = (), file_bytes: int | None = None) -> ModelShape:
    """The shape; `found` are the sizes of its tensors, empty when only metadata is known.

    Without them a model with experts has no `weight_bytes`, and another one's are those of its whole file.
    """
    told = _Told(metadata)
    if not told.architecture:
        return ModelShape(file_bytes=file_bytes, why="the architecture is not told")
    blocks = told.number("block_count")
    layers = None
    if blocks is not None and blocks <= MOST_LAYERS:
        layers = max(blocks - (told.number("nextn_predict_layers") or 0), 0)  # drafting layers decode nothing
    attention, state, why = _kept(told, layers)
    experts = told.number("expert_count") or 0
    used = told.number("expert_used_count") if experts else None
    heads = max(told.each("attention.head_count", layers or 1) or [0])
    params, active, weight, embedding, tied = _weights(found, layers or 0, experts, used)
    params = count(metadata.get("general.parameter_count")) if params is None else params
    return ModelShape(
        architecture=told.architecture,
        layers=layers,
        heads=heads or None,
        head_dim=_key_size(told, heads),
        attention=attention,
        state_bytes=state,
        context=told.number("context_length"),
        params=params,
        active_params=active if found or experts else params,
        file_bytes=file_bytes,
        weight_bytes=weight if found or experts else file_bytes,
        embedding_bytes=embedding,
        tied=tied,
        experts=experts,
        experts_used=used,
        why=why,
    )


def _kept(told: _Told, layers: int | None) -> tuple[tuple[Attention, ...] | None, int, str]:
    """(groups of equal layers, bytes of the recurrent state, why they can't be told)."""
    if not layers:
        return None, 0, "the number of layers is not told"
    try:
        return *_attention(told, layers), ""
    except _Unknown as unknown:
        return None, 0, str(unknown)


def _key_size(told: _Told, heads: int) -> int | None:
    wide = told.number("attention.key_length")
    embedding = told.number("embedding_length")
    return wide or (embedding // heads if embedding and heads else None)


def _attention(told: _Told, layers: int) -> tuple[tuple[Attention, ...], int]:
    """(groups of equal layers, bytes of the recurrent state)."""
    recurrent = _recurrent(told, layers)
    state = sum(recurrent) * _state_bytes(told) if any(recurrent) else 0
    keeps = [not r or told.architecture in _BOTH_IN_EACH for r in recurrent]
    if not any(keeps):
        return (), state
    heads = told.each("attention.head_count", layers)
    key = "attention.head_count_kv"
    kv_heads = told.each(key, layers) if told.has(key) else heads
    if heads is None or kv_heads is None:
        raise _Unknown("the number of key and value heads is not told")
    windows = _windows(told, layers)
    shared = told.number("attention.shared_kv_layers") or 0  # the last ones use the cache of earlier ones
    each = [
        _layer(told, max(heads), n, window)
        for index, (n, window) in enumerate(zip(kv_heads, windows, strict=True))
        if keeps[index] and n and index < layers - shared
    ]
    ordered = sorted(each, key=repr)
    return tuple(Attention(len(list(same)), *kind) for kind, same in groupby(ordered)), state


def _layer(told: _Told, heads: int, kv_heads: int, window: int | None) -> tuple[int, int, int, int | None]:
    """(heads, key size, value size, window) of what one layer keeps."""
    rank = told.number("attention.kv_lora_rank")
    if rank and (kv_heads == 1 or told.has("attention.key_length_mla")):
        return 1, rank + (told.number("rope.dimension_count") or 0), 0, window
    near = "_swa" if window and told.has("attention.key_length_swa") else ""
    wide = told.number(f"attention.key_length{near}") or _key_size(told, heads)
    if wide is None:
        raise _Unknown("the size of a head is not told")
    return kv_heads, wide, told.number(f"attention.value_length{near}") or wide, window


def _windows(told: _Told, layers: int) -> list[int | None]:
    """The window of each layer, None where it sees all tokens."""
    architecture = told.architecture
    window = told.number("attention.sliding_window")
    if architecture == "llama4":
        window = window or _CHUNK_LLAMA4
    pattern = told.raw("attention.sliding_window_pattern")
    if not window or (architecture in _IGNORE_WINDOW and pattern is None):
        return [None] * layers
    if isinstance(pattern, (list, tuple)) and len(pattern) >= layers:
        return [window if near else None for near in pattern[:layers]]
    every = count(pattern) or _FULL_EVERY.get(architecture)
    if every is None:
        raise _Unknown("which layers see a window only is not told")
    return [None if index % every == every - 1 else window for index in range(layers)]


def _recurrent(told: _Told, layers: int) -> list[bool]:
    """Which layers keep a state of constant size instead of keys and values."""
    if told.architecture in _ALL_RECURRENT or told.architecture in _BOTH_IN_EACH:
        return [True] * layers
    kv_heads = told.raw("attention.head_count_kv")
    has_state = told.has("ssm.state_size") or told.has("shortconv.l_cache")
    if not has_state:
        return [False] * layers
    if isinstance(kv_heads, (list, tuple)):
        each = told.each("attention.head_count_kv", layers)
        wide = (
            told.each("feed_forward_length", layers) if told.architecture.startswith("nemotron_h") else None
        )
        if each is not None:  # there a layer without heads may be a plain one
            return [n == 0 and not (wide and wide[index]) for index, n in enumerate(each)]
    every = told.number("full_attention_interval")
    if every:
        return [index % every != every - 1 for index in range(layers)]
    raise _Unknown("which layers are recurrent is not told")


def _state_bytes(told: _Told) -> int:
    """State of one recurrent layer: of Mamba (convolution and state), of a short convolution, or of RWKV."""
    embedding = told.number("embedding_length") or 0
    conv, inner, state = (told.number(f"ssm.{key}") for key in ("conv_kernel", "inner_size", "state_size"))
    if conv and inner and state:
        groups = told.number("ssm.group_count") or 0
        return _STATE_BYTES * ((conv - 1) * (inner + 2 * groups * state) + state * inner)
    kept, head = told.number("shortconv.l_cache"), told.number("wkv.head_size")
    if kept and embedding:
        return _STATE_BYTES * (kept - 1) * embedding
    if head and embedding:
        shifts = told.number("token_shift_count") or 2
        return _STATE_BYTES * (embedding * head + shifts * embedding)
    raise _Unknown("the size of the recurrent state is not told")


def _weights(
    found: Sequence[Weight], layers: int, experts: int, used: int | None
) -> tuple[int | None, int | None, int | None, int | None, bool]:
    """(parameters, active ones, bytes read per token, bytes of the embedding table, is it the output too)."""
    names = {weight.name for weight in found}
    tied = "token_embd.weight" in names and "output.weight" not in names
    params = active = read = embedding = 0
    for weight in found:
        if weight.name.startswith(("v.", "mm.", "a.")) or _drafts(weight.name, layers):
            continue
        params += weight.elements
        table = weight.name in ("token_embd.weight", "per_layer_token_embd.weight")
        embedding += weight.size if table else 0
        if "_exps." in weight.name and experts and used is not None:
            active += weight.elements * used // experts
            read += weight.size * used // experts
        else:
            active += 0 if weight.name.startswith("per_layer") and table else weight.elements
            read += 0 if table and not (tied and weight.name.startswith("token")) else weight.size
    if not found or params > MOST or read > MOST:
        return None, None, None, None, False
    if experts and used is None:
        return params, None, None, embedding, tied
    return params, active, read, embedding, tied


def _drafts(name: str, layers: int) -> bool:
    """A tensor of the layers that only guess ahead, behind the last one."""
    block = name.removeprefix("blk.").split(".", 1)[0]
    return bool(layers) and name.startswith("blk.") and block.isdecimal() and int(block) >= layers
