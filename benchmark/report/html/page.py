"""The page: sections, facts and headline in one HTML file."""

from dataclasses import replace
from pathlib import Path

from benchmark.report.charts.style import write_css
from benchmark.report.gaps import find_every_gap
from benchmark.report.html.headline import write_headline
from benchmark.report.html.sections import Section, build_sections
from benchmark.report.labels import DIFFERS, STAND_IN
from benchmark.report.paper import read_paper
from benchmark.report.report import Report
from benchmark.report.table import Table

_TEMPLATES = Path(__file__).parent / "templates"


def render_page(report: Report, origin: str) -> str:
    """Write a report on the results folder ``origin`` as one HTML file that needs nothing else."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    gaps = find_every_gap(report)
    first, *others = build_sections(report, gaps)
    return environment.get_template("report.html").render(
        sections=[first, *(_shorten_marks(section) for section in others)],
        facts=_list_facts(report, len(gaps)),
        headline=write_headline(report),
        origin=origin,
        style=write_css() + "\n" + (_TEMPLATES / "style.css").read_text(encoding="utf-8"),
        script=(_TEMPLATES / "sort.js").read_text(encoding="utf-8"),
        metric=report.request.metric,
        citation=read_paper().citation,
    )


def _shorten_marks(section: Section) -> Section:
    """Refer to the data section for the marks that the first section explained in full."""

    def shorten(table: Table) -> Table:
        kept = [note for note in table.notes if not note.startswith((STAND_IN, DIFFERS))]
        if len(kept) < len(table.notes):
            kept.append(f"{STAND_IN} stand-in, {DIFFERS} differs from the paper's: see Results.")
        return replace(table, notes=tuple(kept))

    return replace(
        section,
        tables=tuple(shorten(table) for table in section.tables),
        folded=tuple(shorten(table) for table in section.folded),
    )


def _list_facts(report: Report, gaps: int) -> list[tuple[str, str]]:
    runs = report.runs.of_any_hyperparameters
    ok = int((runs["status"] == "ok").sum())
    return [
        ("methods", str(len(report.models))),
        ("data sets", str(len(report.datasets))),
        ("runs", f"{ok:,}"),
        ("failed runs", f"{len(runs) - ok:,}"),
        ("cells missing, failed or incomplete", str(gaps)),
    ]
