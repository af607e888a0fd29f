"""Where the options of a command say that its data is."""

from pathlib import Path

from benchmark.cli.table_options import DataChoice
from benchmark.datasets import TableOptions


def test_the_users_table_comes_after_the_data_sets_named() -> None:
    table = TableOptions(Path("mine.csv"), target="label")
    shared = {"data_dir": None, "registries": (), "transform": None, "impute": None}
    named, own = DataChoice(table, shared).choose_sources(["prostate"], impute="median")
    assert (named.name, named.own, named.impute) == ("prostate", None, "median")
    assert (own.name, own.own, own.impute) == ("", table, "median")
