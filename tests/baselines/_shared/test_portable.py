"""Fitted classifiers as files; that every method survives is in tests/benchmark/models."""

import io
import json
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression

from baselines._shared.example_tables import make_table
from baselines._shared.portable import PortableError, pack, unpack
from baselines._shared.registry import load_file
from baselines._shared.third_party import scale_inside
from baselines.random_forest import ForestClassifier
from baselines.ridge import RidgeClassifier

TABLE = make_table((10, 10), 6)


def test_a_wrapped_class_keeps_its_scaler():
    made = scale_inside(LogisticRegression)
    fitted, new = made(C=0.1).fit(TABLE.X, TABLE.y), made(C=0.1)
    unpack(pack(fitted), new)
    np.testing.assert_array_equal(
        new.predict_proba(TABLE.X_test), fitted.predict_proba(TABLE.X_test)
    )


def test_constructor_arguments_are_not_among_the_files():
    files = pack(RidgeClassifier(alpha=123.0).fit(TABLE.X, TABLE.y))
    new = RidgeClassifier(alpha=5.0)
    unpack(files, new)
    assert new.alpha == 5.0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda files: files.clear(), "state.skops is missing"),
        (lambda files: files.update({"network.bin": b""}), "network.bin is of an unknown kind"),
        (lambda files: files.update({"state.skops": b"PK"}), "state.skops cannot be read"),
        (lambda files: files.update({"booster.lightgbm.txt": b"x"}), "booster.lightgbm.txt cannot"),
        (lambda files: files.update({"network.npz": b"x"}), "network.npz cannot be read"),
    ],
)
def test_files_that_do_not_fit_give_one_line(change, message: str):
    files = pack(RidgeClassifier().fit(TABLE.X, TABLE.y))
    change(files)
    with pytest.raises(PortableError, match=message) as caught:
        unpack(files, RidgeClassifier())
    assert "\n" not in str(caught.value)


def test_a_network_is_written_only_if_it_can_be_built_again():
    class Lone(RidgeClassifier):
        def fit(self, X, y):
            self.network_ = torch.nn.Linear(2, 2)
            return super().fit(X, y)

    with pytest.raises(PortableError, match=r"network_ is a network and there is no restore"):
        pack(Lone().fit(TABLE.X, TABLE.y))


def test_a_state_is_a_mapping_from_names():
    from skops.io import dumps

    for strange in ([1, 2], {1: 2}):
        with pytest.raises(PortableError, match="is not the state of a classifier"):
            unpack({"state.skops": dumps(strange)}, RidgeClassifier())


@pytest.mark.parametrize(
    ("field", "value"),
    [("left_child", 0), ("left_child", 10**6), ("right_child", -5), ("feature", 10**6)],
)
def test_a_forest_that_leads_out_of_its_trees_is_refused(field: str, value: int):
    fitted = ForestClassifier(n_estimators=3, random_state=0).fit(TABLE.X, TABLE.y)
    unpack(pack(fitted), ForestClassifier())
    tree = fitted.forest_.estimators_[1].tree_
    state = tree.__getstate__()
    state["nodes"][field][0] = value
    tree.__setstate__(state)
    with pytest.raises(PortableError, match="a decision tree that cannot be"):
        unpack(pack(fitted), ForestClassifier())


def test_what_a_user_s_file_imports_is_not_its_own(tmp_path: Path):
    """A state may name a class of the file, but nothing that merely has a name there."""
    mark = tmp_path / "executed"
    path = tmp_path / "mine.py"
    path.write_text(
        "from os import system\n"
        "from subprocess import Popen\n"
        "from sklearn.naive_bayes import GaussianNB\n"
        "class Mine(GaussianNB):\n    pass\n"
    )
    method = load_file(f"{path}:Mine")
    fitted = method.estimator().fit(TABLE.X, TABLE.y)
    files = pack(fitted)
    unpack(files, method.estimator())
    module = method.estimator.wrapped.__module__
    for name in ("system", "Popen"):
        call = {
            "__class__": name,
            "__module__": module,
            "__loader__": "ConstructorFromReduceNode",
            "content": _describe_tuple(f"touch {mark}"),
        }
        poisoned = {"state.skops": _replace_first_value(files["state.skops"], call)}
        with pytest.raises(PortableError, match=f"not allowed.*{name}"):
            unpack(poisoned, method.estimator())
        assert not mark.exists()


def _describe_tuple(text: str) -> dict:
    word = {"__class__": "str", "__module__": "builtins", "__loader__": "JsonNode"}
    return {
        "__class__": "tuple",
        "__module__": "builtins",
        "__loader__": "TupleNode",
        "content": [{**word, "content": json.dumps(text), "is_json": True}],
    }


def _replace_first_value(content: bytes, value: dict) -> bytes:
    """Put a value into a state as skops would have described it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as before, zipfile.ZipFile(out, "w") as after:
        for name in before.namelist():
            data = before.read(name)
            if name == "schema.json":
                schema = json.loads(data)
                schema["content"][next(iter(schema["content"]))] = value
                data = json.dumps(schema).encode()
            after.writestr(name, data)
    return out.getvalue()
