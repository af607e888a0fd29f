"""Ridge, PLS-DA, ANOVA + SVM, PCA + LDA and the RBF SVM."""

import numpy as np
import pytest
from sklearn.cross_decomposition import PLSRegression
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import RidgeClassifier as ScikitLearnRidge
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from baselines._shared.example_tables import Table, make_table
from baselines.filter_svm import FilterSVMClassifier
from baselines.pca_lda import PCALDAClassifier
from baselines.pls_da import PLSDAClassifier
from baselines.rbf_svm import RBFSVMClassifier
from baselines.ridge import RidgeClassifier


@pytest.fixture
def table() -> Table:
    """45 rows, 60 features, of which the first ten tell three overlapping classes apart."""
    return make_table((15, 15, 15), 60, distance=1.0)


def scale(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Return z-scored training and test rows."""
    scaler = StandardScaler().fit(table.X.astype(float))
    return scaler.transform(table.X.astype(float)), scaler.transform(table.X_test.astype(float))


def test_ridge_decides_as_scikit_learn_s(table: Table):
    X, X_test = scale(table)
    plain = ScikitLearnRidge(alpha=50.0, class_weight="balanced").fit(X, table.y)
    model = RidgeClassifier(alpha=50.0).fit(table.X, table.y)
    np.testing.assert_array_equal(model.predict(table.X_test), plain.predict(X_test))


def test_pls_with_equal_weights_is_scikit_learn_s(table: Table):
    X, X_test = scale(table)
    plain = PLSRegression(n_components=3, scale=False, tol=1e-14, max_iter=5000)
    plain.fit(X, np.eye(3)[table.y])
    model = PLSDAClassifier(n_components=3).fit(table.X, table.y)
    np.testing.assert_allclose(model._decide(X_test), plain.predict(X_test), atol=1e-6)


def test_pls_weights_a_row_as_much_as_its_copies(table: Table):
    """A class with a third of the rows counts as if each of them were there three times."""
    kept = np.concatenate([np.flatnonzero(table.y == c)[: (5, 15, 15)[c]] for c in range(3)])
    X, y = StandardScaler().fit_transform(table.X[kept].astype(float)), table.y[kept]
    copies = np.repeat(np.arange(len(y)), np.where(y == 0, 3, 1))
    plain = PLSRegression(n_components=2, scale=False, tol=1e-14, max_iter=5000)
    plain.fit(X[copies], np.eye(3)[y[copies]])
    model = PLSDAClassifier(n_components=2).fit(table.X[kept], y)
    np.testing.assert_allclose(model._decide(X), plain.predict(X), atol=1e-6)


def test_pls_stops_when_nothing_is_left_to_explain(table: Table):
    many = PLSDAClassifier(n_components=44).fit(table.X, table.y)
    assert np.isfinite(many.coef_).all()
    assert np.mean(many.feature_importances_**2) == pytest.approx(1)


def test_the_filter_keeps_what_the_f_test_ranks_first(table: Table):
    X, X_test = scale(table)
    chosen = SelectKBest(f_classif, k=7).fit(X, table.y).get_support(indices=True)
    model = FilterSVMClassifier(n_selected=7).fit(table.X, table.y)
    np.testing.assert_array_equal(model.selected_features_, chosen)
    svm = SVC(kernel="linear", C=0.01, class_weight="balanced", break_ties=True)
    svm.fit(X[:, chosen], table.y)
    np.testing.assert_array_equal(model.predict(table.X_test), svm.predict(X_test[:, chosen]))


def test_the_filter_is_part_of_what_is_calibrated():
    """Pure noise looks separable once features were picked on the rows that are judged."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2000)), np.tile([0, 1], 20)
    model = FilterSVMClassifier(n_selected=20, C=1.0).fit(X, y)
    assert model.predict_proba(rng.normal(size=(40, 2000))).max() < 0.7


def test_lda_is_fitted_in_few_dimensions_and_explained_in_all():
    table = make_table((15, 15, 15), 60)
    model = PCALDAClassifier(n_components=8).fit(table.X, table.y)
    assert model.lda_.coef_.shape == (3, 8)
    assert set(np.argsort(model.feature_importances_)[-5:]) <= set(range(10))


def test_the_kernel_separates_what_no_plane_can():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    y = (np.linalg.norm(X, axis=1) > 1.2).astype(int)
    model = RBFSVMClassifier(C=10.0).fit(X[:80], y[:80])
    assert np.mean(model.predict(X[80:]) == y[80:]) > 0.9
