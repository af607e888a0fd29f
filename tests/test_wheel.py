"""The built wheel works from any folder: nothing it needs was left in the checkout."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory) -> Path:
    """Build the wheel and unpack it into a folder of its own."""
    folder = tmp_path_factory.mktemp("wheel")
    build = subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(CHECKOUT)],
        capture_output=True,
        text=True,
    )
    if "No matching distribution found for hatchling" in build.stdout + build.stderr:
        pytest.skip("the build backend cannot be fetched: no package registry")
    assert build.returncode == 0, build.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def run(installed: Path, *arguments: str, cwd: Path) -> str:
    """Run the command line of the wheel, with the checkout out of sight."""
    environment = {**os.environ, "PYTHONPATH": str(installed), "WPFS_BENCH_DATA": str(cwd)}
    answer = subprocess.run(
        [sys.executable, "-P", *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env=environment,
    )
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


@pytest.mark.slow
def test_the_wheel_holds_the_packages_and_their_files(installed):
    shipped = {path.name for path in (installed / "benchmark" / "shipped").iterdir()}
    assert {"datasets.yaml", "paper.yaml"} <= shipped
    assert {"wpfs", "baselines", "benchmark"} <= {path.name for path in installed.iterdir()}
    assert not (installed / "tests").exists()


@pytest.mark.slow
def test_the_wheel_runs_from_another_folder(installed, tmp_path):
    where = run(installed, "-c", "import benchmark; print(benchmark.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(installed), "the checkout must not be in the way"
    rows = json.loads(run(installed, "-m", "benchmark", "datasets", "--json", cwd=tmp_path))
    assert "tcga-2ysurvival-standin" in {row["name"] for row in rows}


@pytest.mark.slow
def test_the_wheel_loads_data(installed, tmp_path):
    code = "from benchmark.datasets import load; print(load('synthetic').X.shape)"
    assert run(installed, "-c", code, cwd=tmp_path).strip() == "(150, 1000)"
