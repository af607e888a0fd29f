"""From a column to classes."""

import numpy as np
import pandas as pd
import pytest

from benchmark.datasets import TableOptions, read_table
from benchmark.errors import UserError


@pytest.fixture
def read(tmp_path):
    def write_and_read(labels, **options):
        rng = np.random.default_rng(3)
        frame = pd.DataFrame(rng.normal(size=(len(labels), 4)), columns=list("abcd"))
        frame["y"] = labels
        frame.to_csv(tmp_path / "t.csv", index=False)
        return read_table(TableOptions(tmp_path / "t.csv", target="y", **options))

    return write_and_read


THREE = ["low"] * 10 + ["mid"] * 10 + ["high"] * 10


def test_classes_are_kept_and_ordered(read):
    dataset = read(THREE, classes=("low", "high"))
    assert dataset.class_names.tolist() == ["low", "high"]
    assert dataset.class_counts == (10, 10)
    assert dataset.sample_ids[-1] == "row-30"


def test_a_positive_class_stands_against_the_rest(read):
    dataset = read(THREE, positive="mid")
    assert dataset.class_names.tolist() == ["not mid", "mid"]
    assert dataset.class_counts == (20, 10)
    assert read(["no", "yes"] * 10, positive="no").class_names.tolist() == ["yes", "no"]


def test_unlabelled_samples_are_left_out_on_request(read):
    labels = ["x", None] + ["x", "y"] * 10
    with pytest.raises(UserError, match=r"1 sample without a label .*--drop-unlabelled"):
        read(labels)
    assert read(labels, drop_unlabelled=True).n_samples == 21


def test_small_classes_are_dropped_on_request(read):
    labels = ["x", "y"] * 10 + ["rare"] * 2
    with pytest.raises(UserError, match=r"class 'rare' has 2 samples, .*--min-class 3"):
        read(labels)
    assert read(labels, min_class=3).class_names.tolist() == ["x", "y"]


def test_numbers_are_cut_on_request(read):
    labels = np.linspace(0, 10, 41)
    with pytest.raises(UserError, match=r"41 different numbers.*--cut median"):
        read(labels)
    assert read(labels, cut="median").class_counts == (21, 20)
    assert read(labels, cut="7.5").class_names.tolist() == ["<= 7.5", "> 7.5"]


@pytest.mark.parametrize("form", ["2024-01-{:02d}", "{:02d}.01.2024", "2024-01-{:02d} 10:00"])
def test_dates_are_no_classes(read, form):
    with pytest.raises(UserError, match="'y' holds dates"):
        read([form.format(i % 9 + 1) for i in range(30)])


def test_leading_zeros_make_another_label(read):
    assert read(["01", "1"] * 10).class_names.tolist() == ["01", "1"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"classes": ("low", "hgih")}, "no class 'hgih', there are high, low, mid"),
        ({"positive": "x"}, "no class 'x'"),
        ({"cut": "median"}, "--cut needs numbers in 'y', not 'low'"),
        ({"columns": "^z"}, "no column matches --columns"),
        ({"columns": "("}, "not a regular expression"),
        ({"drop": ("e",)}, "--drop column 'e' is not there"),
        ({"duplicates": "last"}, "--duplicates last: use first, mean or max-variance"),
        ({"match_ids": "exactly"}, "--match-ids exactly: use exact, trimmed or tcga-patient"),
        ({"drop_unmatched": True}, "--drop-unmatched: only with --labels"),
        ({"format": "cvs"}, "--format cvs: unknown"),
        ({"name": "x" * 300}, "up to 100 letters"),
    ],
)
def test_what_cannot_be_meant_is_refused(read, options, words):
    with pytest.raises(UserError, match=words) as caught:
        read(THREE, **options)
    assert len(str(caught.value)) < 300
