"""Own data: formats, label types, and one clear message per mistake."""

import gzip

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse

from benchmark.datasets import TableOptions, read_table
from benchmark.datasets.splits import check_folds, make_split
from benchmark.errors import UserError


def load_file(path, target=None, *, transform=None, registries=(), **options):
    return read_table(TableOptions(path, target=target, **options), transform, registries)


@pytest.fixture
def frame():
    """30 patients, 4 genes, classes yes and no, 10 sites."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.gamma(2, 10, (30, 4)).round(3), columns=["g1", "g2", "g3", "g4"])
    frame.insert(0, "patient", [f"p{i:02d}" for i in range(30)])
    frame["site"] = [f"s{i % 10}" for i in range(30)]
    frame["outcome"] = ["yes" if i % 3 else "no" for i in range(30)]
    return frame


@pytest.fixture
def save(tmp_path):
    def write(frame, name="my table.csv"):
        path = tmp_path / name
        if name.endswith(".parquet"):
            frame.to_parquet(path)
        elif ".tsv" in name or ".txt" in name:
            frame.to_csv(path, sep="\t", index=False)
        else:
            frame.to_csv(path, index=False)
        return path

    return write


@pytest.mark.parametrize(
    "name", ["t.csv", "t.tsv", "t.txt", "t.csv.gz", "t.tsv.gz", "t.parquet", "T.CSV"]
)
def test_every_format_gives_the_same_record(frame, save, name):
    dataset = load_file(save(frame, name), "outcome", id_column="patient", groups="site", name="x")
    assert dataset.X.dtype == np.float32
    assert dataset.feature_names.tolist() == ["g1", "g2", "g3", "g4"]
    np.testing.assert_array_equal(dataset.X, frame[["g1", "g2", "g3", "g4"]].astype(np.float32))
    assert dataset.sample_ids[0] == "p00"
    assert dataset.class_names.tolist() == ["no", "yes"]
    assert dataset.class_counts == (10, 20)
    assert dataset.groups.tolist() == frame["site"].tolist()
    reference = load_file(save(frame, "r.csv"), "outcome", id_column="patient", groups="site")
    assert dataset.checksum == reference.checksum


def test_mat_needs_no_target(tmp_path):
    X = np.random.default_rng(0).integers(0, 60, (20, 3)).astype(float)
    scipy.io.savemat(tmp_path / "t.mat", {"X": X, "Y": np.repeat([[3], [7]], 10, axis=0)})
    dataset = load_file(tmp_path / "t.mat")
    assert dataset.name == "t"
    assert dataset.class_names.tolist() == ["3", "7"]
    np.testing.assert_array_equal(dataset.X, X)


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([1, 2] * 15, ["1", "2"]),
        ([0.5, 1.0] * 15, ["0.5", "1"]),
        ([True, False] * 15, ["false", "true"]),
        (["10", "9"] * 15, ["9", "10"]),
        (["Ünlü", "b b"] * 15, ["b b", "Ünlü"]),
    ],
)
def test_labels_of_any_type(frame, save, labels, classes):
    frame["outcome"] = labels
    dataset = load_file(save(frame), "outcome", id_column="patient", groups="site")
    assert dataset.class_names.tolist() == classes


def test_rows_keep_their_order_and_get_numbers_without_ids(frame, save):
    dataset = load_file(save(frame.drop(columns=["patient", "site"])), "outcome")
    assert dataset.sample_ids[[0, 29]].tolist() == ["row-01", "row-30"]
    assert dataset.y[:4].tolist() == [0, 1, 1, 0]


def test_a_first_column_without_name_holds_the_ids(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.drop(columns="site").set_index("patient").rename_axis(None).to_csv(path)
    assert load_file(path, "outcome").sample_ids[1] == "p01"


def write_as_r_does(frame, path):
    """Write row names without a head over them, as R's write.table."""
    head, *rows = frame.set_index("patient").to_csv(sep="\t").splitlines()
    path.write_text("\n".join([head.partition("\t")[2], *rows]))
    return path


def test_row_names_of_r_are_the_ids(frame, tmp_path):
    dataset = load_file(write_as_r_does(frame, tmp_path / "t.tsv"), "outcome", groups="site")
    assert dataset.sample_ids.tolist() == frame["patient"].tolist()
    assert dataset.feature_names.tolist() == ["g1", "g2", "g3", "g4"]
    frame.loc[1, "patient"] = "p00"
    with pytest.raises(UserError, match="1 repeated sample id"):
        load_file(write_as_r_does(frame, tmp_path / "t.tsv"), "outcome", groups="site")


@pytest.mark.parametrize("end", [",", ",1,2"])
def test_rows_longer_than_the_header_are_told(frame, save, end):
    path = save(frame)
    head, *rows = path.read_text().splitlines()
    path.write_text("\n".join([head, *(row + end for row in rows)]))
    fields = 7 + end.count(",")
    with pytest.raises(UserError, match=f"rows have {fields} fields, the header has 7"):
        load_file(path, "outcome")


def test_the_name_comes_from_the_file_or_the_option(frame, save):
    path = save(frame.drop(columns=["patient", "site"]), "My Table (v2).csv.gz")
    assert load_file(path, "outcome").name == "my-table-v2"
    assert load_file(path, "outcome", name="cohort").name == "cohort"
    with pytest.raises(UserError, match="letters, digits"):
        load_file(path, "outcome", name="a/b")


@pytest.mark.parametrize(
    ("file", "name"), [("lung.csv", None), ("t.csv", "prostate"), ("t.csv", "Synthetic")]
)
def test_a_name_of_the_suite_is_refused(frame, save, file, name):
    path = save(frame.drop(columns=["patient", "site"]), file)
    with pytest.raises(UserError, match=r"a data set of the suite is called .*--name") as caught:
        load_file(path, "outcome", name=name)
    assert str(path) in str(caught.value)
    assert load_file(path, "outcome", name="mine").hyperparameters_of == "mine"


def test_a_name_of_a_registry_is_refused(frame, save, write_registry):
    path = save(frame.drop(columns=["patient", "site"]), "tiny.csv")
    registry = write_registry("tiny.mat")
    assert load_file(path, "outcome").name == "tiny"
    with pytest.raises(UserError, match="is called 'tiny' already"):
        load_file(path, "outcome", registries=[registry])


def _check_folds(dataset, folds):
    check_folds(dataset.y, folds, dataset.groups, dataset.class_names)


def test_a_class_of_four_is_enough_for_fewer_folds(frame, save):
    frame["outcome"] = ["rare"] * 4 + ["yes"] * 26
    dataset = load_file(save(frame.drop(columns=["patient", "site"])), "outcome")
    _check_folds(dataset, 4)
    with pytest.raises(UserError, match=r"class 'rare' has 4 samples, 5 folds need at least 5"):
        _check_folds(dataset, 5)


def test_a_class_needs_a_group_in_every_fold(frame, save):
    frame["site"] = [f"s{i % 4}" for i in range(30)]
    dataset = load_file(save(frame), "outcome", id_column="patient", groups="site")
    _check_folds(dataset, 4)
    with pytest.raises(UserError, match=r"class 'no' has 4 groups, 5 folds need at least 5"):
        _check_folds(dataset, 5)


@pytest.mark.parametrize("folds", range(2, 7))
@pytest.mark.parametrize("size", range(3, 7))
def test_what_can_be_cut_is_what_the_protocol_cuts(frame, save, folds, size):
    frame["outcome"] = ["rare"] * size + ["yes"] * (30 - size)
    dataset = load_file(save(frame.drop(columns=["patient", "site"])), "outcome")
    assert _raises(_check_folds, dataset, folds) == _raises(make_split, dataset.y, 0, 0, folds)


def _raises(function, *arguments):
    try:
        function(*arguments)
    except UserError:
        return True
    return False


def test_log2p1_changes_values_name_and_checksum(frame, save):
    path = save(frame.drop(columns=["patient", "site"]))
    plain = load_file(path, "outcome", name="x")
    logged = load_file(path, "outcome", name="x", transform="log2p1")
    np.testing.assert_allclose(logged.X, np.log2(plain.X + 1), rtol=1e-6)
    assert logged.name == "x+log2p1"
    assert logged.checksum != plain.checksum
    assert "Values are transformed (log2p1)." in logged.differences


def test_missing_values_stay_for_the_runner_when_imputation_is_asked_for(frame, save):
    frame.loc[3, "g2"] = np.nan
    path = save(frame.drop(columns=["patient", "site"]))
    dataset = load_file(path, "outcome", impute="median")
    assert np.isnan(dataset.X[3, 1])
    assert np.isnan(dataset.X).sum() == 1
    assert dataset.impute == "median"
    assert dataset.provenance["missing_values"] == 1


def test_constant_features_are_kept_and_counted(frame, save):
    frame["g3"] = 1.0
    dataset = load_file(save(frame.drop(columns=["patient", "site"])), "outcome")
    assert dataset.n_features == 4
    assert dataset.provenance["constant_features"] == 1


MISTAKES = {
    "target missing": (
        lambda f: f.drop(columns="outcome"),
        r"--target column 'outcome' is not there \(columns: g1, g2, g3, g4, site\)",
    ),
    "text feature": (
        lambda f: f.assign(g2=["a"] * 30, g4=["b"] * 30),
        r"2 feature columns without numbers: g2, g4 \(for example 'a'\)",
    ),
    "missing values": (
        lambda f: f.assign(g1=[np.nan] * 2 + [1.0] * 28, g2=[np.nan] + [1.0] * 29),
        r"3 missing values in 2 columns \(g1, g2\); .*--impute median",
    ),
    "infinite values": (
        lambda f: f.assign(g1=[np.inf] + [1.0] * 29),
        r" 1 value infinite or beyond float32, in 1 column \(g1\)",
    ),
    "duplicate ids": (
        lambda f: f.assign(patient=["p00", "p00", *f["patient"][2:]]),
        r" 1 repeated sample id \(p00\).*--groups",
    ),
    "one class": (lambda f: f.assign(outcome="yes"), r"'outcome' has 1 class, at least 2"),
    "small class": (
        lambda f: f.assign(outcome=["rare"] + ["yes"] * 29),
        r"class 'rare' has 1 sample, at least 3 are needed",
    ),
    "numbers as classes": (
        lambda f: f.assign(outcome=np.linspace(0, 1, 30)),
        r"30 different numbers, and this is classification: .*--cut median",
    ),
    "unlabelled": (
        lambda f: f.assign(outcome=["yes", None, *f["outcome"][2:]]),
        r" 1 sample without a label in 'outcome' \(p01\)",
    ),
    "one feature": (
        lambda f: f.drop(columns=["g2", "g3", "g4"]),
        r" 1 feature column, at least 2",
    ),
    "few groups": (
        lambda f: f.assign(site=["a"] * 15 + ["b"] * 15),
        r"class 'no' has samples of only 2 groups of 'site'",
    ),
    "no group": (
        lambda f: f.assign(site=[None, *f["site"][1:]]),
        r" 1 sample without a group in 'site' \(p00\)",
    ),
    "no rows": (lambda f: f[:0], r"the table has no rows$"),
    "target misspelt": (
        lambda f: f.rename(columns={"outcome": "Outcome"}),
        r"--target column 'outcome' is not there \(did you mean 'Outcome'\?\)",
    ),
    "column twice": (
        lambda f: f.rename(columns={"g2": "g1"}),
        r"1 feature name occurs more than once \(g1\): choose with --duplicates first",
    ),
    "empty column": (
        lambda f: f.assign(g1=np.nan),
        r"columns without any value: g1",
    ),
}


@pytest.mark.parametrize(("spoil", "message"), MISTAKES.values(), ids=MISTAKES)
def test_each_mistake_has_its_own_message(frame, save, spoil, message):
    path = save(spoil(frame))
    with pytest.raises(UserError, match=message) as caught:
        load_file(path, "outcome", id_column="patient", groups="site")
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(f"{path}: ")
    assert str(caught.value).count(path.name) == 1


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"nothing\.csv: no such file"):
        load_file(tmp_path / "nothing.csv", "y")


def test_an_unknown_format_lists_the_known_ones(tmp_path):
    (tmp_path / "t.bin").write_bytes(b"\x00\x01x")
    with pytest.raises(UserError, match=r"unknown format; known are Parquet, .*--format"):
        load_file(tmp_path / "t.bin", "y")


def test_a_forgotten_target_is_asked_for(frame, save):
    with pytest.raises(UserError, match="--target COLUMN"):
        load_file(save(frame))


def test_a_truncated_gzip_is_damaged(frame, tmp_path):
    whole = gzip.compress(frame.to_csv(index=False).encode())
    (tmp_path / "t.csv.gz").write_bytes(whole[:-20])
    with pytest.raises(UserError, match="damaged"):
        load_file(tmp_path / "t.csv.gz", "outcome")


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.mat"])
def test_rubbish_is_no_traceback(tmp_path, name):
    (tmp_path / name).write_bytes(b"\x00\x01rubbish\xff\xfe" * 50)
    with pytest.raises(UserError) as caught:
        load_file(tmp_path / name, "outcome")
    assert str(caught.value).startswith(str(tmp_path / name))
    assert str(caught.value).count(name) == 1


def test_an_empty_file_says_so(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"")
    with pytest.raises(UserError, match=r"t\.csv: the file is empty$"):
        load_file(tmp_path / "t.csv", "outcome")


@pytest.mark.parametrize("name", ["t.csv", "t.tsv.gz"])
def test_columns_without_names_are_not_taken_for_repeated(frame, save, name):
    unnamed = frame.drop(columns=["patient", "site"]).rename(columns={"g2": "", "g3": ""})
    assert load_file(save(unnamed, name), "outcome").n_features == 4


def test_a_mat_file_without_labels_says_so(tmp_path):
    scipy.io.savemat(tmp_path / "t.mat", {"X": np.eye(3)})
    with pytest.raises(UserError, match="which column holds the classes with --target"):
        load_file(tmp_path / "t.mat")


def test_negative_values_cannot_be_logged(frame, save):
    frame["g1"] = -5.0
    path = save(frame.drop(columns=["patient", "site"]))
    with pytest.raises(UserError, match=r"log2p1 needs values of at least 0, the smallest is -5"):
        load_file(path, "outcome", transform="log2p1")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"transform": "log10"}, "unknown transform 'log10'"),
        ({"impute": "mean"}, "unknown imputation 'mean'"),
        ({"id_column": "outcome"}, "--id and --target name the same column"),
    ],
)
def test_wrong_options_are_explained(frame, save, options, words):
    path = save(frame.drop(columns=["patient", "site"]))
    with pytest.raises(UserError, match=words):
        load_file(path, "outcome", **options)


def test_a_bar_separates_as_well(frame, tmp_path):
    path = tmp_path / "t.csv"
    frame.to_csv(path, sep="|", index=False)
    dataset = load_file(path, "outcome", id_column="patient", groups="site")
    assert dataset.n_features == 4


def test_a_wrong_format_does_not_print_a_whole_header(tmp_path):
    names = "~".join(f"GENE{i}" for i in range(20000))
    (tmp_path / "t.csv").write_text(f"{names}\n{names}\n")
    with pytest.raises(UserError) as caught:
        load_file(tmp_path / "t.csv", "outcome")
    assert len(str(caught.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("file", ["mat", "npz"])
def test_an_imaginary_part_is_not_lost(tmp_path, file):
    values = {"X": np.ones((6, 2)) * 1j, "Y": np.repeat([1, 2], 3)}
    path = tmp_path / f"t.{file}"
    scipy.io.savemat(path, values) if file == "mat" else np.savez(path, **values)
    with pytest.raises(UserError, match=r"X must be a matrix of numbers, not .* complex"):
        load_file(path)


def test_a_sparse_matrix_is_read(tmp_path):
    values = np.random.default_rng(0).normal(size=(12, 5))
    scipy.io.savemat(
        tmp_path / "t.mat", {"X": scipy.sparse.csr_matrix(values), "Y": np.repeat([1, 2], 6)}
    )
    np.testing.assert_allclose(load_file(tmp_path / "t.mat").X, values, rtol=1e-6)


def test_columns_of_several_levels_are_refused(frame, tmp_path):
    frame.columns = pd.MultiIndex.from_product([["a"], frame.columns])
    frame.to_parquet(tmp_path / "t.parquet")
    with pytest.raises(UserError, match="columns have several levels"):
        load_file(tmp_path / "t.parquet", "outcome")


def test_numbers_as_column_names_are_names(tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 3)))
    table[3] = ["a", "b"] * 6
    table.to_parquet(tmp_path / "t.parquet")
    assert load_file(tmp_path / "t.parquet", "3").feature_names.tolist() == ["0", "1", "2"]


def test_the_example_of_a_text_column_is_what_is_no_number(frame, save):
    frame["g2"] = frame["g2"].astype(object)
    frame.loc[17, "g2"] = "ND"
    with pytest.raises(UserError, match=r"g2 \(for example 'ND'\)"):
        load_file(save(frame), "outcome", id_column="patient", groups="site")


def test_the_label_may_be_a_column_of_the_matrix(tmp_path):
    values = np.random.default_rng(0).normal(size=(20, 4))
    values[:, 2] = np.repeat([1, 2], 10)
    scipy.io.savemat(tmp_path / "t.mat", {"X": values})
    dataset = load_file(tmp_path / "t.mat", "3")
    assert dataset.class_names.tolist() == ["1", "2"]
    assert dataset.feature_names.tolist() == ["feature-1", "feature-2", "feature-4"]


def test_classes_of_a_cls_file_must_fit(frame, tmp_path):
    frame[["g1", "g2"]].T.to_csv(tmp_path / "t.csv")
    (tmp_path / "t.cls").write_text("3 2 1\n# a b\n0 1 0\n")
    with pytest.raises(UserError, match=r"t\.cls: 3 classes for 30 samples"):
        load_file(tmp_path / "t.csv", labels=tmp_path / "t.cls", genes_in_rows=True)
