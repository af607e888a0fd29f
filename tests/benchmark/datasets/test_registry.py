"""The strict reader: what ships is complete, and every mistake is pointed at."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.datasets.registry import (
    find_entry,
    known_names,
    list_collections,
    read_registries,
    read_registry,
)
from benchmark.errors import UserError

NINE = {
    "cll": (111, 11340, (11, 49, 51)),
    "lung": (197, 3312, (139, 17, 21, 20)),
    "metabric-dr": (200, 4160, (139, 61)),
    "metabric-pam50": (200, 4160, (167, 33)),
    "prostate": (102, 5966, (50, 52)),
    "smk": (187, 19993, (90, 97)),
    "tcga-2ysurvival": (200, 4381, (78, 122)),
    "tcga-tumor-grade": (200, 4381, (25, 124, 51)),
    "toxicity": (171, 5748, (45, 45, 39, 42)),
}

GOOD = """\
datasets:
  mine:
    title: Mine
    citation: me
    licence: free
    classes: [low, high]
    expected: {samples: 30, features: 4, counts: [10, 20]}
    sources:
      - note: here
        loader: table
        files:
          - name: mine.csv
            urls: [mine.csv]
            sha256: SHA
        target: outcome
        labels: {0: low, 1: high}
""".replace("SHA", "0" * 64)


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        path = tmp_path / "mine.yaml"
        path.write_text(text)
        return read_registry(path)

    return read_text


def test_the_paper_s_nine_ship_with_the_paper_s_numbers():
    assert set(list_collections()["paper"]) == set(NINE)
    entries = read_registries()
    for name, (samples, features, counts) in NINE.items():
        expected = entries[name].expected
        assert (expected.samples, expected.features, expected.counts) == (samples, features, counts)


def test_the_users_data_sets_join_a_collection(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD.replace("    title: Mine", "    title: Mine\n    collection: more"))
    assert list_collections([path])["more"] == [*list_collections()["more"], "mine"]


@pytest.mark.parametrize("name", ["prostate", "synthetic", "all"])
def test_a_collection_needs_a_name_of_its_own(tmp_path, name):
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD.replace("    title: Mine", f"    title: Mine\n    collection: {name}"))
    with pytest.raises(UserError, match=rf"collection '{name}' of data set 'mine'"):
        read_registries([path])


def test_a_registry_is_parsed_once_until_it_changes(tmp_path, monkeypatch):
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    first = read_registry(path)["mine"]
    monkeypatch.setattr("benchmark.datasets.registry.StrictReader", None)
    assert read_registry(path)["mine"] is first
    monkeypatch.undo()
    path.write_text(GOOD.replace("title: Mine", "title: Ours"))
    assert read_registry(path)["mine"].title == "Ours"


def test_stand_ins_are_marked():
    entries = read_registries()
    marked = {name: e.stand_in_for for name, e in entries.items() if e.stand_in_for}
    assert marked == {
        "tcga-2ysurvival-standin": "tcga-2ysurvival",
        "tcga-tumor-grade-standin": "tcga-tumor-grade",
    }
    for name, original in marked.items():
        assert entries[name].hyperparameters_of == original
        assert entries[name].differences


def test_what_cannot_be_verified_says_so():
    for entry in read_registries().values():
        for source in entry.sources:
            unverifiable = [file.name for file in source.files if not file.verifiable]
            says_so = any("could not be verified" in text for text in source.differences)
            assert bool(unverifiable) == says_so, (entry.name, source.note)


def test_addresses_are_secure_or_have_a_secure_twin_first():
    for entry in read_registries().values():
        for file in (file for source in entry.sources for file in source.files):
            assert file.urls[0].startswith("https://"), file.name


def test_known_names_end_with_the_built_in_one():
    assert known_names()[-1] == "synthetic"
    assert set(NINE) < set(known_names())


def test_a_good_file_is_read(read, tmp_path):
    entry = read(GOOD)["mine"]
    source = entry.sources[0]
    assert source.labels == (("0", "low"), ("1", "high"))
    assert source.files[0].urls == (str((tmp_path / "mine.csv").resolve()),)


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("    title:", "    titel:", 3, ["unknown key 'titel'", "'title'"]),
        ("        loader:", "        lodaer:", 10, ["'lodaer'", "'loader'"]),
        ("            urls:", "            url:", 13, ["'url'", "'urls'"]),
        ("    licence: free\n", "", 3, ["'licence' is missing", "data set 'mine'"]),
        ("loader: table", "loader: tabel", 10, ["unknown loader 'tabel'", "'table'"]),
        ("samples: 30", "samples: many", 7, ["samples must be a positive whole number", "'many'"]),
        ("samples: 30", "samples: -3", 7, ["positive whole number"]),
        ("samples: 30", "samples: 31", 7, ["do not add up to 31"]),
        ("counts: [10, 20]", "counts: [30]", 7, ["1 counts for 2 classes"]),
        ("title: Mine", "title: [a]", 3, ["title must be text, not a list"]),
        ("title: Mine", "title:", 3, ["title must be text, not nothing"]),
        ("classes: [low, high]", "classes: low", 6, ["classes must be a list, not 'low'"]),
        ("urls: [mine.csv]", "urls: []", 13, ["urls must not be empty"]),
        ("1: high", "1: hihg", 16, ["class 'hihg'", "not listed in classes"]),
        ("0" * 64, "abc", 14, ["sha256 must be 64 hexadecimal digits", "'abc'"]),
        ("name: mine.csv", "name: ../mine.csv", 12, ["plain file name"]),
        ("title: Mine", "title: Mine\n    title: Again", 4, ["'title' is given twice"]),
        ("loader: table", "loader: metabric", 12, ["unknown role 'table'", "use one of"]),
        ("  mine:", "  My Set:", 2, ["'My Set' cannot be a data set's name"]),
        ("  mine:", "  synthetic:", 2, ["'synthetic' cannot be"]),
        ("datasets:", "dataset:", 1, ["unknown key 'dataset'", "'datasets'"]),
        ("title: Mine", "title: 'Mine", 8, ["not YAML"]),
        ("title: Mine", "title: Mi\x01ne", 8, ["not YAML"]),
        ("outcome\n", "outcome\n        drop_unlisted: maybe\n", 16, ["must be true or false"]),
    ],
)
def test_a_mistake_names_file_line_key_and_what_was_meant(read, old, new, line, words):
    assert old in GOOD
    with pytest.raises(UserError) as caught:
        read(GOOD.replace(old, new, 1))
    message = str(caught.value)
    assert "\n" not in message
    assert "mine.yaml" in message
    if words != ["not YAML"]:
        assert f"line {line}:" in message
    for word in words:
        assert word in message


KEYS = sorted(set(re.findall(r"^ +(?:- )?([a-z_]+):", GOOD, flags=re.MULTILINE)) - {"mine"})


@settings(max_examples=60)
@given(key=st.sampled_from(KEYS), letter=st.sampled_from("qxz"), data=st.data())
def test_any_misspelt_key_is_found(tmp_path_factory, key, letter, data):
    position = data.draw(st.integers(0, len(key)))
    misspelt = key[:position] + letter + key[position:]
    path = tmp_path_factory.mktemp("yaml") / "r.yaml"
    path.write_text(re.sub(rf"(?<![a-z_]){key}:", f"{misspelt}:", GOOD, count=1))
    with pytest.raises(UserError, match=rf"line \d+: unknown key '{misspelt}'.*'{key}'"):
        read_registry(path)


@pytest.mark.parametrize(("content", "words"), [("", "is empty"), ("- a\n", "must be a mapping")])
def test_a_file_without_data_sets(read, content, words):
    with pytest.raises(UserError, match=words):
        read(content)


def test_a_missing_registry_is_named(tmp_path):
    with pytest.raises(UserError, match=r"none\.yaml: no such file"):
        read_registries([tmp_path / "none.yaml"])


def test_a_name_may_be_taken_only_once(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD.replace("  mine:", "  prostate:"))
    with pytest.raises(UserError, match=r"'prostate' is already in .*datasets\.yaml"):
        read_registries([path])


def test_a_file_name_may_stand_for_one_content_only(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD.replace("name: mine.csv", "name: imp_genes_list.csv"))
    with pytest.raises(UserError, match=r"'imp_genes_list.csv' .* another digest"):
        read_registries([path])


def test_an_unknown_name_gets_the_nearest(tmp_path: Path):
    with pytest.raises(UserError, match=r"^unknown data set 'qqq' \(`wpfs-bench datasets`"):
        find_entry("qqq")
    with pytest.raises(UserError, match="did you mean 'toxicity'"):
        find_entry("toxcity")
    path = tmp_path / "mine.yaml"
    path.write_text(GOOD)
    assert find_entry("mine", [path]).title == "Mine"
