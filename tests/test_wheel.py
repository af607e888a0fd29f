"""What is built can be installed into an empty environment and works there, from any folder."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]

pytestmark = pytest.mark.slow


def call(*command: object, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder, with the checkout out of sight."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "WPFS"))}
    return subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**environment, "WPFS_BENCH_DATA": str(cwd), "COLUMNS": "100", **variables},
    )


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """Build the sdist, and the wheel from it."""
    folder = tmp_path_factory.mktemp("dist")
    build = call(sys.executable, "-m", "build", "--outdir", folder, CHECKOUT, cwd=folder)
    if "No matching distribution found for hatchling" in build.stdout + build.stderr:
        pytest.skip("the build backend cannot be fetched: no package registry")
    assert build.returncode == 0, build.stderr
    return folder


def test_the_wheel_holds_the_packages_and_their_files(built):
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {"benchmark/shipped/datasets.yaml", "benchmark/shipped/paper.yaml"} <= names
    assert {f"{package}/py.typed" for package in ("wpfs", "baselines", "benchmark")} <= names
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {
        *("wpfs", "baselines", "benchmark", "wpfs_bench"),
    }


def test_the_source_distribution_has_what_the_two_commands_need(built):
    (archive,) = built.glob("*.tar.gz")
    with tarfile.open(archive) as members:
        names = {name.partition("/")[2] for name in members.getnames()}
    assert {"Makefile", "constraints.txt", "demo.yaml", "tests/conftest.py"} <= names
    assert not any(name.startswith(("results/reference", ".venv", "site/")) for name in names)


#: Command, and how it says which extra is missing.
HINTS = {
    "inspect t.parquet": "pip install 'wpfs-bench[parquet]'",
    "inspect t.feather": "pip install 'wpfs-bench[parquet]'",
    "inspect t.xlsx": "pip install 'wpfs-bench[excel]'",
    "inspect t.h5ad": "pip install 'wpfs-bench[h5ad]'",
    "run -m xgboost -d synthetic": "pip install 'wpfs-bench[xgboost]'",
    "run -m tabm -d synthetic": "pip install 'wpfs-bench[modern]'",
    "run -m knn -d synthetic --executor ray": "pip install 'wpfs-bench[ray]'",
}


def write_files_of_extras(folder):
    for suffix, start in (
        ("parquet", b"PAR1"),
        ("feather", b"ARROW1"),
        ("h5ad", b"\x89HDF\r\n\x1a\n"),
    ):
        (folder / f"t.{suffix}").write_bytes(start + b"\0" * 64)
    with zipfile.ZipFile(folder / "t.xlsx", "w") as workbook:
        workbook.writestr("xl/workbook.xml", "<workbook/>")


@pytest.fixture
def program(built, tmp_path):
    """Install the wheel, without any extra, into an empty environment; remove that afterwards."""
    home = tmp_path / "empty"
    venv.create(home, with_pip=True)
    (wheel,) = built.glob("*.whl")
    pip = [home / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile"]
    done = call(*pip, "--constraint", CHECKOUT / "constraints.txt", wheel, cwd=home)
    if "No matching distribution found" in done.stderr:
        pytest.skip(f"not every package can be fetched: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    yield home / "bin" / "wpfs-bench"
    shutil.rmtree(home)  # more than a gigabyte


def test_it_works_from_an_empty_environment(program, tmp_path, subtests):
    def run(*arguments):
        return call(program, *arguments, cwd=tmp_path)

    with subtests.test("data sets are listed"):
        rows = json.loads(run("datasets", "--json").stdout)
        assert "tcga-2ysurvival-standin" in {row["name"] for row in rows}
    with subtests.test("methods run and are reported"):
        flags = ["-d", "synthetic:samples=60,features=40,informative=5", "--repeats", "1"]
        for chosen in ("wpfs --set max_steps=10", "tabnet --set max_epochs=5", "lightgbm,knn"):
            trained = run("run", *flags, "--folds", "2", "-m", *chosen.split())
            assert trained.returncode == 0, trained.stdout + trained.stderr
        table, page = (run(*shlex.split(line)[1:]) for line in trained.stdout.splitlines()[-2:])
        assert {"lightgbm", "knn"} <= set(table.stdout.split()), table.stderr
        assert page.returncode == 0, page.stderr
        assert (tmp_path / "report.html").stat().st_size > 10_000
    with subtests.test("the paper's methods need no extra"):
        code = (
            "from baselines._shared.registry import find_catalogue as find; found = find();"
            "print(*(n for n in found.unavailable if found.methods[n].paper_column))"
        )
        answer = call(program.with_name("python"), "-c", code, cwd=tmp_path)
        assert (answer.returncode, answer.stdout.strip()) == (0, ""), answer.stderr
    write_files_of_extras(tmp_path)
    for command, hint in HINTS.items():
        with subtests.test("a missing extra is one line", command=command):
            answer = run(*command.split())
            assert (answer.returncode, answer.stderr.count("\n")) == (2, 1), answer.stderr
            assert hint in answer.stderr
