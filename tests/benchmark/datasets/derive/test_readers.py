"""Archives, and files of R."""

import numpy as np
import pandas as pd
import pytest
import rdata

from benchmark.datasets.derive.loaders import SourceError
from benchmark.datasets.derive.readers import open_member, read_r_frame, read_samples, take_ids


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


def test_an_r_list_of_x_and_y_has_its_labels_last(tmp_path):
    frame = read_samples(write(tmp_path / "mine.RData", mine={"x": X, "y": Y}))
    assert frame.columns.tolist() == ["g1", "g2", "y"]
    assert frame["y"].tolist() == ["b", "a", "b"]
    assert take_ids(frame, None).index.tolist() == ["row-1", "row-2", "row-3"]


def test_row_names_of_r_are_the_ids(tmp_path):
    named = X.set_axis(pd.Index(["s1", "s2", "s3"], dtype=object), axis=0)
    frame = read_samples(write(tmp_path / "mine.RData", mine={"x": named, "y": Y}))
    assert take_ids(frame, None).index.tolist() == ["s1", "s2", "s3"]


def test_columns_without_names_are_called_as_r_does(tmp_path):
    frame = read_samples(write(tmp_path / "mine.RData", mine={"x": X.to_numpy(), "y": Y}))
    assert frame.columns.tolist() == ["V1", "V2", "y"]
    np.testing.assert_array_equal(frame[["V1", "V2"]], X)


def test_of_several_objects_the_one_named_as_the_file_is_read(tmp_path):
    path = write(tmp_path / "all.rda", part=X, all=X * 2)
    np.testing.assert_array_equal(read_r_frame(path), X * 2)
    with pytest.raises(SourceError, match="2 objects, none called 'other'"):
        read_r_frame(path.rename(tmp_path / "other.rda"))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (X, "no R list of x and y"),
        ({"x": X, "z": Y}, "no R list of x and y"),
        ({"x": X, "y": pd.Categorical(["a", "b"])}, "x has 3 rows, but y has 2 labels"),
        ({"x": "text", "y": Y}, "not a matrix or data frame"),
    ],
)
def test_another_r_object_is_an_error(tmp_path, content, words):
    with pytest.raises(SourceError, match=words):
        read_samples(write(tmp_path / "mine.RData", mine=content))


@pytest.mark.parametrize("content", [b"", b"not R at all", b"RDX3\nX\n\x00\x00"])
def test_a_damaged_r_file_is_an_error(tmp_path, content):
    (tmp_path / "mine.RData").write_bytes(content)
    with pytest.raises(SourceError, match=r"mine\.RData cannot be read as an R file"):
        read_samples(tmp_path / "mine.RData")
