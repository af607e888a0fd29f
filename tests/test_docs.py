"""The documentation names what exists: commands, tables, figures, pages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml

from benchmark.cli.app import app, attach_commands
from benchmark.cli.reference import PAGE, write_reference
from benchmark.plan.studies import STUDIES
from benchmark.report.figures.files import FIGURES
from benchmark.report.paper import read_paper
from benchmark.report.tables.registry import TABLE_NAMES

DOCS = Path(__file__).parents[1] / "docs"
PAPER = (DOCS / "paper.md").read_text(encoding="utf-8")
DEVIATIONS = (DOCS / "deviations.md").read_text(encoding="utf-8")

COMMANDS = sorted(set(re.findall(r"`wpfs-bench ([^`]+)`", PAPER + DEVIATIONS)))
CLUSTER = (DOCS / "cluster.md").read_text(encoding="utf-8")


def parse(command):
    """Parse a command line without running it; return the command's name and its values."""
    attach_commands()
    group = typer.main.get_command(app)
    name, *arguments = command.split()
    context = group.make_context("wpfs-bench", [name, *arguments])
    child = group.get_command(context, name)
    assert child is not None, f"there is no command {name}"
    return name, child.make_context(name, arguments, parent=context).params


@pytest.mark.parametrize("command", COMMANDS)
def test_command_parses_and_names_what_exists(command):
    name, values = parse(command)
    if name == "run":
        assert values["study"] is None or values["study"] in STUDIES
    if name == "report" and values["source"] == "paper":
        assert values["table"] in {"ranks", "datasets", "hyperparameters", *read_paper().tables}
    elif name == "report":
        assert values["table"] in TABLE_NAMES


def test_a_wrong_option_would_be_noticed():
    with pytest.raises(Exception, match="No such option"):
        parse("report --tabel main")


def test_every_study_and_published_table_has_its_command():
    named = {parse(command)[1].get("table") for command in COMMANDS}
    assert named >= {*STUDIES, *read_paper().tables} - {"dataset-size", "wpn"}
    studies = {parse(command)[1].get("study") for command in COMMANDS}
    assert studies >= set(STUDIES)


def test_every_figure_file_is_one_we_draw():
    section = PAPER.split("## Figures")[1].split("## Beyond")[0]
    files = re.findall(r"\| `([a-z-]+?)-?…?` \|$", section, re.MULTILINE)
    assert len(files) == 9
    assert set(files) <= set(FIGURES)


def test_every_table_and_figure_of_the_paper_is_mentioned():
    for kind, last in (("Table", 10), ("Figure", 28)):
        spans = re.findall(rf"{kind}s? (\d+)(?: (?:to|and) (\d+))?", PAPER)
        covered = {n for a, b in spans for n in range(int(a), int(b or a) + 1)}
        assert covered >= set(range(1, last + 1))


def test_contradictions_are_in_the_list_of_deviations():
    for entry in read_paper().contradictions:
        assert entry["dataset"] in DEVIATIONS
        if "method" in entry:
            assert f"{entry['main']:.2f} in Table 2" in DEVIATIONS


def test_the_page_of_commands_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == write_reference(), (
        "docs/commands.md is out of date: run `python -m benchmark.cli.reference`"
    )


def test_the_contents_of_the_book_are_its_pages():
    contents = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    named = set(re.findall(r"^ +- .+: (\S+\.md)$", contents, re.MULTILINE))
    assert {path.name for path in DOCS.glob("*.md")} <= named
    assert [name for name in named if not (DOCS / name).is_file()] == []


README = (DOCS.parent / "README.md").read_text(encoding="utf-8")


def test_the_front_page_can_be_read_to_its_end():
    words = re.findall(r"[^\s|]*\w[^\s|]*", README)
    assert len(words) <= 900, "shorten it, or move it to a page of docs/"


PAGES = [
    *DOCS.parent.glob("*.md"),
    *DOCS.glob("*.md"),
    *(DOCS.parent / ".github").rglob("*.md"),
    DOCS.parent / "results" / "README.md",
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS.parent)))
def test_links_lead_to_files_and_headings(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        name, _, heading = target.partition("#")
        if name.startswith(("http:", "https:")):
            continue
        linked = page.parent / name if name else page
        assert linked.exists(), f"{page.name} links to {target}"
        if heading:
            assert heading in list_anchors(linked), f"{page.name} links to {target}"


def list_anchors(page):
    """Return the anchors of a page's headings, as forges and the book name them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    kept = (re.sub(r"[^\w\s-]", "", heading.lower()) for heading in headings)
    return {re.sub(r"\s", "-", heading.strip()) for heading in kept}


def list_blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", CLUSTER, re.DOTALL)


def list_calls(program):
    """Return the command lines of a program in the page on clusters, continuation lines joined."""
    lines = [part.lstrip("$ ") for part in CLUSTER.replace("\\\n", " ").splitlines()]
    return [line.removeprefix(f"{program} ") for line in lines if line.startswith(program)]


def test_commands_of_the_page_on_clusters_parse():
    calls = [call.partition(" &")[0] for call in list_calls("wpfs-bench")]
    (job,) = (yaml.safe_load(block) for block in list_blocks("yaml"))
    calls.append(job["spec"]["entrypoint"].removeprefix("wpfs-bench "))
    assert len(calls) >= 6
    for call in calls:
        parse(call.replace('"', ""))


@pytest.mark.parametrize("script", list_blocks("bash"))
def test_batch_scripts_are_shell(script):
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


@pytest.mark.slow
def test_flags_of_ray_start_exist():
    pytest.importorskip("ray")
    program = Path(sys.executable).with_name("ray")
    known = subprocess.run([program, "start", "--help"], capture_output=True, text=True, check=True)
    lines = [line for line in CLUSTER.splitlines() if re.search(r"ray start|common=|-port", line)]
    named = set(re.findall(r"--[a-z][a-z-]+", "\n".join(lines))) - {"--executor", "--ray-address"}
    assert len(named) > 8
    assert named <= set(re.findall(r"--[a-z][a-z-]+", known.stdout))
