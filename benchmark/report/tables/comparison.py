"""The table of our numbers beside the paper's."""

import math
from collections.abc import Sequence
from dataclasses import replace

from benchmark.errors import UserError
from benchmark.report.agreement import ComparedCell, compare, write_choice_verdict, write_verdict
from benchmark.report.labels import STAND_IN, Labels, label_methods
from benchmark.report.paper import read_paper
from benchmark.report.patients import count_hits, measure_patient_error
from benchmark.report.report import Report
from benchmark.report.table import Cell, Row, Table, Tone
from benchmark.run.metrics import Metric

_PATIENTS = (
    "Not all patients of a stand-in are the paper's, which that error leaves out. The last column "
    "divides by the standard error of our score over patients, from the share of runs that named "
    "each one's class (— if the shares of a class are all the same). As the error of a difference "
    "it is right if half of the patients are shared and score alike; it is too small, by up to "
    "√2, if fewer are, and because other patients to train on would change the score, too."
)

_YARDSTICK = (
    "The standard error is sqrt(s₁²/n + s₂²/25) of the two sets of runs. It is too small because "
    "runs share data and too large where both used the same splits; without the paper's single "
    "runs the difference cannot be paired."
)

#: Standard errors up to which a difference is green, as in the verdict, and amber.
_NEAR, _FAR = 2, 4

_LEGEND = (
    f"Colours of the standard errors: green up to {_NEAR}, amber up to {_FAR}, red beyond, "
    "whichever the sign."
)


def build_comparison(report: Report) -> list[Table]:
    """Set the main table beside the paper's."""
    cells, number = compare_main(report)
    metric, verdict = report.request.metric, write_verdict(cells)
    return [build_comparison_table(cells, metric, report.labels, number, verdict)]


def build_agreement(report: Report) -> list[Table]:
    """Build data sets x methods: how far our means are from the paper's, in standard errors."""
    cells, number = compare_main(report)
    metric, labels = report.request.metric, report.labels
    found = {(cell.dataset, cell.method): cell for cell in cells}
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    methods = list(dict.fromkeys(cell.method for cell in cells))
    title = (
        f"{metric.label}: our mean minus the paper's (Table {number}), and in brackets in standard "
        "errors"
    )
    if not cells:
        return [Table("agreement", title, "data set", (), (), (write_verdict(cells),))]

    def show(cell: ComparedCell) -> Cell:
        if not cell.n:
            return Cell(state=cell.state, failed=cell.failed)
        errors = Cell(cell.errors, digits=1, signed=True, tone=_tone(cell.errors))
        difference = Cell(cell.difference * metric.scale, digits=metric.digits, signed=True)
        return replace(errors, text=f"{difference.number} ({errors.number})", n=cell.n)

    table = Table(
        name="agreement",
        title=title,
        head="data set",
        columns=tuple(labels.title(method) for method in methods),
        rows=tuple(
            Row(
                dataset,
                tuple(show(found[dataset, method]) for method in methods),
                labels.mark(dataset),
            )
            for dataset in datasets
        ),
        legend=_LEGEND,
        notes=(write_verdict(cells), _YARDSTICK, *labels.explain_marks(datasets)),
        across="method",
    )
    return [table]


def compare_main(report: Report) -> tuple[list[ComparedCell], str]:
    """Pair the main table with the paper's; return the number of the latter, too."""
    metric = report.request.metric
    published = read_paper().tables["full"]
    if metric.column != published.metric:
        raise UserError(
            f"--compare paper: the paper reports balanced accuracy only, not {metric.title}"
        )
    columns = {model: report.labels.column(model) for model in report.models}
    stand_ins = [name for name in report.datasets if report.labels.mark(name) == STAND_IN]
    errors = {
        (dataset, model): measure_patient_error(hits)
        for dataset, model, hits in count_hits(report.runs.of_main_table, report.arrays, stand_ins)
    }
    return compare(report.scores, published, columns, report.labels, errors), published.number


def build_study_comparison(report: Report, name: str) -> list[Table]:
    """Set the variants of a study beside the paper's table of it.

    Where the paper has none because it does not mention the choice, they stand beside its main
    table, which may have been made with any of them.
    """
    found = report.find_study(name)
    paper = read_paper().tables
    published = paper.get(name, paper["full"])
    columns: dict[str, str | None] = {variant: variant for variant in found.scores.methods}
    write = write_verdict
    if name not in paper:
        in_question = [variant for variant in found.study.variants if variant.in_question]
        methods = label_methods(variant.model for variant in in_question)
        columns = {variant.label: methods[variant.model].column for variant in in_question}
        write = write_choice_verdict
    if not columns:
        raise UserError(f"--compare paper: the paper has no table for the study {name}")
    cells = compare(found.scores, published, columns, found.labels)
    metric, verdict = found.scores.metric, write(cells)
    return [
        build_comparison_table(cells, metric, found.labels, published.number, verdict, "variant")
    ]


def build_comparison_table(
    cells: Sequence[ComparedCell],
    metric: Metric,
    labels: Labels,
    number: str,
    verdict: str,
    head: str = "method",
) -> Table:
    """Build one row per data set and method: ours, the paper's, and how far apart they are.

    ``number`` is that of the paper's table, ``head`` what its columns are.
    """
    sampled = any(not math.isnan(cell.patient_error) for cell in cells)
    rows = []
    for cell in cells:
        scale, digits = metric.scale, metric.digits
        empty = Cell(state=cell.state, failed=cell.failed)
        rows.append(
            Row(
                cell.dataset,
                (
                    Cell(labels.title(cell.method)),
                    Cell(
                        cell.ours * scale, cell.our_std * scale, cell.n, digits, failed=cell.failed
                    )
                    if cell.n
                    else empty,
                    Cell(cell.paper * scale, cell.paper_std * scale, digits=digits),
                    Cell(cell.difference * scale, digits=digits, signed=True)
                    if cell.n
                    else Cell(state="missing"),
                    Cell(cell.errors, digits=2, signed=True, tone=_tone(cell.errors)),
                    *([_count_patient_errors(cell)] if sampled else []),
                ),
                mark=cell.mark,
                group=cell.dataset,
            )
        )
    title = f"{metric.label}: our runs beside the paper's Table {number}"
    if not cells:
        return Table("comparison", title, "data set", (), (), (verdict,))
    datasets = list(dict.fromkeys(cell.dataset for cell in cells))
    return Table(
        name="comparison",
        title=title,
        head="data set",
        columns=(
            *(head, "ours", "paper", "difference", "in std. errors"),
            *(["in std. errors over patients"] if sampled else []),
        ),
        rows=tuple(rows),
        keys=1,
        legend=_LEGEND,
        notes=(
            verdict,
            _YARDSTICK,
            *([_PATIENTS] if sampled else []),
            *labels.explain_marks(datasets),
            *_contradictions(cells),
        ),
    )


def _count_patient_errors(cell: ComparedCell) -> Cell:
    if cell.mark != STAND_IN:
        return Cell()
    return Cell(cell.patient_errors, digits=2, signed=True)


def _tone(errors: float) -> Tone:
    """Return the colour of a distance in standard errors, whichever its sign."""
    if math.isnan(errors):
        return ""
    return "good" if abs(errors) <= _NEAR else "warn" if abs(errors) <= _FAR else "bad"


def _contradictions(cells: Sequence[ComparedCell]) -> tuple[str, ...]:
    compared = {(cell.original, cell.column) for cell in cells}
    return tuple(
        f"{entry['note']} Compared with the latter."
        for entry in read_paper().contradictions
        if (entry["dataset"], entry.get("method")) in compared
    )
