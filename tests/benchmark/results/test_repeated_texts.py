"""Long texts of an archive have short names in its lines."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.results import repeated_texts
from benchmark.results.repeated_texts import parse_texts, restore_texts, shorten_texts

COLUMNS = ("dataset_checksum", "dataset_differences", "versions", "git_commit")


def build(texts):
    return pd.DataFrame(dict.fromkeys(COLUMNS, texts) | {"other": texts}, dtype=object)


@given(st.lists(st.text(max_size=30), min_size=1, max_size=8))
def test_what_was_shortened_comes_back(texts):
    runs = build(texts)
    short, names = shorten_texts(runs)
    pd.testing.assert_frame_equal(restore_texts(short, names), runs, check_dtype=False)


@pytest.mark.parametrize(
    "content", [b"[]", b'{"versions": ["a"]}', b'{"versions": {"a": 1}}', b"{"]
)
def test_other_things_than_texts_are_refused(content):
    with pytest.raises(ValueError, match=r"texts|Expecting"):
        parse_texts(content)
    assert parse_texts(b'{"versions": {"a": "b"}}') == {"versions": {"a": "b"}}


def test_short_texts_and_other_columns_stay():
    runs = build(["12345678", "123456789"])
    short, names = shorten_texts(runs)
    assert list(short["versions"]) == ["12345678", *names["versions"]]
    assert list(short["other"]) == list(runs["other"])


def test_names_do_not_depend_on_the_other_runs():
    one, _ = shorten_texts(build(["a text of some length"]))
    two, _ = shorten_texts(build(["a text before it in order", "a text of some length"]))
    assert one["versions"][0] == two["versions"][1]


def test_a_name_that_two_texts_would_share_stands_for_none(monkeypatch):
    monkeypatch.setattr(repeated_texts, "_LENGTH", 1)
    runs = build([f"text {number}" for number in range(40)] + ["a", "b", "c"])
    short, names = shorten_texts(runs)
    assert len(names["versions"]) < 16, "there are no more letters"
    pd.testing.assert_frame_equal(restore_texts(short, names), runs, check_dtype=False)
