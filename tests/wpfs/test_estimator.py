import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from wpfs import WPFSClassifier
from wpfs.chunks import count_threads
from wpfs.estimator import choose_device

FAST = {"max_steps": 60, "embedding_size": 5, "random_state": 0}


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(0)
    y = np.repeat(["healthy", "ill"], [35, 25])
    X = generator.normal(size=(60, 40))
    X[:, :4] += 2.5 * (y == "ill")[:, None]
    return X * 50 + 300, y


# Every exemption, with its reason.
EXEMPT = {
    "check_methods_sample_order_invariance": (
        "float32 matrix products of rows in another order differ in the last bits (about 5e-7); "
        "the check allows 1e-7"
    ),
    "check_methods_subset_invariance": "the same, for rows predicted in smaller batches",
}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:nmf embeddings of:UserWarning")
@pytest.mark.filterwarnings("ignore:too few rows to hold out:UserWarning")
@parametrize_with_checks(
    [WPFSClassifier(max_steps=300, embedding_size=4, n_threads=1)],
    expected_failed_checks=lambda estimator: EXEMPT,
)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_learns_labels_of_any_type(table):
    X, y = table
    model = WPFSClassifier(max_steps=200, embedding_size=5, random_state=0).fit(X, y)
    assert model.classes_.tolist() == ["healthy", "ill"]
    assert model.score(X, y) > 0.9
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, atol=1e-12)
    assert model.predict(X).tolist() == model.classes_[probabilities.argmax(axis=1)].tolist()


def test_attributes_after_fit(table):
    X, y = table
    model = WPFSClassifier(**FAST).fit(X, y)
    assert model.feature_importances_.shape == (40,)
    assert ((model.feature_importances_ > 0) & (model.feature_importances_ < 1)).all()
    lengths = {len(values) for values in model.history_.values()}
    assert len(lengths) == 1
    assert model.best_step_ in model.history_["step"]
    assert model.n_steps_ == 60
    assert model.n_parameters_ == model.network_.count_parameters()


def test_selected_features_have_names_when_the_table_has(table):
    X, y = table
    frame = pd.DataFrame(X, columns=[f"gene{j}" for j in range(40)])
    by_name = WPFSClassifier(**FAST, selection_threshold=0.5).fit(frame, y)
    by_index = WPFSClassifier(**FAST, selection_threshold=0.5).fit(X, y)
    assert 0 < len(by_index.selected_features_) < 40
    assert by_name.selected_features_.tolist() == [f"gene{j}" for j in by_index.selected_features_]


def test_pickle_and_clone(table):
    X, y = table
    model = WPFSClassifier(**FAST, sparsity=1e-3).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert clone(model).get_params() == model.get_params()
    # Scratch memory for training (tens of megabytes on a real table) stays out of the pickle.
    assert len(pickle.dumps(model)) < 1_000_000


def test_works_in_pipelines_cross_validation_and_grid_search(table):
    X, y = table
    pipeline = make_pipeline(FunctionTransformer(np.log1p), WPFSClassifier(**FAST))
    assert len(cross_val_score(pipeline, np.abs(X), y, cv=2)) == 2
    search = GridSearchCV(WPFSClassifier(**FAST), {"sparsity": [0.0, 1e-2]}, cv=2).fit(X, y)
    assert set(search.best_params_) == {"sparsity"}


def test_eval_set_decides_when_to_stop_and_training_statistics_come_from_training_rows_only(table):
    X, y = table
    train, valid = np.arange(60) % 5 != 0, np.arange(60) % 5 == 0
    model = WPFSClassifier(**FAST).fit(X[train], y[train], eval_set=[(X[valid], y[valid])])
    np.testing.assert_allclose(model._scaler.mean_, X[train].mean(axis=0))
    # Other validation rows may stop elsewhere, but the path of the training loss is the same.
    other = WPFSClassifier(**FAST).fit(X[train], y[train], eval_set=[(X[valid] + 1, y[valid])])
    assert other.history_["train_loss"] == model.history_["train_loss"]
    assert other.history_["valid_loss"] != model.history_["valid_loss"]


def test_more_sparsity_means_lower_scores(table):
    X, y = table
    totals = [
        WPFSClassifier(**{**FAST, "max_steps": 200}, sparsity=s)
        .fit(X, y)
        .feature_importances_.sum()
        for s in (0.0, 1e-2, 1.0)
    ]
    assert totals[0] > totals[1] > totals[2]


@pytest.mark.parametrize("wpn", [True, False])
@pytest.mark.parametrize("spn", [True, False])
def test_both_ablations(table, wpn, spn):
    X, y = table
    model = WPFSClassifier(**FAST, weight_predictor=wpn, sparsity_network=spn).fit(X, y)
    assert (model.network_.first_layer.weight_predictor is not None) == wpn
    assert (model.network_.first_layer.sparsity_network is not None) == spn
    assert model.feature_importances_.shape == (40,)


def test_same_seed_same_result_and_the_callers_generators_untouched(table):
    X, y = table
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    first = WPFSClassifier(**FAST).fit(X, y).predict_proba(X)
    after = torch.rand(1).item(), np.random.random()  # noqa: NPY002
    torch.manual_seed(5)
    np.random.seed(5)  # noqa: NPY002
    assert after == (torch.rand(1).item(), np.random.random())  # noqa: NPY002
    np.testing.assert_array_equal(WPFSClassifier(**FAST).fit(X, y).predict_proba(X), first)
    other = WPFSClassifier(**{**FAST, "random_state": 1}).fit(X, y).predict_proba(X)
    assert not np.array_equal(other, first)


def test_two_processes_agree_to_the_last_bit():
    program = (
        "import numpy as np; from wpfs import WPFSClassifier;"
        "g = np.random.default_rng(0); X = g.normal(size=(40, 700)); y = X[:, 0] > 0;"
        "m = WPFSClassifier(max_steps=40, random_state=3, n_threads=1, embedding_size=9).fit(X, y);"
        "print(m.predict_proba(X).tobytes().hex())"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 100


def test_threads_are_set_for_the_fit_only(table):
    X, y = table
    torch.set_num_threads(1)
    seen = []
    WPFSClassifier(**FAST, n_threads=2).fit(
        X, y, on_check=lambda check: seen.append((count_threads(), torch.get_num_threads()))
    )
    assert set(seen) == {(2, 1)}  # ours, and PyTorch's own, which would wait on the same cores
    assert torch.get_num_threads() == 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"auxiliary_sizes": (100, 50)}, "as wide as the first hidden layer"),
        ({"embedding": "pca"}, "embedding must be one of nmf"),
        ({"schedule": "cosine"}, "schedule must be one of exponential"),
        ({"device": "cuda:7"}, "no device cuda:7"),
    ],
)
def test_wrong_hyperparameters_are_named(table, wrong, message):
    X, y = table
    with pytest.raises(ValueError, match=message):
        WPFSClassifier(**{**FAST, **wrong}).fit(X, y)


def test_one_class_is_refused(table):
    X, _ = table
    with pytest.raises(ValueError, match="one class"):
        WPFSClassifier(**FAST).fit(X, np.zeros(60))


def test_eval_set_of_another_width_is_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="eval_set has 3 features, the training rows have 40"):
        WPFSClassifier(**FAST).fit(X, y, eval_set=[(X[:, :3], y)])


def test_auto_device_without_gpu_is_the_cpu(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert choose_device("auto").type == "cpu"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert choose_device("auto") == torch.device("cuda:0")
    assert choose_device("cuda:1") == torch.device("cuda:1")


def test_importing_the_estimator_does_not_import_torch():
    program = "import sys, wpfs; sys.exit('torch' in sys.modules or 'numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
