"""docs/genes.md: every command runs, and gives the figures that stand beside it."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[1] / "docs" / "genes.md").read_text(encoding="utf-8")
COMMANDS = [
    line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()
]
ROWS = re.findall(
    r"^\| ([A-Z0-9]+) \| (\d) \| ([\d.]+) \| (\d+%) \| (\S+) \| ([\d.]+) \|$", PAGE, re.M
)
SETS = "h.all.v6.2.symbols.gmt"


@pytest.mark.realdata
@pytest.mark.slow
def test_the_page_leads_from_runs_to_lists(cli, mirror, tmp_path, monkeypatch):
    shutil.copy(mirror / SETS, tmp_path / SETS)
    monkeypatch.setenv("WPFS_BENCH_MIRROR", str(mirror))
    monkeypatch.setenv("WPFS_BENCH_DATA", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    printed = {}
    for command in COMMANDS:
        program, *arguments = shlex.split(command)
        assert program == "wpfs-bench"
        answer = cli(*arguments, columns=140)
        assert answer.code == 0, f"{command}: {answer.err}"
        printed[command] = re.sub(r"[ \n]+", " ", answer.out)
    consensus, stability, agreement, enrichment = (
        next(text for command, text in printed.items() if part in command)
        for part in ("--top 20", "--table stability", "--table agreement", "--table enrichment")
    )
    assert len(ROWS) == 5
    for place, (gene, *cells) in enumerate(ROWS, start=1):
        assert " ".join([gene, str(place), *cells]) in consensus
    assert "ESR1 9 " in consensus
    assert "FOXC1 11 " in consensus
    assert "FOXA1" not in consensus
    assert re.search(r"pls-da 50 best 50 ± 0 0\.70", stability)
    assert re.search(r"linear-svm 50 best 50 ± 0 0\.38", stability)
    assert (
        "shrunken-centroids: as far as 25 runs tell, they select no more alike than chance"
        in stability
    )
    assert re.search(r"1 filter-svm 1 \.15 \.25 \.97", agreement)
    evaluated = next(text for command, text in printed.items() if "evaluate" in command)
    assert re.search(r"pls-da 50 94\.6 ± [\d.]+ 92\.1 ± [\d.]+ 94\.5 ±", evaluated)
    assert re.search(r"Warning: no better than random genes.*pls-da", evaluated)
    assert re.search(r"ESTROGEN_RESPONSE_EARLY 15 156 2\.6 .*ESTROGEN_RESPONSE_LATE 13 145 2\.4", enrichment)  # fmt: skip  # noqa: E501
    assert "was cut to the genes of imp_genes_list.csv" in enrichment
    assert (tmp_path / "genes.txt").read_text().startswith("SPDEF\n")
    assert len((tmp_path / "genes.rnk").read_text().splitlines()) == 3027
    assert (tmp_path / "genes.tsv").read_text().splitlines()[1].startswith("SPDEF\t1\t1\t")
    assert 'id="genes"' in (tmp_path / "basal.html").read_text()
    # The archive names the same genes where nothing else is at hand.
    monkeypatch.setenv("WPFS_BENCH_DATA", str(tmp_path / "elsewhere"))
    answer = cli("genes", "--results", "basal-archive", "--format", "list")
    assert answer.out.split()[:15] == (tmp_path / "genes.txt").read_text().split()[:15]
