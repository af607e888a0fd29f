"""The page: sections, facts and headline in one HTML file."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from benchmark.report.charts.style import write_css
from benchmark.report.gaps import Gap, count_kinds, find_every_gap
from benchmark.report.html.headline import write_headline
from benchmark.report.html.sections import Section, build_sections
from benchmark.report.labels import DIFFERS, STAND_IN
from benchmark.report.paper import read_paper
from benchmark.report.report import Report
from benchmark.report.table import Table

_TEMPLATES = Path(__file__).parent / "templates"

#: The first section explains the marks in full.
_SHORT_MARKS = f"{STAND_IN} stand-in, {DIFFERS} differs from the paper's: see Results."


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
    return environment.get_template("report.html").render(
        sections=_say_once(build_sections(report, gaps)),
        facts=_list_facts(report, gaps),
        headline=write_headline(report),
        origin=origin,
        style=write_css() + "\n" + (_TEMPLATES / "style.css").read_text(encoding="utf-8"),
        script=(_TEMPLATES / "sort.js").read_text(encoding="utf-8"),
        metric=report.request.metric,
        citation=read_paper().citation,
    )


def _say_once(sections: Sequence[Section]) -> list[Section]:
    """Keep each footnote below the first table that has it; later ones refer to it for marks."""
    said: set[str] = set()

    def shorten(table: Table, first: bool) -> Table:
        notes = [
            note if first or not note.startswith((STAND_IN, DIFFERS)) else _SHORT_MARKS
            for note in table.notes
        ]
        fresh = [note for note in dict.fromkeys(notes) if note not in said]
        said.update(fresh)
        return replace(table, notes=tuple(fresh))

    return [
        replace(
            section,
            tables=tuple(shorten(table, place == 0) for table in section.tables),
            folded=tuple(shorten(table, place == 0) for table in section.folded),
        )
        for place, section in enumerate(sections)
    ]


def _list_facts(report: Report, gaps: Sequence[Gap]) -> list[tuple[str, str]]:
    shown = report.runs.of_main_table
    others = report.runs.of_any_hyperparameters.drop(shown.index, errors="ignore")
    facts = [("methods", str(len(report.models))), ("data sets", str(len(report.datasets)))]
    facts += _count_runs(shown, "in the tables of methods")
    if len(others):
        facts += _count_runs(others, "of studies and other hyper-parameters")
    kinds = count_kinds(gaps) or {"missing or failed": 0}
    return [*facts, *((f"{kind} cells", str(count)) for kind, count in kinds.items())]


def _count_runs(runs: pd.DataFrame, which: str) -> list[tuple[str, str]]:
    ok = int((runs["status"] == "ok").sum())
    counts = [(f"runs {which}", f"{ok:,}")]
    if ok < len(runs):
        counts.append((f"failed runs {which}", f"{len(runs) - ok:,}"))
    return counts
