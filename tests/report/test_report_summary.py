"""Summaries: only what is complete and not in doubt counts, and what does not is counted."""

from tui.report.summary import summarised


def run(**values: object) -> dict[str, object]:
    return {
        "complete": True,
        "error": None,
        "ttft_s": 1.0,
        "decode_tok_s": 10.0,
        "decode_reliable": True,
    } | values


def test_incomplete_runs_are_left_out_with_their_reason() -> None:
    told = summarised([run(), run(complete=False, error={"message": "gone"}), run(complete=False)])
    assert (told["runs"], told["used"]) == (3, 1)
    assert told["left_out"] == [{"run": 2, "why": "gone"}, {"run": 3, "why": "it has no finish reason"}]


def test_doubtful_and_missing_rates_do_not_count() -> None:
    doubtful = run(decode_tok_s=9999.0, decode_reliable=False)
    values = summarised([run(), doubtful, run(decode_tok_s=None, decode_reliable=None)])["values"]
    assert values["decode_tok_s"] == {"n": 1, "median": 10.0, "min": 10.0, "max": 10.0}
    assert values["ttft_s"]["n"] == 3
    assert values["queue_s"] is None


def test_percentiles_only_from_twenty_runs_up() -> None:
    few = summarised([run(ttft_s=float(n)) for n in range(19)])["values"]["ttft_s"]
    many = summarised([run(ttft_s=float(n)) for n in range(21)])["values"]["ttft_s"]
    assert "p95" not in few
    assert many["p95"] == 19.0
