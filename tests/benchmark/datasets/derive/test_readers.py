"""Archives, and files of R."""

import numpy as np
import pandas as pd
import pytest
import rdata

from benchmark.datasets.derive.loaders import SourceError
from benchmark.datasets.derive.readers import open_member, read_labelled, read_raw


def test_an_archive_that_climbs_out_is_refused(tmp_path, make_tar):
    path = tmp_path / "evil.tar.gz"
    path.write_bytes(make_tar({"data.txt": "good", "../../outside.txt": "evil"}))
    with (
        pytest.raises(SourceError, match=r"unsafe.*\.\./\.\./outside\.txt"),
        open_member(path, [r"data\.txt"]),
    ):
        pass
    assert not (tmp_path.parent / "outside.txt").exists()


def test_an_absolute_member_is_refused(tmp_path, make_tar):
    path = tmp_path / "evil.tar.gz"
    path.write_bytes(make_tar({"/etc/passwd": "evil"}))
    with pytest.raises(SourceError, match="unsafe"), open_member(path, [".*"]):
        pass


def test_a_truncated_archive_is_damaged(tmp_path, make_tar):
    path = tmp_path / "cut.tar.gz"
    whole = make_tar({"data.txt": "x" * 100 + str(list(range(20000)))})
    path.write_bytes(whole[: len(whole) // 2])
    with (
        pytest.raises(SourceError, match="damaged"),
        open_member(path, [r"data\.txt"]) as stream,
    ):
        stream.read()


def test_a_missing_member_is_named(tmp_path, make_tar):
    path = tmp_path / "a.tar.gz"
    path.write_bytes(make_tar({"other.txt": "x"}))
    with pytest.raises(SourceError, match="no member named like"), open_member(path, ["data"]):
        pass


X = pd.DataFrame({"g1": [1.0, 2.0, 3.0], "g2": [0.5, 0.25, 0.125]})
Y = pd.Categorical(["b", "a", "b"])


def write(path, **objects):
    rdata.write_rda(path, objects)
    return path


def test_an_r_list_of_x_and_y_is_features_and_labels(tmp_path):
    table = read_labelled(write(tmp_path / "mine.RData", mine={"x": X, "y": Y}))
    assert table.features.columns.tolist() == ["g1", "g2"]
    assert table.labels.tolist() == ["b", "a", "b"]
    assert table.features.index.tolist() == ["row-1", "row-2", "row-3"]


def test_row_names_of_r_are_the_ids(tmp_path):
    named = X.set_axis(pd.Index(["s1", "s2", "s3"], dtype=object), axis=0)
    table = read_labelled(write(tmp_path / "mine.RData", mine={"x": named, "y": Y}))
    assert table.features.index.tolist() == ["s1", "s2", "s3"]


def test_columns_without_names_are_called_as_r_does(tmp_path):
    table = read_labelled(write(tmp_path / "mine.RData", mine={"x": X.to_numpy(), "y": Y}))
    assert table.features.columns.tolist() == ["V1", "V2"]
    np.testing.assert_array_equal(table.features, X)


def test_of_several_objects_the_one_named_as_the_file_is_read(tmp_path):
    path = write(tmp_path / "all.rda", part=X, all=X * 2)
    np.testing.assert_array_equal(read_raw(path).frame, X * 2)
    with pytest.raises(SourceError, match="several objects: choose one of part, all"):
        read_raw(path.rename(tmp_path / "other.rda"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"a": X, "z": Y}, "a list without x: it has a, z"),
        ({"x": X, "y": pd.Categorical(["a"])}, "but y has 1 labels"),
        ({"x": "text", "y": Y}, "neither a matrix, a data frame nor a list of x and y"),
    ],
)
def test_another_r_object_is_an_error(tmp_path, content, words):
    with pytest.raises(SourceError, match=words):
        read_labelled(write(tmp_path / "mine.RData", mine=content))


@pytest.mark.parametrize("content", [b"", b"RDX3\nX\n\x00\x00", b"RDX2\nX\n"])
def test_a_damaged_r_file_is_an_error(tmp_path, content):
    (tmp_path / "mine.RData").write_bytes(content)
    with pytest.raises(SourceError, match=r"mine\.RData: (damaged|the file is empty)"):
        read_raw(tmp_path / "mine.RData")
