"""One cohort in every form is one data set."""

import importlib.util
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmark.datasets import TableOptions, read_table

_SPEC = importlib.util.spec_from_file_location("forms", Path(__file__).with_name("forms.py"))
forms = importlib.util.module_from_spec(_SPEC)
sys.modules["forms"] = forms
_SPEC.loader.exec_module(forms)


def make_cohort(n=30, d=12, classes=("basal", "luminal A"), seed=0, sparse=0.3):
    rng = np.random.default_rng(seed)
    values = rng.gamma(2, 3, (n, d)).round(3)
    values[rng.random((n, d)) < sparse] = 0
    frame = pd.DataFrame(
        values,
        columns=[f"GENE{j}" for j in range(d)],
        index=[f"TCGA-{i:03d}" for i in range(n)],
    )
    labels = [classes[i % len(classes)] for i in range(n)]
    return forms.Cohort(frame, labels)


@pytest.mark.parametrize("form", forms.FORMS)
def test_every_form_gives_the_same_data_set(form, tmp_path):
    cohort = make_cohort(classes=("basal", "luminal"))
    dataset = read_table(TableOptions(name="x", **forms.FORMS[form](cohort, tmp_path)))
    assert dataset.feature_names.tolist() == list(cohort.expression.columns)
    assert dataset.sample_ids.tolist() == list(cohort.expression.index)
    assert [dataset.class_names[code] for code in dataset.y] == cohort.labels.tolist()
    np.testing.assert_array_equal(dataset.X, cohort.expression.to_numpy(dtype=np.float32))
    reference = read_table(TableOptions(name="x", **forms.write_csv(cohort, tmp_path)))
    assert dataset.checksum == reference.checksum


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(
    n=st.integers(9, 24),
    d=st.integers(2, 30),
    classes=st.sampled_from([("0", "1"), ("no", "yes"), ("G1", "G2", "G3"), ("2", "10")]),
    seed=st.integers(0, 10**6),
    sparse=st.floats(0, 0.9),
)
def test_random_cohorts_have_one_checksum(n, d, classes, seed, sparse):
    cohort = make_cohort(n, d, classes, seed, sparse)
    checksums = {}
    for form, write in forms.FORMS.items():
        with tempfile.TemporaryDirectory() as folder:
            options = TableOptions(
                name="x",
                # Few and sparse values may copy the label by chance.
                accept=("label-copy", "id-column"),
                **write(cohort, Path(folder)),
            )
            checksums[form] = read_table(options).checksum
    assert len(set(checksums.values())) == 1, checksums
