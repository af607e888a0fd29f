"""The derivations: step by step, on archives of the full format, and on real excerpts."""

import dataclasses
import io

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import train_test_split

from benchmark.datasets.cache import read_table
from benchmark.datasets.derive.cohort import (
    encode_classes,
    keep_genes,
    map_labels,
    read_gene_list,
    sample_cohort,
    spell_labels,
)
from benchmark.datasets.derive.metabric import read_labels
from benchmark.datasets.derive.readers import open_member, read_raw, take_ids
from benchmark.datasets.derive.tcga import keep_primary_tumours, label_survival
from benchmark.datasets.download import Fetcher
from benchmark.datasets.failures import FetchError, SourceError
from benchmark.datasets.loading import load
from benchmark.datasets.prepare import prepare
from benchmark.datasets.registry import read_registries

GENES = [f"GENE{i}" for i in range(12)]
PATIENTS = [f"TCGA-{i // 100:02d}-{i % 100:04d}" for i in range(491)]


@pytest.fixture
def gene_list(tmp_path):
    path = tmp_path / "imp_genes_list.csv"
    path.write_text("gene\n" + "\n".join([*GENES, GENES[0], "NOT_MEASURED"]) + "\n")
    return path


@pytest.fixture
def make_ready(site, folder):
    """Return a function that derives a shipped data set from files served on the spot."""

    def derive(name: str, source_number: int, contents: dict[str, bytes]):
        entry = read_registries()[name]
        source = entry.sources[source_number]
        files = []
        for file in source.files:
            content = contents[file.role]
            site.files[file.name] = content
            url = f"{site.url}/{file.name}"
            files.append(dataclasses.replace(file, urls=(url,), sha256=None, git_blob=None))
        source = dataclasses.replace(source, files=tuple(files))
        entry = dataclasses.replace(entry, sources=(source,))
        state = prepare(entry, Fetcher(folder))
        return state, read_table(folder.table(name))

    return derive


# --- steps


def test_the_list_is_a_set_and_reads_both_formats(gene_list, tmp_path):
    assert read_gene_list(gene_list) == frozenset([*GENES, "NOT_MEASURED"])
    gmt = tmp_path / "h.gmt"
    gmt.write_text("SET_A\thttp://a\tGENE1\tGENE2\nSET_B\thttp://b\tGENE2\tGENE3\n")
    assert read_gene_list(gmt) == {"GENE1", "GENE2", "GENE3"}


def test_an_empty_gene_list_is_an_error(tmp_path):
    (tmp_path / "genes.csv").write_text("gene\n")
    with pytest.raises(SourceError, match="lists no genes"):
        read_gene_list(tmp_path / "genes.csv")


def test_genes_are_matched_before_the_bar_and_the_first_duplicate_is_kept():
    frame = pd.DataFrame([[1, 2, 3, 4, 5]], columns=["?|1", "B|2", "A|3", "B|4", "C|5"])
    kept = keep_genes(frame, frozenset("AB"))
    assert kept.columns.tolist() == ["B", "A"]
    assert kept.to_numpy().tolist() == [[2, 3]]


def test_no_common_gene_is_an_error():
    with pytest.raises(SourceError, match="no gene"):
        keep_genes(pd.DataFrame({"X|1": [1]}), frozenset("A"))


@pytest.mark.parametrize(
    ("values", "spelt"),
    [
        ([1, 2], ["1", "2"]),
        ([1.0, 2.5], ["1", "2.5"]),
        ([True, False], ["true", "false"]),
        ([" G1 ", ""], ["G1", None]),
        ([1.0, np.nan], ["1", None]),
        (["a", None], ["a", None]),
    ],
)
def test_labels_of_any_type_are_spelt(values, spelt):
    found = spell_labels(pd.Series(values))
    assert [None if pd.isna(label) else label for label in found] == spelt


def test_an_unlisted_label_is_an_error_unless_dropped():
    labels = pd.Series(["G1", "GX", None, "G2"])
    mapping = (("G1", "one"), ("G2", "two"))
    with pytest.raises(SourceError, match="unknown labels GX"):
        map_labels(labels, mapping, drop_unlisted=False)
    kept = map_labels(labels, mapping, drop_unlisted=True)
    assert kept.to_dict() == {0: "one", 3: "two"}


def test_classes_without_registry_are_sorted_numbers_as_numbers():
    codes, names = encode_classes(pd.Series(["10", "2", "10"]), ())
    assert names.tolist() == ["2", "10"]
    assert codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("counts", "cohort"),
    [((203, 317), [78, 122]), ((62, 304, 125), [25, 124, 51])],
    ids=["tcga-2ysurvival", "tcga-tumor-grade"],
)
def test_the_cohort_has_the_paper_s_class_counts(counts, cohort):
    rng = np.random.default_rng(0)
    labels = pd.Series(rng.permutation(np.repeat(range(len(counts)), counts)).astype(str))
    chosen = sample_cohort(labels)
    assert len(set(chosen)) == 200
    assert labels.loc[chosen].value_counts().sort_index().tolist() == cohort


@pytest.mark.parametrize(
    "counts", [(203, 317), (62, 304, 125)], ids=["tcga-2ysurvival", "tcga-tumor-grade"]
)
def test_half_of_a_stand_in_is_the_paper_s(counts, monkeypatch):
    """The authors' 100 training patients are part of their 200; their 100 test patients are not."""
    labels = pd.Series(np.random.default_rng(1).permutation(np.repeat(range(len(counts)), counts)))
    cohort = sample_cohort(labels)
    monkeypatch.setattr("benchmark.datasets.derive.cohort.TRAINING", 100)
    assert set(sample_cohort(labels)) < set(cohort)
    _, test = train_test_split(labels, test_size=100, random_state=42, stratify=labels)
    assert not set(test.index) & set(cohort)


def test_the_cohort_is_always_the_same():
    labels = pd.Series(["a", "b"] * 250, index=[f"p{i:03d}" for i in range(500)])
    # Made once with scikit-learn's train_test_split on plain arrays.
    assert sample_cohort(labels)[:5].tolist() == ["p362", "p430", "p180", "p429", "p155"]


def test_too_few_patients_for_a_cohort_are_counted():
    with pytest.raises(SourceError, match="only 300 patients"):
        sample_cohort(pd.Series(["a", "b"] * 150))


def test_survival_labels_follow_the_rule():
    nan = np.nan
    event = pd.Series([100, 730, 731, nan, nan, nan, 900])
    contact = pd.Series([100, 800, 731, 800, 730, nan, nan])
    expected = [0, 0, 1, 1, nan, nan, 1]
    np.testing.assert_array_equal(label_survival(event, contact), expected)


def test_only_primary_tumours_are_kept_one_per_patient():
    barcodes = ["TCGA-AA-0002-01B", "TCGA-AA-0001-11A", "TCGA-AA-0002-01A", "TCGA-AA-0001-01A"]
    frame = pd.DataFrame({"A|1": [1, 2, 3, 4]}, index=barcodes)
    kept = keep_primary_tumours(frame)
    assert kept["A|1"].to_dict() == {"TCGA-AA-0001": 4, "TCGA-AA-0002": 3}


# --- archives


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


# --- full format: TCGA


def tcga_expression(patients=PATIENTS):
    """Values per patient, with a duplicate symbol, a nameless gene and one not in the list."""
    columns = [f"{g}|{i}" for i, g in enumerate(GENES)] + ["GENE0|900", "?|100130426", "OTHER|7"]
    values = np.random.default_rng(1).gamma(1, 500, size=(len(patients), len(columns)))
    return pd.DataFrame(np.round(values, 4), index=patients, columns=columns)


GRADES = np.repeat(["G1", "G2", "G3"], [62, 304, 125])


def test_tcga_from_the_full_table(make_ready, gene_list):
    extra = [f"TCGA-99-{i:04d}" for i in range(29)]
    frame = tcga_expression([*PATIENTS, *extra])
    frame.insert(0, "tumor_grade", [*GRADES, *["GX"] * 22, *["G4"] * 7])
    frame["surg.1"] = "YES"
    frame["X2yr.RF.Surv."] = np.repeat([0, 1], [203, 317])
    # The patients' order in the file does not matter: the authors sorted by barcode.
    contents = {
        "expression": frame.sample(frac=1, random_state=0).to_csv().encode(),
        "genes": gene_list.read_bytes(),
    }
    state, dataset = make_ready("tcga-tumor-grade", 1, contents)
    assert dataset.class_counts == (25, 124, 51)
    assert dataset.feature_names.tolist() == GENES
    assert state.word == "differs"
    assert "It has 12 features, not 4381." in dataset.differences
    row = dataset.sample_ids[0]
    expected = frame.loc[row, [f"{g}|{i}" for i, g in enumerate(GENES)]].to_numpy(dtype=np.float32)
    np.testing.assert_array_equal(dataset.X[0], expected)
    assert dataset.class_names[dataset.y[0]] == frame.loc[row, "tumor_grade"]

    _, survival = make_ready("tcga-2ysurvival", 1, contents)
    assert survival.class_counts == (78, 122)
    assert not any("Class" in sentence for sentence in survival.differences)


def firehose_archives(make_tar, clinical_member):
    frame = tcga_expression()
    samples = {p: f"{p}-01A-11R-A39I-07" for p in PATIENTS}
    table = frame.rename(index=samples).T
    table[f"{PATIENTS[0]}-11A-11R-A39I-07"] = 0.0
    header = "\t".join(["Hybridization REF", *table.columns])
    second = "\t".join(["gene_id", *["normalized_count"] * table.shape[1]])
    body = table.to_csv(sep="\t", header=False)
    name = "HNSC.rnaseqv2__illuminahiseq_rnaseqv2__unc_edu__Level_3__RSEM_genes_normalized__data"
    expression = {f"x/{name}.data.txt": f"{header}\n{second}\n{body}", "x/MANIFEST.txt": "m"}

    grades = [grade.lower() for grade in GRADES]
    grades[0] = "gx"
    event = ["NA"] * len(PATIENTS)
    contact = ["1000"] * len(PATIENTS)
    for i in range(0, 200):
        event[i] = "300"
    later = ["NA"] * len(PATIENTS)
    later[300] = "20"
    for i in range(480, 491):
        contact[i] = "10"
    rows = {
        "patient.bcr_patient_barcode": [p.lower() for p in PATIENTS],
        "patient.neoplasm_histologic_grade": grades,
        "patient.days_to_death": event,
        "patient.days_to_last_followup": contact,
        "patient.follow_ups.follow_up-2.days_to_new_tumor_event_after_initial_treatment": later,
    }
    clinical = "\n".join("\t".join([key, *values]) for key, values in rows.items()) + "\n"
    return frame, make_tar(expression), make_tar({f"x/{clinical_member}": clinical})


@pytest.mark.parametrize(
    "member", ["HNSC.clin.merged.txt", "HNSC.merged_only_clinical_clin_format.txt"]
)
def test_tcga_from_firehose(make_ready, make_tar, gene_list, member):
    frame, expression, clinical = firehose_archives(make_tar, member)
    contents = {
        "expression": expression,
        "clinical": clinical,
        "genes": gene_list.read_bytes(),
    }
    _, grades = make_ready("tcga-tumor-grade", 2, contents)
    assert grades.X.shape == (200, 12)
    assert PATIENTS[0] not in grades.sample_ids
    np.testing.assert_allclose(grades.X[3, 0], frame.loc[grades.sample_ids[3], "GENE0|0"], 1e-6)
    assert any("could not be verified" in sentence for sentence in grades.differences)

    _, survival = make_ready("tcga-2ysurvival", 2, contents)
    # 201 events within two years of 480 patients with a label
    assert survival.class_counts == (84, 116)
    assert set(survival.sample_ids).isdisjoint(PATIENTS[480:])
    assert any("approximates" in sentence for sentence in survival.differences)


# --- full format: METABRIC


def metabric_files(make_tar, member):
    rng = np.random.default_rng(2)
    patients = [f"MB-{i:04d}" for i in range(500)]
    genes = [*GENES, GENES[3], "OTHER", "HLA#1"]
    values = pd.DataFrame(
        rng.normal(8, 2, (len(genes), 500)).round(3), index=genes, columns=patients
    )
    values.iloc[0, :3] = np.nan
    values.insert(0, "Entrez_Gene_Id", range(len(genes)))
    text = "#a comment\n#another\n" + values.to_csv(sep="\t", index_label="Hugo_Symbol")
    subtypes = np.tile(["LumA", "LumB", "Her2", "Normal", "Basal", "NC"], 90)[:520]
    clinical = pd.DataFrame(
        {
            "METABRIC.ID": [f"MB.{i:04d}" for i in range(520)],
            "DR": np.where(np.arange(520) % 10 < 3, 1, 0),
            "Pam50Subtype": subtypes,
        }
    )
    clinical.loc[7, "DR"] = None
    archive = make_tar({f"brca_metabric/{member}": text, "brca_metabric/LICENSE": "ODbL"})
    return values, archive, clinical.to_csv(sep="\t", index=False).encode()


@pytest.mark.parametrize(
    "member",
    [
        "data_mrna_illumina_microarray.txt",
        "data_mrna_agilent_microarray.txt",
        "data_expression.txt",
    ],
)
def test_metabric_from_the_primary_sources(make_ready, make_tar, gene_list, member):
    values, archive, clinical = metabric_files(make_tar, member)
    contents = {"expression": archive, "clinical": clinical, "genes": gene_list.read_bytes()}
    _, relapse = make_ready("metabric-dr", 0, contents)
    assert relapse.feature_names.tolist() == GENES, "the second GENE3 is left out"
    # 147 of the 496 patients left have a relapse
    assert relapse.class_counts == (141, 59)
    absent = {"MB-0000", "MB-0001", "MB-0002", "MB-0007"}
    assert absent.isdisjoint(relapse.sample_ids), "missing values or no label"
    first = values[relapse.sample_ids[0]].iloc[:12].to_numpy(dtype=np.float32)
    np.testing.assert_array_equal(relapse.X[0], first)
    assert any("seed" in sentence for sentence in relapse.differences)

    _, pam50 = make_ready("metabric-pam50", 1, contents)
    assert pam50.class_names.tolist() == ["non-basal", "basal"]
    assert pam50.class_counts == (160, 40)


def test_an_unforeseen_format_is_a_reason_not_a_crash(make_ready, gene_list, make_tar):
    contents = {
        "expression": make_tar({"data_expression.txt": 'Hugo_Symbol\tMB-1\n"' + "x\t" * 9}),
        "clinical": b"METABRIC.ID\tDR\nMB-1\t1\n",
        "genes": gene_list.read_bytes(),
    }
    with pytest.raises(FetchError, match=r"brca_metabric.tar.gz and .* again"):
        make_ready("metabric-dr", 0, contents)


def test_another_supplement_than_table_s6_is_recognised():
    with pytest.raises(SourceError, match=r"lacks the columns METABRIC.ID, DR .*it has ID, x"):
        read_labels(io.StringIO("ID\tx\n1\t2\n"), "DR", "MOESM8.txt")


def test_msigdb_genes_stand_in_for_the_list_with_a_difference(make_ready, make_tar):
    _, archive, clinical = metabric_files(make_tar, "data_expression.txt")
    gmt = b"HALLMARK_X\thttp://x\tGENE1\tGENE2\tGENE5\n"
    contents = {"expression": archive, "clinical": clinical, "genes": gmt}
    _, dataset = make_ready("metabric-dr", 1, contents)
    assert dataset.feature_names.tolist() == ["GENE1", "GENE2", "GENE5"]
    assert "It has 3 features, not 4160." in dataset.differences


# --- real excerpts


@pytest.fixture
def standins(mirror, folder):
    fetcher = Fetcher(folder, [str(mirror)])
    entries = read_registries()
    names = ("tcga-2ysurvival-standin", "tcga-tumor-grade-standin")
    for name in names:
        prepare(entries[name], fetcher)
    return [load(name, data_dir=folder.root) for name in names]


@pytest.mark.realdata
def test_gene_lists_have_the_known_sizes(mirror):
    assert len(read_gene_list(mirror / "imp_genes_list.csv")) == 4470
    assert len(read_gene_list(mirror / "h.all.v6.2.symbols.gmt")) == 4386


@pytest.mark.realdata
def test_two_year_labels_of_real_patients(mirror):
    table = pd.read_csv(mirror / "hnsc_clinical_derived_all528.csv", index_col=0)
    labels = label_survival(table["days_to_recurrence_or_death"], table["days_last_contact"])
    assert [int((labels == c).sum()) for c in (0, 1)] == [217, 208]
    assert int(labels.isna().sum()) == 103
    pd.testing.assert_series_equal(labels, table["rf_surv_2yr_DERIVED"], check_names=False)


@pytest.mark.realdata
def test_our_gene_filter_gives_the_authors_values(mirror, standins):
    """The RSEM excerpt and the authors' tables share patients: same genes, same numbers."""
    excerpt = take_ids(read_raw(mirror / "hnsc_rsem_subset_100x2160.csv.gz"))
    ours = keep_primary_tumours(keep_genes(excerpt, read_gene_list(mirror / "imp_genes_list.csv")))
    theirs = pd.DataFrame(
        standins[0].X, index=standins[0].sample_ids, columns=standins[0].feature_names
    )
    genes = ours.columns.intersection(theirs.columns)
    patients = ours.index.intersection(theirs.index)
    assert list(genes) == list(ours.columns), "every gene we keep is one of the authors'"
    assert len(patients) > 20
    np.testing.assert_allclose(
        ours.loc[patients, genes].to_numpy(), theirs.loc[patients, genes].to_numpy(), rtol=1e-6
    )


@pytest.mark.realdata
def test_real_stand_ins_have_the_known_shape(standins):
    survival, grade = standins
    assert survival.X.shape == grade.X.shape == (200, 4381)
    assert survival.class_counts == (78, 122)
    assert grade.class_counts == (26, 124, 50)
    assert survival.stand_in_for == survival.hyperparameters_of == "tcga-2ysurvival"
    assert survival.sample_ids[0] == "TCGA-CV-7177"


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "shape", "counts"),
    [("prostate", (102, 5966), (50, 52)), ("toxicity", (171, 5748), (45, 45, 39, 42))],
)
def test_exact_tables_are_as_in_the_paper(mirror, folder, name, shape, counts):
    state = prepare(read_registries()[name], Fetcher(folder, [str(mirror)]))
    dataset = load(name, data_dir=folder.root)
    assert state.word == "ready"
    assert dataset.X.shape == shape
    assert dataset.class_counts == counts
    assert dataset.differences == ()


@pytest.mark.realdata
def test_metabric_derivation_on_real_expression(mirror, make_ready, make_tar):
    excerpt = pd.read_csv(mirror / "metabric_mrna_zscores_1559x300.csv.gz")
    subtypes = excerpt.pop("subtype")
    patients = [f"MB-{i:04d}" for i in range(len(excerpt))]
    table = excerpt.rename(columns=str.upper).set_axis(patients, axis=0).T
    table.insert(0, "Entrez_Gene_Id", 0)
    archive = make_tar({"data_expression.txt": table.to_csv(sep="\t", index_label="Hugo_Symbol")})
    clinical = pd.DataFrame({"METABRIC.ID": patients, "Pam50Subtype": subtypes})
    contents = {
        "expression": archive,
        "clinical": clinical.to_csv(sep="\t", index=False).encode(),
        "genes": (mirror / "imp_genes_list.csv").read_bytes(),
    }
    _, dataset = make_ready("metabric-pam50", 1, contents)
    # 199 of 1559 patients are basal
    assert dataset.class_counts == (174, 26)
    listed = read_gene_list(mirror / "imp_genes_list.csv")
    assert set(dataset.feature_names) == listed & set(table.index)


@pytest.mark.realdata
def test_cbioportal_s_own_patient_table_is_not_mistaken_for_table_s6(mirror):
    path = mirror / "cbioportal_data_clinical_patient.txt"
    with (
        path.open(newline=None) as stream,
        pytest.raises(SourceError, match=r"lacks the columns METABRIC.ID, DR .*PATIENT_ID"),
    ):
        read_labels(stream, "DR", path.name)
