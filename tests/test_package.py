"""What pyproject.toml promises of versions and extras is what is tested and installed."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]

#: Extras that the suite does not install: they want weights from the network, or a cluster.
UNTESTED = {"tabpfn", "tabicl", "modern", "ray"}


def read_pins(name: str) -> dict[str, Version]:
    lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
    pins = [line.split("==") for line in lines if not line.startswith("#")]
    return {name.lower().replace("_", "-"): Version(version) for name, version in pins}


def list_tested() -> list[Requirement]:
    offered = [extra for extra in EXTRAS if extra not in {"all", "test", "docs", "dev", *UNTESTED}]
    lines = [*PROJECT["dependencies"], *(line for extra in offered for line in EXTRAS[extra])]
    return [Requirement(line) for line in lines]


@pytest.mark.parametrize("requirement", list_tested(), ids=lambda each: each.name)
def test_the_lower_bound_is_the_version_that_is_tested(requirement):
    lowest = read_pins("constraints-lowest.txt")[requirement.name]
    bounds = [Version(each.version) for each in requirement.specifier if each.operator == ">="]
    assert bounds == [Version("2.13") if requirement.name == "torch" else lowest]
    assert requirement.specifier.contains(lowest)
    assert requirement.specifier.contains(read_pins("constraints.txt")[requirement.name])


def test_all_is_every_extra_a_user_may_want():
    (everything,) = EXTRAS["all"]
    assert Requirement(everything).extras == EXTRAS.keys() - {"all", "test", "docs", "dev"}


def test_every_place_names_the_same_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert str(citation["version"]) == PROJECT["version"]
    headings = re.findall(
        r"^## \[(\d[^]]*)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert headings[0] == PROJECT["version"]
