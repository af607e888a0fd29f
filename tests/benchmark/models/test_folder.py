"""A model's folder: readable, whole or not at all, and never executed."""

import dataclasses
import functools
import hashlib
import io
import json
import operator
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import skops.io

from benchmark.errors import UserError
from benchmark.models import folder as folders
from benchmark.models.fit import FitRequest, fit_model, make_portable, restore
from benchmark.models.folder import check_target, read_model, write_model

from .conftest import make_cohort


def rewrite(folder: Path, change=lambda facts: None, **files: bytes) -> None:
    """Change a model as somebody would who knows the format: all digests fit again."""
    facts = json.loads((folder / "model.json").read_text())
    for name, content in files.items():
        (folder / name).write_bytes(content)
        facts["files"][name] = hashlib.sha256(content).hexdigest()
    change(facts)
    facts.pop("sha256")
    facts["sha256"] = folders._digest_facts(facts)
    (folder / "model.json").write_text(json.dumps(facts))


def test_the_card_says_what_the_model_is(folder: Path):
    card = json.loads((folder / "model.json").read_text())
    cohort = make_cohort()
    assert (card["method"], card["hyperparameters"]) == ("linear-svm", {"C": 0.01})
    assert card["classes"] == ["luminal", "basal", "normal"]
    assert [gene["name"] for gene in card["genes"]] == cohort.feature_names.tolist()
    assert card["genes"][0]["mean"] == pytest.approx(cohort.X[:, 0].mean(), rel=1e-6)
    assert card["training"]["checksum"] == cohort.checksum
    assert {"python", "scikit-learn", "skops"} <= card["versions"].keys()
    # One gene to a line, for people.
    assert '  {"name": "GENE7", ' in (folder / "model.json").read_text()


def test_reading_gives_what_was_written(folder: Path):
    model = read_model(folder)
    write_model(folder.with_name("copy"), model)
    assert (folder.with_name("copy") / "model.json").read_bytes() == (
        folder / "model.json"
    ).read_bytes()


@pytest.mark.parametrize("damage", ["cut", "flipped", "gone", "empty", "another"])
@pytest.mark.parametrize("name", ["model.json", "state.skops"])
def test_damage_gets_one_line(folder: Path, name: str, damage: str):
    path = folder / name
    content = path.read_bytes()
    changed = {
        "cut": content[: len(content) // 2],
        "flipped": content[:100] + bytes([content[100] ^ 1]) + content[101:],
        "empty": b"",
        "another": b'{"format": "something else"}',
    }
    if damage == "gone":
        path.unlink()
    else:
        assert changed[damage] != content
        path.write_bytes(changed[damage])
    with pytest.raises(UserError, match=f"model {folder}") as caught:
        read_model(folder)
    assert "\n" not in str(caught.value)


def test_a_foreign_folder_is_no_model(tmp_path: Path):
    with pytest.raises(UserError, match="does not exist"):
        read_model(tmp_path / "nothing")
    with pytest.raises(UserError, match=r"has no readable model\.json"):
        read_model(tmp_path)
    (tmp_path / "model.json").write_text("[1]")
    with pytest.raises(UserError, match="of another program"):
        read_model(tmp_path)


def test_fields_that_are_missing_or_wrong_get_one_line(folder: Path):
    rewrite(folder, lambda facts: facts.update(genes=[{"name": "A"}]))
    with pytest.raises(UserError, match="lacks a field or has a wrong one"):
        read_model(folder)
    rewrite(folder, lambda facts: facts.update(schema=2))
    with pytest.raises(UserError, match=r"another version of wpfs-bench \(schema 2, not 1\)"):
        read_model(folder)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("method", value) for value in (None, 1, ["linear-svm"])),
        *(("seed", value) for value in (None, "42", 1e400)),
        *(("files", value) for value in (None, [], "state.skops", {"state.skops": None})),
        *(("genes", value) for value in ([], {}, [{"name": "A", "mean": 1}])),
        ("training", {}),
        ("scaling", {"transform": "exp", "fills_gaps": False}),
        ("hyperparameters", [1]),
        ("versions", "3"),
    ],
)
def test_a_field_of_another_type_gets_one_line(folder: Path, field: str, value: object):
    rewrite(folder, lambda facts: facts.update({field: value}))
    with pytest.raises(UserError, match=f"model {folder}: ") as caught:
        read_model(folder)
    assert "\n" not in str(caught.value)


def test_genes_that_are_there_twice_are_refused(folder: Path):
    rewrite(folder, lambda facts: facts["genes"].append(facts["genes"][0]))
    with pytest.raises(UserError, match=r"has a wrong one \(genes\)"):
        read_model(folder)


def test_a_card_cannot_name_a_file_of_code(folder: Path, tmp_path: Path):
    mark, code = tmp_path / "executed", tmp_path / "evil.py"
    code.write_text(f"open({str(mark)!r}, 'w')\nclass Evil:\n    pass\n")
    for own_class in ("", "evil.py:Evil"):
        rewrite(folder, lambda facts: facts.update(method=f"{code}:Evil", own_class=own_class))  # noqa: B023
        with pytest.raises(UserError, match="names a file of code"):
            restore(read_model(folder))
    assert not mark.exists()


def test_files_outside_the_folder_are_not_read(folder: Path):
    (folder.parent / "secret").write_bytes(b"x")
    rewrite(folder, lambda facts: facts["files"].update({"../secret": "0"}))
    with pytest.raises(UserError, match="is not the name of a file in it"):
        read_model(folder)


def test_an_interrupt_while_a_model_is_replaced_keeps_the_old_one(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    before = (folder / "model.json").read_bytes()
    model, rename = read_model(folder), Path.rename

    def interrupt(path: Path, target: Path) -> Path:
        if path.suffix == ".tmp":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_model(folder, dataclasses.replace(model, seed=7), replace=True)
    assert (folder / "model.json").read_bytes() == before
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


class Evil:
    """Touches a file when it is unpickled."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self):
        return os.system, (f"touch {self.mark}",)


def test_pickles_in_a_model_are_never_executed(folder: Path, tmp_path: Path):
    mark = tmp_path / "executed"
    poison = pickle.dumps(Evil(mark))
    (folder / "extra.pkl").write_bytes(poison)
    restore(read_model(folder))  # what the card does not name is not looked at

    rewrite(folder, **{"state.skops": poison})
    with pytest.raises(UserError, match=r"state\.skops cannot be read"):
        restore(read_model(folder))
    assert not mark.exists()


def test_arrays_of_a_network_are_never_unpickled(tmp_path: Path):
    mark = tmp_path / "executed"
    fitted = fit_model(FitRequest("mlp", overrides={"max_steps": 5}), make_cohort())
    write_model(tmp_path / "model", make_portable(fitted))
    content = io.BytesIO()
    np.savez(content, **{"head.weight": np.array([Evil(mark)], dtype=object)})
    rewrite(tmp_path / "model", **{"network.npz": content.getvalue()})
    with pytest.raises(UserError, match=r"network\.npz cannot be read: .*allow_pickle"):
        restore(read_model(tmp_path / "model"))
    pickle.loads(pickle.dumps(Evil(mark)))
    assert mark.exists()  # the poison works where it is taken


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (r"left_child=\S+", "left_child=99999"),
        (r"right_child=\S+", "right_child=0"),
        (r"split_feature=\S+", "split_feature=70000"),
        (r"num_leaves=\d+", "num_leaves=2147483647"),
        (r"leaf_value=\S+ ", "leaf_value="),
        (r"tree_sizes=\d+", "tree_sizes=1000000000"),
        (r"max_feature_idx=\d+", "max_feature_idx=100000"),
        (r"tree_sizes=.*", ""),
    ],
)
def test_boosted_trees_that_lead_nowhere_are_refused(tmp_path: Path, old: str, new: str):
    fitted = fit_model(FitRequest("lightgbm", overrides={"n_rounds": 3}), make_cohort())
    write_model(tmp_path / "model", make_portable(fitted))
    text = (tmp_path / "model" / "booster.lightgbm.txt").read_text()
    changed, count = re.subn(old, new, text, count=1)
    assert count == 1
    rewrite(tmp_path / "model", **{"booster.lightgbm.txt": changed.encode()})
    with pytest.raises(UserError, match=r"booster\.lightgbm\.txt cannot be read") as caught:
        restore(read_model(tmp_path / "model"))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "poison",
    [
        lambda mark: functools.partial(os.system, f"touch {mark}"),
        lambda mark: operator.methodcaller("touch"),
        lambda mark: os.system,
        lambda mark: Path(mark),
    ],
    ids=["partial", "methodcaller", "function", "path"],
)
def test_types_that_are_not_listed_are_not_built(folder: Path, tmp_path: Path, poison):
    mark = tmp_path / "executed"
    content = skops.io.dumps({"temperature_": 1.0, "svm_": poison(mark)})
    rewrite(folder, **{"state.skops": content})
    with pytest.raises(UserError, match="holds types that are not allowed") as caught:
        restore(read_model(folder))
    assert "\n" not in str(caught.value)
    assert not mark.exists()


def test_a_model_is_replaced_only_when_asked_and_only_by_a_model(folder: Path, tmp_path: Path):
    model = read_model(folder)
    with pytest.raises(UserError, match=r"holds a model already.*--force"):
        write_model(folder, model)
    write_model(folder, model, replace=True)
    (tmp_path / "papers").mkdir()
    with pytest.raises(UserError, match="exists and is no model"):
        check_target(tmp_path / "papers", replace=True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["model", "papers"]


def test_a_full_disk_leaves_the_old_model_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    model = read_model(folder)

    def fail(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folders.os, "fsync", fail)
    with pytest.raises(UserError, match="No space left on device; choose another folder"):
        write_model(folder, model, replace=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert list(folder.parent.iterdir()) == [folder]
