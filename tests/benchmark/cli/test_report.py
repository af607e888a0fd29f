"""``wpfs-bench report`` as a user calls it."""

import json

from typer.testing import CliRunner

from benchmark.cli import report as _attaches  # noqa: F401
from benchmark.cli.app import app

runner = CliRunner()


def call(*arguments):
    return runner.invoke(app, ["report", *arguments], catch_exceptions=False)


def test_paper_source_prints_table_2_with_its_average_ranks():
    result = call("--source", "paper", "--table", "main")
    assert result.exit_code == 0
    last = next(line for line in result.output.splitlines() if "average rank" in line)
    ranks = ["2.66", "6.66", "7.88", "6.22", "11", "4.33", "4.33", "10", "4.44", "4.55", "3.44"]
    assert last.split()[2:] == ranks
    assert "52.79 in Table 10" in result.output
    assert "48.81 in Table 10" in result.output


def test_paper_source_as_json_holds_every_number():
    document = json.loads(call("--source", "paper", "--table", "full", "-f", "json").output)
    rows = {row["label"]: row["cells"] for row in document[0]["rows"]}
    assert rows["cll"][0] == {
        "value": 79.14,
        "std": 4.45,
        "n": 25,
        "failed": 0,
        "state": "ok",
    }
