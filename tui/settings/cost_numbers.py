"""What the numbers mean that say what each phase of a request cost the machine, and what limited it."""

from __future__ import annotations

from tui.settings.defining import COSTS, Definition

_DRIVER = "the GPU driver's, between the edges of the phase"
_MODEL = "a model of the work; drawn with ≈"
_SYSTEM = "the system's counters, between the edges of the phase"

OF_THE_PHASES: tuple[Definition, ...] = (
    Definition(
        "phase_use", "GPU use of a phase", COSTS,
        "How busy the server's GPUs were while the prompt was read or the answer written: the mean, and the"
        " least and the most.",
        "mean of the driver's averages whose windows lie inside the phase", _DRIVER,
        "A phase shorter than two windows gets only the highest value seen, as ≥; one shorter than a window"
        " gets none.",
    ),
    Definition(
        "phase_power", "GPU power of a phase", COSTS,
        "What the boards of the server's GPUs drew, on average.",
        "mean of the driver's readings inside the phase, all working GPUs together", _DRIVER,
        "Full use at little power means that the GPU waits for its memory.",
    ),
    Definition(
        "energy", "GPU energy of a phase", COSTS,
        "The energy that the boards of the server's GPUs used, with all other work that runs on them.",
        "growth of the driver's energy counter, else power × time", _DRIVER,
        "Processor, fans and power supply are not in it.",
        "the phase is short beside the steps of the counter, or there is none and power was added up",
    ),
    Definition(
        "joules_per_token", "energy of a token", COSTS,
        "What one token of the answer cost.",
        "GPU energy of decode / tokens of the answer", _DRIVER,
        "With other requests at the same time it is the machine's energy, not this request's.",
        "the energy is only about right",
    ),
    Definition(
        "mj_per_prompt_token", "energy of a prompt token", COSTS,
        "What reading one token of the prompt cost, in thousandths of a joule.",
        "GPU energy of prefill / prompt tokens really read", _DRIVER,
        "Reused tokens cost nothing and are not counted.",
        "the energy is only about right",
    ),
    Definition(
        "tokens_per_wh", "tokens per watt-hour", COSTS,
        "How many tokens of the answer one watt-hour of GPU energy writes.",
        "3600 / energy of a token", _DRIVER,
        "",
        "the energy is only about right",
    ),
    Definition(
        "bandwidth", "memory traffic of decode", COSTS,
        "How much is read from memory each second while the answer is written: for every token all weights"
        " that work on it and the cache of what came before.",
        "(bytes of the weights + bytes of the KV cache at the mean length) × tokens per second", _MODEL,
        "A lower bound: what is read twice is not in it. Above 105 % of the peak the model of the work is"
        " wrong, and there is no number.",
    ),
    Definition(
        "bandwidth_pct", "memory traffic, of the peak", COSTS,
        "How near decode comes to what the memory can deliver. From about 60 % on the memory is the limit;"
        " 75 to 85 % is a very good engine.",
        "memory traffic / peak of the device; measured where the GPU counts it itself", _MODEL,
        "The peak is by the driver's bus width and clock, else from a table of published figures.",
    ),
    Definition(
        "flops", "arithmetic of prefill", COSTS,
        "How many calculations reading the prompt took each second.",
        "(2 × active parameters × tokens read + attention: 2 × layers × length² × width of the heads)"
        " / the engine's time",
        _MODEL,
        "The engine's time may contain queueing.",
    ),
    Definition(
        "flops_pct", "arithmetic, of the peak", COSTS,
        "How near prefill comes to what the device can calculate.",
        "arithmetic / dense FP16 peak of the device, in steps of 5 %", _MODEL,
        "Quantized weights may run on other units, so the peak is unsure by a factor of two.",
    ),
    Definition(
        "ridge", "tokens until arithmetic is the limit", COSTS,
        "So many tokens have to be worked on together before arithmetic, not memory, is the limit. Decode of"
        " one answer is far below it, prefill far above.",
        "peak arithmetic × bytes of a weight / (2 × peak bandwidth)", _MODEL,
    ),
    Definition(
        "kv_used", "KV cache used", COSTS,
        "What the model keeps in memory of this prompt and answer.",
        "sum over the layers: kv heads × (key + value) bytes × tokens", _MODEL,
        "Computed from the model's own description, not read from the machine.",
    ),
    Definition(
        "kv_reserved", "KV cache reserved", COSTS,
        "What the engine set aside for the whole context, in all slots, before the first token.",
        "the same sum for the length of the context × slots", _MODEL,
        "Because it is reserved, the memory in use does not grow with the answer.",
    ),
    Definition(
        "headroom", "room for more tokens", COSTS,
        "How many more tokens fit: into the context where its memory is reserved, else into the memory that"
        " is free.",
        "context − tokens so far, or free memory / bytes of one more token", _MODEL,
    ),
    Definition(
        "offload", "weights outside of the GPU", COSTS,
        "The share of the weights that lies in RAM, where each token reads it far more slowly.",
        "1 − the server's GPU memory / size of the model's file; the engine's own word goes first",
        "the driver's and the engine's",
    ),
    Definition(
        "ceiling", "most that this split allows", COSTS,
        "With the weights split over GPU and RAM no answer can be written faster than this.",
        "1 / (bytes on the GPU / its bandwidth + bytes in RAM / its bandwidth)", _MODEL,
    ),
    Definition(
        "load_rate", "load rate", COSTS,
        "How fast the model came from the disk when it was loaded for this request.",
        "bytes the server read / time of the load", _SYSTEM,
        "What the system still had in its file cache is not read again and does not count.",
    ),
    Definition(
        "held_back", "held back", COSTS,
        "The share of a phase in which a GPU ran below its clock, with the gravest reason. A power cap at"
        " full load is normal; heat and the power supply's brake are not.",
        "the driver's counters of time for each reason, else the share of readings", _DRIVER,
        "",
        "counted by readings, not by the driver's clock",
    ),
    Definition(
        "verdict_prefill", "what limited prefill", COSTS,
        "The first of these that fits: killed for want of memory, disk, swap, the hardware's own brake,"
        " processor, arithmetic, heat, one thread of the host, GPUs that wait for each other. Else it is"
        " unclear, with the two numbers that tell most.",
        "fixed limits on the numbers of the phase", "none; it rests on the numbers in it",
        "The limits are choices of this program.",
    ),
    Definition(
        "verdict_decode", "what limited decode", COSTS,
        "As for prefill; here memory bandwidth (60 % of the peak or more) and weights that cross the bus come"
        " before arithmetic.",
        "fixed limits on the numbers of the phase", "none; it rests on the numbers in it",
        "The limits are choices of this program.",
    ),
)  # fmt: skip
