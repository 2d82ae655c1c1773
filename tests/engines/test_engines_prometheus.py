"""Reading the text that metrics are served as: exact names, sums, growth, and hostile pages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engines.seen import CAPTURES
from tui.engines.prometheus import Page, grown_ns, growth

PAGE = Page(b"""# HELP a_total counts
# TYPE a_total counter
a_total{engine="0",model="m"} 4.0
a_total{engine="1",model="m"} 2.5 1700000000000
a_total_created{engine="0"} 1.7e9
a_bucket{le="+Inf"} 9
plain 7
broken{a="x} 3
nan{} NaN
half{e="0"} 1
half{e="1"} +Inf
escaped{p="a\\"b,c}\\\\",q="x\\ny"} 5
 spaced{ k = "v" , } 6
""")


def test_lines_of_one_name_are_summed_and_twins_left_out() -> None:
    assert PAGE.total("a_total") == 6.5
    assert PAGE.total("a_total", lambda labels: labels["engine"] == "1") == 2.5
    assert (PAGE.total("plain"), PAGE.total("a"), PAGE.total("a_tota")) == (7, None, None)


def test_a_sum_with_a_part_that_is_no_number_is_none() -> None:
    assert (PAGE.total("nan"), PAGE.total("half")) == (None, None)
    assert "nan" in PAGE and "broken" not in PAGE


def test_labels_may_hold_what_ends_them() -> None:
    (series,) = PAGE.series("escaped")
    assert series.labels == {"p": 'a"b,c}\\', "q": "x\ny"} and series.value == 5


def test_the_first_name_that_is_there_counts() -> None:
    assert PAGE.first("new_name", "plain", "a_total") == 7
    assert PAGE.first("new_name") is None


@pytest.mark.parametrize(
    ("before", "after", "grown"),
    [
        ("a 1", "a 3", 2.0),
        ("a 3", "a 1", None),
        ("", "a 1", None),
        ("a 1", "", None),
        ("a 1", "a NaN", None),
        ('a{e="0"} 1\na{e="1"} 1', 'a{e="0"} 1\na{e="1"} 4', 3.0),
    ],
)
def test_growth_is_known_only_between_two_numbers(before: str, after: str, grown: float | None) -> None:
    pages = Page(before.encode()), Page(after.encode())
    assert growth(*pages, "a") == grown
    assert grown_ns(*pages, "a") == (None if grown is None else round(grown * 1e9))


def test_a_whole_page_of_an_engine_is_read() -> None:
    page = Page((CAPTURES / "vllm" / "metrics-one-short.metrics-after.txt").read_bytes())
    assert page.total("vllm:prompt_tokens_total") == 4885
    assert page.total("vllm:request_queue_time_seconds_count") == 22
    assert page.series("vllm:cache_config_info")[0].labels["num_gpu_blocks"] == "364"


def test_long_lines_are_passed_over() -> None:
    page = Page(b'a{x="' + b"y" * 100_000 + b'"} 1\nb 2\n' + b"\\" * 50_000)
    assert "a" not in page and page.total("b") == 2


@given(st.binary(max_size=300) | st.text(alphabet='a{}="\\,\n 1.e_:#', max_size=120).map(str.encode))
@settings(max_examples=200, deadline=None)
def test_no_page_breaks_the_reader(body: bytes) -> None:
    page = Page(body)
    assert page.total("a") is None or isinstance(page.total("a"), float)
