"""TCGA: tables of the authors and of the Broad institute."""

import pandas as pd

from benchmark.datasets.derive.tcga import keep_primary_tumours, read_published_samples


def test_only_primary_tumours_are_kept_one_per_patient():
    barcodes = ["TCGA-AA-0002-01B", "TCGA-AA-0001-11A", "TCGA-AA-0002-01A", "TCGA-AA-0001-01A"]
    frame = pd.DataFrame({"A|1": [1, 2, 3, 4]}, index=barcodes)
    kept = keep_primary_tumours(frame)
    assert kept["A|1"].to_dict() == {"TCGA-AA-0001": 4, "TCGA-AA-0002": 3}


def test_published_samples_give_each_patient_once_without_labels(tmp_path):
    for name, patients in (("a", ["P1", "P2"]), ("b", ["P2", "P3"])):
        table = pd.DataFrame({"G1": 1.0, "G2": 2.0, f"label-{name}": 0}, index=patients)
        table.to_csv(tmp_path / name)
    values = read_published_samples([tmp_path / "a", tmp_path / "b"])
    assert values.index.tolist() == ["P1", "P2", "P3"]
    assert values.columns.tolist() == ["G1", "G2"]
