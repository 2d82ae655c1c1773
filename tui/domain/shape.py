"""The shape of a model: what of it is kept per token, and what is read for each, as far as its file tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

from tui.domain.characters import encodable
from tui.domain.values import count

MOST = 2**53  # no size or count of a real model comes near; larger ones are nonsense
MOST_LAYERS = 4096


@dataclass(frozen=True, slots=True)
class Attention:
    """`layers` equal layers that keep keys and values of each token, the last `window` ones when it is set.

    Compressed attention (MLA) keeps one head: rank + rotary part in `k_dim`, `v_dim` 0.
    """

    layers: int
    kv_heads: int
    k_dim: int
    v_dim: int
    window: int | None = None


@dataclass(frozen=True, slots=True)
class ModelShape:
    """What the metadata tells; None is not told.

    `attention`: None with `why` when it can't be told which layers keep what, () when none does.
    `weight_bytes`: weights read for one token: without the embedding table (unless it is the output too), of
    experts only the share that is used. `active_params`: likewise, the embedding table included.
    """

    architecture: str = ""
    layers: int | None = None
    heads: int | None = None
    head_dim: int | None = None
    attention: tuple[Attention, ...] | None = None
    state_bytes: int = 0  # recurrent layers, per sequence, however long it is
    context: int | None = None  # trained
    params: int | None = None
    active_params: int | None = None
    file_bytes: int | None = None
    weight_bytes: int | None = None
    embedding_bytes: int | None = None
    tied: bool = False  # the embedding table is the output layer too
    experts: int | None = None  # 0: none; None: not told
    experts_used: int | None = None
    why: str = ""

    @property
    def dense(self) -> bool:
        """Known to have no experts."""
        return self.experts == 0


def shape_raw(shape: ModelShape) -> dict[str, object]:
    """The shape as JSON carries it, what is not told left out; `shape_from` undoes it."""
    raw: dict[str, object] = {
        f.name: value
        for f in fields(shape)
        if (value := getattr(shape, f.name)) not in (None, "") and value is not False
    }
    if shape.attention is not None:
        raw["attention"] = [[a.layers, a.kv_heads, a.k_dim, a.v_dim, a.window] for a in shape.attention]
    return raw


def shape_from(raw: object) -> ModelShape | None:
    """A shape from JSON; values of a wrong kind are not told, and without any there is none."""
    if not isinstance(raw, Mapping):
        return None
    told: dict[str, object] = {}
    for f in fields(ModelShape):
        value = raw.get(f.name)
        match str(f.type):
            case "int | None" | "int" if (n := _whole(value)) is not None:
                told[f.name] = n
            case "str" if isinstance(value, str):
                told[f.name] = encodable(value)
            case "bool" if isinstance(value, bool):
                told[f.name] = value
    attention = _attention(raw.get("attention"))
    return ModelShape(**told, attention=attention) if told or attention is not None else None  # type: ignore[arg-type]


def shape_from_conditions(conditions: Mapping[str, object]) -> ModelShape | None:
    """What the engine told about its model: a whole shape where there is one, else its sizes alone."""
    whole = shape_from(conditions.get("shape"))
    if whole is not None:
        return whole
    params, size = _whole(conditions.get("parameters")), _whole(conditions.get("model_bytes"))
    if params is None and size is None:
        return None
    return ModelShape(params=params, file_bytes=size, why="the engine does not tell the model's layers")


def _whole(value: object) -> int | None:
    n = count(value)
    return n if n is not None and n <= MOST else None


def _attention(raw: object) -> tuple[Attention, ...] | None:
    if not isinstance(raw, list) or len(raw) > MOST_LAYERS:
        return None
    groups = []
    for entry in raw:
        if not isinstance(entry, list) or len(entry) != len(fields(Attention)):
            return None
        layers, kv_heads, k_dim, v_dim, window = (_whole(n) for n in entry)
        if layers is None or kv_heads is None or k_dim is None or v_dim is None:
            return None
        if window is None and entry[-1] is not None:
            return None
        groups.append(Attention(layers, kv_heads, k_dim, v_dim, window))
    return tuple(groups)
