"""Enrichment against gseapy, and the sets' file."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, fisher_exact

from benchmark.errors import UserError
from benchmark.genes.enrichment import measure_enrichment
from benchmark.genes.gene_sets import describe_cut, find_gene_list, read_gene_sets

GENES = [f"G{number}" for number in range(200)]


def draw_sets():
    """Return sets of which each has a listed gene; gseapy leaves out the others."""
    rng = np.random.default_rng(0)
    sets = {
        f"SET{size}": frozenset(rng.choice(GENES, size, replace=False)) | {"G0", "ELSEWHERE"}
        for size in (5, 20, 40, 60)
    }
    return sets | {"RICH": frozenset(GENES[:15])}


def test_values_are_gseapys():
    gseapy = pytest.importorskip("gseapy")
    sets, listed = draw_sets(), GENES[:20]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = gseapy.enrich(
            gene_list=listed,
            gene_sets={name: sorted(members) for name, members in sets.items()},
            background=GENES,
            outdir=None,
            no_plot=True,
        ).results.set_index("Term")
    ours = measure_enrichment(listed, GENES, sets).set_index("set")
    theirs = theirs.loc[ours.index]
    np.testing.assert_allclose(ours["p_value"], theirs["P-value"], rtol=1e-9)
    np.testing.assert_allclose(ours["adjusted"], theirs["Adjusted P-value"], rtol=1e-9)
    overlaps = ours["found"].astype(str) + "/" + ours["size"].astype(str)
    assert overlaps.tolist() == theirs["Overlap"].tolist()
    assert ours.index[0] == "RICH"


def test_the_test_is_fishers_and_sets_without_a_listed_gene_count():
    sets = draw_sets() | {"NONE": frozenset(GENES[100:110]), "ABSENT": frozenset({"X"})}
    found = measure_enrichment(GENES[:20], GENES, sets)
    assert len(found) == 6
    assert found["expected"].sum() == pytest.approx(found["size"].sum() * 0.1)
    for row in found.itertuples():
        rest = [20 - row.found, 200 - row.size - 20 + row.found]
        exact = fisher_exact([[row.found, row.size - row.found], rest], "greater")[1]
        assert row.p_value == pytest.approx(exact)
    np.testing.assert_allclose(found["adjusted"], false_discovery_control(found["p_value"]))


def test_genes_are_matched_whatever_their_case():
    found = measure_enrichment(["g1", "g0"], ["g0", "g1", "g2"], {"A": frozenset({"G0", "G1"})})
    assert found["genes"].tolist() == [("g1", "g0")]


def test_a_table_without_any_gene_of_the_sets_is_refused():
    with pytest.raises(UserError, match=r"no gene of the table is in any set: .*1007_s_at.*ESR1"):
        measure_enrichment(["1007_s_at"], ["1007_s_at"], {"A": frozenset({"ESR1"})})


def test_sets_are_read(tmp_path):
    file = tmp_path / "sets.gmt"
    file.write_text("A\thttp://x\tESR1\tgata3\t\n\nB\t\tTP53\n")
    assert read_gene_sets(file) == {"A": {"ESR1", "GATA3"}, "B": {"TP53"}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no gene sets"),
        (b"A\tabout\n", "line 1: a line of a GMT file"),
        (b"A,about,ESR1\n", "line 1: a line of a GMT file"),
        (b"A\tx\tB\nA\tx\tC\n", "line 2: the set A is there twice"),
        (b"\xff\xfe\x00", "is not text"),
    ],
)
def test_other_files_are_refused(tmp_path, content, message):
    file = tmp_path / "sets.gmt"
    file.write_bytes(content)
    with pytest.raises(UserError, match=message):
        read_gene_sets(file)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(UserError, match="No such file"):
        read_gene_sets(tmp_path / "sets.gmt")


@pytest.mark.parametrize(
    ("dataset", "cut"),
    [
        ("scanb-basal", True),
        ("metabric-dr:samples=60", True),
        ("tcga-2ysurvival-standin+log2p1", True),
        ("tcga-tumor-grade", True),
        ("prostate", False),
        ("synthetic:samples=60", False),
        ("my-cohort", False),
    ],
)
def test_the_registry_knows_which_tables_were_cut(dataset, cut):
    assert bool(find_gene_list(dataset)) is cut


def test_a_cut_table_is_told_by_its_genes_too():
    sets = {"A": frozenset(GENES[:95])}
    assert "95% of its genes" in describe_cut("my-cohort", GENES[:100], sets)
    assert describe_cut("my-cohort", GENES[:200], sets) == ""
    assert "cut to the genes of imp_genes_list.csv" in describe_cut("scanb-basal", GENES, sets)


def test_the_frame_is_sorted_by_p_value():
    found = measure_enrichment(GENES[:20], GENES, draw_sets())
    pd.testing.assert_frame_equal(found, found.sort_values(["p_value", "set"], ignore_index=True))
