"""Recognising formats, and what a reader may have to be told."""

import bz2
import lzma
import zipfile

import h5py
import numpy as np
import pandas as pd
import pytest
import rdata
import scipy.io

from benchmark.datasets.formats.raw_table import FormatError, ReadOptions
from benchmark.datasets.formats.read import read_file
from benchmark.errors import UserError

X = np.random.default_rng(0).normal(size=(6, 3))
CSV = b"a,b,c\n1,2,3\n4,5,6\n"


@pytest.mark.parametrize(
    ("name", "pack"), [("t.csv.bz2", bz2.compress), ("t.csv.xz", lzma.compress)]
)
def test_compressed_text_is_unpacked(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(CSV))
    assert read_file(tmp_path / name).frame["c"].tolist() == [3, 6]


def test_a_zip_of_one_file_is_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("inside/t.csv", CSV)
        archive.writestr("__MACOSX/._t.csv", b"x")
    table = read_file(tmp_path / "t.zip")
    assert table.details["format"] == "delimited text, zip"
    assert table.frame.shape == (2, 3)


def test_content_decides_before_the_name(tmp_path):
    pd.DataFrame({"a": [1, 2]}).to_parquet(tmp_path / "t.csv")
    assert read_file(tmp_path / "t.csv").details["format"] == "Parquet"
    (tmp_path / "t.parquet").write_bytes(CSV)
    assert read_file(tmp_path / "t.parquet", "delimited").frame.shape == (2, 3)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["\t", ";", ",", "|", " "])
def test_separators_and_line_ends(tmp_path, mark, end):
    (tmp_path / "t.txt").write_bytes(
        end.join([mark.join(row) for row in ("xyz", "123", "456")]).encode()
    )
    frame = read_file(tmp_path / "t.txt").frame
    assert frame.columns.tolist() == ["x", "y", "z"]
    assert frame["z"].tolist() == [3, 6]


def test_decimal_commas_are_numbers(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n1,5;2\n0,25;3\n")
    table = read_file(tmp_path / "t.csv")
    assert table.frame["a"].tolist() == [1.5, 0.25]
    assert table.details["decimal mark"] == "comma"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_encodings(tmp_path, encoding):
    (tmp_path / "t.csv").write_bytes("gène,y\n1,2\n".encode(encoding))
    assert read_file(tmp_path / "t.csv").frame.columns.tolist() == ["gène", "y"]


def test_a_header_may_begin_with_a_hash(tmp_path):
    (tmp_path / "t.tsv").write_text("#id\tg1\nA\t1.5\n")
    assert read_file(tmp_path / "t.tsv").frame.columns.tolist() == ["#id", "g1"]
    (tmp_path / "u.tsv").write_text("# made by a tool\n# on a day\nid\tg1\nA\t1.5\n")
    assert read_file(tmp_path / "u.tsv").frame.columns.tolist() == ["id", "g1"]


def test_columns_asked_for_keep_their_spelling(tmp_path):
    (tmp_path / "t.csv").write_text("id,g1\n007,1\n010,2\n")
    assert read_file(tmp_path / "t.csv").frame["id"].tolist() == [7, 10]
    told = ReadOptions(frozenset({"id"}))
    assert read_file(tmp_path / "t.csv", options=told).frame["id"].tolist() == ["007", "010"]


def test_variables_of_mat_and_npz_are_chosen(tmp_path):
    variables = {"expr": X, "grade": np.array([1, 2, 1, 2, 1, 2])}
    scipy.io.savemat(tmp_path / "t.mat", variables)
    np.savez(tmp_path / "t.npz", **variables)
    for name in ("t.mat", "t.npz"):
        table = read_file(tmp_path / name, options=ReadOptions(x="expr", y="grade"))
        np.testing.assert_array_equal(table.frame, X)
        assert table.samples["grade"].tolist() == [1, 2, 1, 2, 1, 2]
        with pytest.raises(FormatError, match=r"no variable X: .*--x \(expr 6x3, grade"):
            read_file(tmp_path / name)


def test_a_matrix_with_a_column_per_label_is_turned(tmp_path):
    np.savez(tmp_path / "t.npz", X=X.T, y=np.array(list("ababab")))
    table = read_file(tmp_path / "t.npz")
    np.testing.assert_array_equal(table.frame, X)


def test_objects_of_r_are_chosen(tmp_path):
    first = pd.DataFrame(X, columns=pd.Index(["a", "b", "c"], dtype=object))
    rdata.write_rda(tmp_path / "t.rda", {"first": first, "second": 2 * first})
    table = read_file(tmp_path / "t.rda", options=ReadOptions(x="second"))
    np.testing.assert_array_equal(table.frame, 2 * X)
    with pytest.raises(FormatError, match="no object 'third': choose one of first, second"):
        read_file(tmp_path / "t.rda", options=ReadOptions(x="third"))


def test_a_layer_of_h5ad_is_chosen(tmp_path):
    with h5py.File(tmp_path / "t.h5ad", "w") as file:
        file["X"] = X
        file["layers/counts"] = 3 * X
        for key, names in (("obs", list("ABCDEF")), ("var", list("xyz"))):
            file.create_group(key)["_index"] = np.array(names, dtype=h5py.string_dtype())
    table = read_file(tmp_path / "t.h5ad", options=ReadOptions(layer="counts"))
    np.testing.assert_array_equal(table.frame, 3 * X)
    with pytest.raises(FormatError, match="no layer 'raw': it has counts"):
        read_file(tmp_path / "t.h5ad", options=ReadOptions(layer="raw"))


def test_an_unknown_format_names_the_nearest(tmp_path):
    (tmp_path / "t.csv").write_bytes(CSV)
    with pytest.raises(UserError, match=r"--format parket: unknown, did you mean 'parquet'\?"):
        read_file(tmp_path / "t.csv", "parket")
