import numpy as np
import pytest

from wpfs import cache
from wpfs.embeddings import embed_features


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(cache.CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


def forbid():
    raise AssertionError("computed again")


def test_computes_once_per_content_and_parameters(folder):
    X = np.arange(6.0).reshape(2, 3)
    first = cache.load_or_compute(lambda: np.ones(3, np.float32), X, "a", 1)
    np.testing.assert_array_equal(cache.load_or_compute(forbid, X.copy(), "a", 1), first)
    for other in [(X + 1, "a", 1), (X, "b", 1), (X, "a", 2), (X.reshape(3, 2), "a", 1)]:
        with pytest.raises(AssertionError, match="again"):
            cache.load_or_compute(forbid, *other)


def test_keeps_nothing_without_a_folder(monkeypatch):
    monkeypatch.delenv(cache.CACHE_VARIABLE, raising=False)
    X = np.zeros((2, 2))
    cache.load_or_compute(lambda: np.ones(1, np.float32), X)
    with pytest.raises(AssertionError, match="again"):
        cache.load_or_compute(forbid, X)


def test_a_failed_write_leaves_no_file_behind(folder, monkeypatch):
    def fail(stream, array):
        stream.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(np, "save", fail)
    with pytest.warns(UserWarning, match="cannot keep .*: disk full"):
        result = cache.load_or_compute(lambda: np.ones(1, np.float32), np.zeros(1))
    np.testing.assert_array_equal(result, [1])
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"half a file", b"\x93NUMPY\x01\x00"])
def test_a_damaged_file_is_computed_again(folder, content):
    X = np.zeros(1)
    first = cache.load_or_compute(lambda: np.ones(3, np.float32), X)
    (file,) = folder.iterdir()
    file.write_bytes(content)
    with pytest.warns(UserWarning, match="is damaged"):
        again = cache.load_or_compute(lambda: np.ones(3, np.float32), X)
    np.testing.assert_array_equal(again, first)
    np.testing.assert_array_equal(cache.load_or_compute(forbid, X), first)


def test_embeddings_are_the_same_with_and_without_cache(folder, monkeypatch):
    X = np.random.default_rng(0).random((20, 30))
    written, read = embed_features(X, size=4), embed_features(X, size=4)
    assert len(list(folder.iterdir())) == 1
    monkeypatch.delenv(cache.CACHE_VARIABLE)
    np.testing.assert_array_equal(written, embed_features(X, size=4))
    np.testing.assert_array_equal(read, written)
