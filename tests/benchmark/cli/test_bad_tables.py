"""Forty tables that cannot be used: one line that says what to do, exit code 2, nothing written."""

import gzip
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.io

RNG = np.random.default_rng(5)
GOOD = pd.DataFrame(RNG.normal(size=(30, 4)).round(3), columns=["g1", "g2", "g3", "g4"])
GOOD.insert(0, "id", [f"P{i:02d}x" for i in range(30)])
GOOD["y"] = ["no", "yes"] * 15

PLAIN = ["--id", "id", "--target", "y"]


def text(content: str | bytes, name: str = "t.csv"):
    """Return a writer of one file."""

    def write(folder: Path) -> Path:
        path = folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def frame(change=lambda f: f, name: str = "t.csv", **options):
    """Return a writer of the good table, changed."""

    def write(folder: Path) -> Path:
        change(GOOD.copy()).to_csv(folder / name, index=False, **options)
        return folder / name

    return write


def mat(**variables):
    def write(folder: Path) -> Path:
        scipy.io.savemat(folder / "t.mat", variables)
        return folder / "t.mat"

    return write


def zipped(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "t.zip", "w") as archive:
        archive.writestr("a.csv", "x")
        archive.writestr("b.csv", "x")
    return folder / "t.zip"


def pickled(folder: Path) -> Path:
    np.savez(folder / "t.npz", X=np.array([{"a": 1}], dtype=object), y=np.array([1]))
    return folder / "t.npz"


def labels(content: str):
    """Return a writer of the good values and of a labels' file."""

    def write(folder: Path) -> Path:
        (folder / "labels.csv").write_text(content)
        return frame(lambda f: f.drop(columns="y"))(folder)

    return write


LABELS = ["--labels", "labels.csv", "--target", "y"]
IDS = "\n".join(f"{name},{label}" for name, label in zip(GOOD["id"], GOOD["y"], strict=True))

BAD = {
    "no such file": (lambda folder: folder / "no.csv", PLAIN, "no such file"),
    "a folder": (lambda folder: folder, PLAIN, "cannot be read"),
    "empty": (text(""), PLAIN, "the file is empty"),
    "header only": (text("id,g1,g2,y\n"), PLAIN, "the table has no rows"),
    "binary": (text(b"\x00\x01\x02" * 99, "t.bin"), PLAIN, "unknown format; known are"),
    "cut gzip": (text(gzip.compress(b"a,b\n1,2\n" * 99)[:-9], "t.csv.gz"), PLAIN, "damaged"),
    "cut parquet": (text(b"PAR1 and no more", "t.parquet"), PLAIN, "damaged"),
    "cut mat": (text(b"MATLAB 5.0 MAT-file" + b" " * 200, "t.mat"), [], "t.mat: "),
    "mat 7.3": (text(b"\x89HDF\r\n\x1a\n" * 9, "t.mat"), [], "MATLAB 7.3 file, save it with -v7"),
    "cut h5ad": (text(b"\x89HDF\r\n\x1a\n" * 9, "t.h5ad"), PLAIN, "damaged"),
    "cut R": (text(b"RDX3\nX\n\x00\x00", "t.RData"), PLAIN, "damaged"),
    "cut GCT": (text("#1.2\n", "t.gct"), PLAIN, "the first two lines of a GCT file"),
    "cut series": (text("!Series_title\tx\n", "t.txt"), PLAIN, "is the file whole?"),
    "two files in a zip": (zipped, PLAIN, "holds 2 files, not one: unpack it"),
    "pickled npz": (pickled, [], "it holds Python objects"),
    "no X": (mat(A=np.eye(3), Y=[1, 2, 1]), [], "say which one holds the values with --x"),
    "labels too few": (mat(X=np.eye(5), Y=[1, 2, 1]), [], "X is (5, 5), but Y has 3 labels"),
    "complex": (mat(X=np.ones((6, 2)) * 1j, Y=[1, 1, 1, 2, 2, 2]), [], "not (6, 2) complex"),
    "no target": (frame(), ["--id", "id"], "which column holds the classes with --target"),
    "wrong target": (frame(), ["--target", "Y"], "'Y' is not there (columns: id"),
    "wrong id": (frame(), ["--target", "y", "--id", "idd"], "did you mean 'id'?"),
    "wrong groups": (frame(), [*PLAIN, "--groups", "site"], "--groups column 'site' is not there"),
    "one column twice": (frame(), ["--target", "y", "--id", "y"], "name the same column 'y'"),
    "text among genes": (frame(), ["--target", "y"], "1 feature column without numbers: id"),
    "a word in a gene": (
        frame(lambda f: f.astype(object).replace({"g2": {f["g2"][3]: "ND"}})),
        PLAIN,
        "(for example 'ND')",
    ),
    "a gap": (frame(lambda f: f.mask(f == f["g1"][2])), PLAIN, "1 missing value in 1 column (g1)"),
    "infinity": (frame(lambda f: f.replace(f["g1"][2], np.inf)), PLAIN, "1 value infinite"),
    "an empty gene": (frame(lambda f: f.assign(g1=np.nan)), PLAIN, "without any value: g1"),
    "one gene": (frame(lambda f: f[["id", "g1", "y"]]), PLAIN, "1 feature column, at least 2"),
    "a gene twice": (frame(lambda f: f.rename(columns={"g2": "g1"})), PLAIN, "--duplicates first"),
    "a sample twice": (frame(lambda f: f.assign(id=["A", "A", *f["id"][2:]])), PLAIN, "--groups"),
    "one class": (frame(lambda f: f.assign(y="no")), PLAIN, "'y' has 1 class, at least 2"),
    "a class of two": (
        frame(lambda f: f.assign(y=["rare"] * 2 + ["no", "yes"] * 14)),
        PLAIN,
        "--min-class 3",
    ),
    "no label": (frame(lambda f: f.assign(y=[None, *f["y"][1:]])), PLAIN, "--drop-unlabelled"),
    "dates": (frame(lambda f: f.assign(y=["2024-01-01", "2024-01-02"] * 15)), PLAIN, "holds dates"),
    "a number": (frame(lambda f: f.assign(y=np.arange(30) / 7)), PLAIN, "--cut median"),
    "row numbers": (frame(lambda f: f.assign(g1=range(30))), PLAIN, "--accept id-column"),
    "the label again": (
        frame(lambda f: f.assign(g1=f["y"].map({"no": 3, "yes": 4}))),
        PLAIN,
        "--accept label-copy",
    ),
    "longer rows": (text("id,g1,y\nA,1,no,9,9\n"), PLAIN, "fields"),
    "labels of others": (labels("id,y\nQ1,no\nQ2,yes\n"), LABELS, "no column holds ids of"),
    "labels missing": (labels(f"id,y\n{IDS.split(chr(10), 3)[3]}\n"), LABELS, "--drop-unmatched"),
    "labels twice": (labels(f"id,y\n{IDS}\nP00x,no\n"), LABELS, "1 repeated id (P00x)"),
    "labels in other case": (labels(f"id,y\n{IDS.upper()}\n"), LABELS, "--match-ids trimmed"),
    "unknown format": (frame(), [*PLAIN, "--format", "cvs"], "--format cvs: unknown"),
    "suite's name": (frame(), [*PLAIN, "--name", "prostate"], "is called 'prostate' already"),
}


@pytest.mark.parametrize(("write", "options", "fragment"), BAD.values(), ids=BAD)
def test_a_bad_table_is_one_line(cli, tmp_path, monkeypatch, write, options, fragment):
    monkeypatch.chdir(tmp_path)
    path = write(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    answer = cli("run", "-m", "majority", "--data", path, *options, "--results", tmp_path / "runs")
    assert answer.code == 2, answer.out + answer.err
    assert fragment in answer.err
    assert answer.err.startswith("error: ")
    assert answer.err.count("\n") == 1
    assert len(answer.err) < 400 + len(str(tmp_path)) * 2
    assert sorted(tmp_path.rglob("*")) == before
