"""Where recordings lie, and what is taken out of them."""

from __future__ import annotations

from datetime import datetime

import pytest

from tui.capture.scrub import scrub_headers, scrub_meta, scrub_url
from tui.capture.shelf import Shelf

NOON = datetime(2026, 1, 31, 12, 0, 5)


def test_names_have_date_and_run_number(tmp_path):
    shelf = Shelf(tmp_path / "state" / "runs")
    first, second = shelf.reserve(NOON), shelf.reserve(NOON)
    assert [first.name, second.name] == ["20260131-120005-run0001.jsonl", "20260131-120005-run0002.jsonl"]
    assert first.stat().st_mode & 0o777 == 0o600
    assert first.parent.stat().st_mode & 0o777 == 0o700
    assert shelf.listing() == [second, first]


def test_two_instances_never_share_a_file(tmp_path, monkeypatch):
    one, other = Shelf(tmp_path), Shelf(tmp_path)
    monkeypatch.setattr(other, "listing", list)  # it looked before the first one had reserved
    assert one.reserve(NOON) != other.reserve(NOON)


def test_the_oldest_go_beyond_the_cap(tmp_path):
    shelf = Shelf(tmp_path, cap_bytes=250)
    foreign = tmp_path / "mine.jsonl"
    foreign.write_bytes(b"x" * 1000)
    paths = []
    for second in range(4):
        paths.append(shelf.reserve(NOON.replace(second=second)))
        paths[-1].write_bytes(b"x" * 100)
    shelf.reserve(NOON)
    assert [path.exists() for path in paths] == [False, False, True, True]
    assert foreign.exists()


def test_clearing_leaves_foreign_files(tmp_path):
    shelf = Shelf(tmp_path)
    shelf.reserve(NOON)
    shelf.reserve(NOON)
    (tmp_path / "mine.jsonl").touch()
    assert shelf.clear() == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine.jsonl"]
    assert Shelf(tmp_path / "absent").listing() == []


@pytest.mark.parametrize(
    ("url", "clean"),
    [
        ("http://127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1"),
        ("https://me:secret@host/v1?model=a", "https://host/v1?model=a"),
        ("https://host/v1?api-key=abc&model=a", "https://host/v1?api-key=(removed)&model=a"),
        ("https://host/?access_token=abc#token=abc", "https://host/?access_token=(removed)#token=(removed)"),
        ("/v1/chat?X-Amz-Signature=abc", "/v1/chat?X-Amz-Signature=(removed)"),
        ("http://[broken", "(removed)"),
    ],
)
def test_urls_lose_their_secrets(url, clean):
    assert scrub_url(url) == clean


def test_headers_lose_their_secrets():
    secret = ["Authorization", "Proxy-Authorization", "X-Api-Key", "api-key", "Cookie", "Set-Cookie"]
    told = [*((name, "abc") for name in secret), ("Location", "/x?token=abc"), ("Link", "https://h/?key=abc")]
    assert "abc" not in repr(scrub_headers(told))
    assert scrub_headers([("Content-Type", "text/plain"), ("X-Request-Id", "7")]) == [
        ["Content-Type", "text/plain"],
        ["X-Request-Id", "7"],
    ]


def test_what_lies_deep_is_found():
    meta = {
        "request": {"url": "http://a:abc@h/", "headers": {"Authorization": "Bearer abc"}, "body": {"n": [1]}},
        "response_headers": [["Set-Cookie", "abc"]],
        "targets": [{"base_url": "http://h/?key=abc"}],
    }
    clean = scrub_meta(meta)
    assert "abc" not in repr(clean)
    assert clean["request"]["body"] == {"n": [1]}
