"""The derivations, on files of the full format and on real ones."""

import dataclasses
import io

import numpy as np
import pandas as pd
import pytest
import rdata

from benchmark.datasets.cache import read_stored_table
from benchmark.datasets.derive.cohort import keep_genes, read_gene_list, sample_cohort
from benchmark.datasets.derive.loaders import SourceError
from benchmark.datasets.derive.metabric import read_labels
from benchmark.datasets.derive.readers import read_raw, take_ids
from benchmark.datasets.derive.tcga import keep_primary_tumours
from benchmark.datasets.download import Fetcher, FetchError
from benchmark.datasets.loading import load
from benchmark.datasets.prepare import prepare
from benchmark.datasets.registry import list_collections, read_registries

GENES = [f"GENE{i}" for i in range(12)]
PATIENTS = [f"TCGA-{i // 100:02d}-{i % 100:04d}" for i in range(520)]
GRADES = pd.Series(np.repeat(["G1", "G2", "G3", "GX", "G4"], [62, 304, 125, 22, 7]), PATIENTS)
SURVIVAL = pd.Series(np.repeat([0, 1], [203, 317]), PATIENTS)


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
            site.files[file.name] = contents.get(file.name) or contents[file.role]
            url = f"{site.url}/{file.name}"
            files.append(dataclasses.replace(file, urls=(url,), sha256=None, git_blob=None))
        source = dataclasses.replace(source, files=tuple(files))
        entry = dataclasses.replace(entry, sources=(source,))
        state = prepare(entry, Fetcher(folder))
        return state, read_stored_table(folder.table(name), entry)

    return derive


@pytest.fixture
def make_rda(tmp_path):
    """Return a function that makes an R file of a frame."""

    def make(frame: pd.DataFrame) -> bytes:
        # The writer knows neither an index nor columns of pandas' strings.
        texts = [c for c in frame.columns if pd.api.types.is_string_dtype(frame[c])]
        frame = frame.astype(dict.fromkeys(texts, "category"))
        if frame.index.dtype == "str":
            frame.index = frame.index.astype(object)
        rdata.write_rda(tmp_path / "one.rda", {"any": frame})
        return (tmp_path / "one.rda").read_bytes()

    return make


# --- full format: TCGA


def tcga_expression(patients=PATIENTS):
    """Values per patient, with a duplicate symbol, a nameless gene and one not in the list."""
    columns = [f"{g}|{i}" for i, g in enumerate(GENES)] + ["GENE0|900", "?|100130426", "OTHER|7"]
    values = np.random.default_rng(1).gamma(1, 500, size=(len(patients), len(columns)))
    return pd.DataFrame(np.round(values, 4), index=patients, columns=columns)


def full_table(grades=GRADES, survival=SURVIVAL):
    frame = tcga_expression(grades.index)
    frame.insert(0, "tumor_grade", grades)
    frame["surg.1"] = "YES"
    frame["X2yr.RF.Surv."] = survival
    # The patients' order in the file does not matter: the authors sorted by barcode.
    return frame.sample(frac=1, random_state=0)


def firehose_archive(make_tar, patients=PATIENTS):
    table = tcga_expression(patients).rename(index=lambda p: f"{p}-01A-11R-A39I-07").T
    table[f"{patients[0]}-11A-11R-A39I-07"] = 0.0
    header = "\t".join(["Hybridization REF", *table.columns])
    second = "\t".join(["gene_id", *["normalized_count"] * table.shape[1]])
    body = table.to_csv(sep="\t", header=False)
    name = "HNSC.rnaseqv2__illuminahiseq_rnaseqv2__unc_edu__Level_3__RSEM_genes_normalized__data"
    return make_tar({f"x/{name}.data.txt": f"{header}\n{second}\n{body}", "x/MANIFEST.txt": "m"})


def test_tcga_from_the_full_table(make_ready, gene_list):
    frame = full_table()
    contents = {"expression": frame.to_csv().encode(), "genes": gene_list.read_bytes()}
    state, dataset = make_ready("tcga-tumor-grade", 1, contents)
    assert dataset.class_counts == (25, 124, 51)
    assert dataset.feature_names.tolist() == GENES
    assert state.kind == "differs"
    assert "It has 12 features, not 4381." in dataset.differences
    row = dataset.sample_ids[0]
    expected = frame.loc[row, [f"{g}|{i}" for i, g in enumerate(GENES)]].to_numpy(dtype=np.float32)
    np.testing.assert_array_equal(dataset.X[0], expected)
    assert dataset.class_names[dataset.y[0]] == frame.loc[row, "tumor_grade"]

    _, survival = make_ready("tcga-2ysurvival", 1, contents)
    assert survival.class_counts == (78, 122)
    assert not any("Class" in sentence for sentence in survival.differences)


def test_firehose_gives_the_same_cohort_as_the_full_table(
    make_ready, make_tar, make_rda, gene_list
):
    contents = {
        "clintum_tx_grade.Rda": make_rda(pd.DataFrame({"tumor_grade": GRADES})),
        "spca50components.Rda": make_rda(pd.DataFrame({"outcome": SURVIVAL})),
        "genes": gene_list.read_bytes(),
    }
    for name in ("tcga-tumor-grade", "tcga-2ysurvival"):
        _, table = make_ready(name, 1, {**contents, "expression": full_table().to_csv().encode()})
        _, archive = make_ready(name, 2, {**contents, "expression": firehose_archive(make_tar)})
        assert archive.checksum == table.checksum
        assert any("could not be verified" in sentence for sentence in archive.differences)


def test_a_patient_of_the_cohort_without_values_is_an_error(
    make_ready, make_tar, make_rda, gene_list
):
    absent = sample_cohort(SURVIVAL)[0]
    contents = {
        "expression": firehose_archive(make_tar, [p for p in PATIENTS if p != absent]),
        "labels": make_rda(pd.DataFrame({"outcome": SURVIVAL})),
        "genes": gene_list.read_bytes(),
    }
    with pytest.raises(FetchError, match=f"1 patient of the cohort without values .*{absent}"):
        make_ready("tcga-2ysurvival", 2, contents)


def test_a_stand_in_has_the_cohort_s_rows_with_some_patients_replaced(make_ready, make_rda):
    values = tcga_expression().set_axis(range(15), axis=1)
    published = values.drop(PATIENTS[::4])
    parts = [published.iloc[i::6].assign(label=0) for i in range(6)]
    entry = read_registries()["tcga-2ysurvival-standin"]
    files = [file.name for file in entry.sources[0].files_of("table")]
    contents = {
        **{name: part.to_csv().encode() for name, part in zip(files, parts, strict=True)},
        "labels": make_rda(pd.DataFrame({"outcome": SURVIVAL})),
    }
    _, dataset = make_ready("tcga-2ysurvival-standin", 0, contents)
    cohort = sample_cohort(SURVIVAL)
    kept = cohort.isin(published.index)
    assert not kept.all()
    assert (dataset.sample_ids[kept] == cohort[kept]).all()
    assert dataset.y.tolist() == SURVIVAL[cohort].tolist()
    np.testing.assert_allclose(dataset.X, values.loc[dataset.sample_ids], rtol=1e-6)


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


def test_scanb_joins_samples_by_title(make_ready, make_rda, gene_list):
    titles = [f"F{i}" for i in range(400)]
    genes = [*GENES, "OTHER"]
    rng = np.random.default_rng(3)
    values = pd.DataFrame(rng.normal(size=(13, 400)), index=genes, columns=titles)
    subtypes = np.resize(["LumA", "LumB", "Her2", "Normal", "LumA", "Basal"], 400)
    samples = pd.DataFrame({"title": titles, "pam50_subtype": subtypes})
    contents = {
        "expression": make_rda(values),
        "clinical": make_rda(samples.sample(frac=1, random_state=0)),
        "genes": gene_list.read_bytes(),
    }
    _, dataset = make_ready("scanb-basal", 0, contents)
    assert dataset.X.shape == (200, 12)
    basal = {title for title, subtype in zip(titles, subtypes, strict=True) if subtype == "Basal"}
    found = dataset.class_names[dataset.y] == "basal"
    assert found.tolist() == [title in basal for title in dataset.sample_ids]
    first = values.loc[GENES, dataset.sample_ids[0]].to_numpy(dtype=np.float32)
    np.testing.assert_array_equal(dataset.X[0], first)


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


@pytest.fixture
def paper_cohorts(mirror):
    """The paper's patients, as worked out apart from this suite."""
    table = pd.read_csv(mirror / "tcga_hnsc_paper_cohorts.csv")
    return {task: rows.reset_index() for task, rows in table.groupby("task")}


TASKS = [("tcga-2ysurvival", "2ysurvival"), ("tcga-tumor-grade", "tumor_grade")]


@pytest.mark.realdata
@pytest.mark.parametrize("source", [1, 2], ids=["full table", "Firehose"])
@pytest.mark.parametrize(("name", "task"), TASKS)
def test_the_paper_s_patients_come_out_of_made_up_values(
    make_ready, make_tar, gene_list, mirror, paper_cohorts, source, name, task
):
    labels = pd.read_csv(mirror / "tcga_hnsc_520_labels.csv", index_col=0)
    table = full_table(labels["tumor_grade"], labels["X2yr.RF.Surv."]).to_csv().encode()
    names = ("clintum_tx_grade.Rda", "spca50components.Rda")
    contents = {
        **{name: (mirror / name).read_bytes() for name in names},
        "expression": table if source == 1 else firehose_archive(make_tar, labels.index),
        "genes": gene_list.read_bytes(),
    }
    _, dataset = make_ready(name, source, contents)
    assert dataset.sample_ids.tolist() == paper_cohorts[task]["patient"].tolist()
    assert dataset.y.tolist() == paper_cohorts[task]["label"].tolist()


@pytest.mark.realdata
def test_real_stand_ins_have_the_paper_s_rows(standins, paper_cohorts):
    for dataset, (name, task) in zip(standins, TASKS, strict=True):
        rows = paper_cohorts[task]
        assert dataset.X.shape == (200, 4381)
        assert dataset.stand_in_for == dataset.hyperparameters_of == name
        assert dataset.sample_ids.tolist() == rows["stands_in"].fillna(rows["patient"]).tolist()
        assert dataset.y.tolist() == rows["label"].tolist()
        replaced = read_registries()[dataset.name].replaced_samples
        assert list(replaced) == rows.index[rows["in_published_files"] == 0].tolist()
        assert len(dataset.differences) == 1


@pytest.mark.realdata
@pytest.mark.parametrize("name", ["prostate", "toxicity", *list_collections()["more"]])
def test_exact_tables_are_as_described(mirror, folder, name):
    entry = read_registries()[name]
    assert prepare(entry, Fetcher(folder, [str(mirror)])).kind == "ready"
    dataset = load(name, data_dir=folder.root)
    assert dataset.class_counts == entry.expected.counts
    assert dataset.differences == ()
    assert not np.isnan(dataset.X).any()
    assert len(set(dataset.feature_names)) == dataset.n_features == entry.expected.features


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
