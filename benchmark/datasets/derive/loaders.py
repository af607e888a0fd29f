"""The loaders that a registry can name: what files each needs and how it reads them.

The registry reads this table to check itself, so pandas is imported by the loaders that run.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import pandas as pd

    from benchmark.datasets.registry import Source

#: File name -> where it is.
Paths = Mapping[str, Path]


class SourceError(Exception):
    """The files are there, but no table can be made of them."""


@dataclass(frozen=True)
class LabelledTable:
    """Features (samples × D), and per sample a label and perhaps a group."""

    features: "pd.DataFrame"
    labels: "pd.Series"
    groups: "pd.Series | None" = None


@dataclass(frozen=True)
class Loader:
    """A way to read the files of a source.

    Parameters
    ----------
    read
        Makes a table of the files.
    roles
        Roles of the files: one file each, of ``table`` one or more.
    rows
        ``all`` that are read; or the ``cohort`` of 200 drawn from all labels as the authors did;
        or that cohort with patients ``replaced`` whose values are not published.
    """

    read: "Callable[[Source, Paths], LabelledTable]"
    roles: tuple[str, ...]
    rows: Literal["all", "cohort", "replaced"] = "cohort"


def _read_table(source: "Source", paths: Paths) -> LabelledTable:
    """Stack the rows of the files; they keep their order, on which the splits depend."""
    import pandas as pd

    from benchmark.datasets.derive.readers import read_labelled

    given = source.target, source.id_column, source.groups
    parts = [read_labelled(paths[file.name], *given) for file in source.files]
    first = parts[0]
    for part, file in zip(parts[1:], source.files[1:], strict=True):
        if list(part.features.columns) != list(first.features.columns):
            raise SourceError(f"{file.name} has other columns than {source.files[0].name}")
    features = pd.concat([part.features for part in parts])
    if features.index.duplicated().any():
        raise SourceError(f"sample {features.index[features.index.duplicated()][0]} occurs twice")
    labels = pd.concat([part.labels for part in parts])
    groups = [part.groups for part in parts if part.groups is not None]
    return LabelledTable(features, labels, pd.concat(groups) if groups else None)


def _read_tcga_table(source: "Source", paths: Paths) -> LabelledTable:
    from benchmark.datasets.derive.tcga import read_full_table

    values, labels = read_full_table(_path(source, paths, "expression"), _target(source))
    return _keep_complete(source, paths, values, labels)


def _read_tcga_firehose(source: "Source", paths: Paths) -> LabelledTable:
    from benchmark.datasets.derive.tcga import read_firehose

    values = read_firehose(_path(source, paths, "expression"))
    return LabelledTable(_keep_genes(source, paths, values), _read_tcga_labels(source, paths))


def _read_tcga_standin(source: "Source", paths: Paths) -> LabelledTable:
    from benchmark.datasets.derive.tcga import read_published_samples

    values = read_published_samples([paths[file.name] for file in source.files_of("table")])
    return LabelledTable(values, _read_tcga_labels(source, paths))


def _read_tcga_labels(source: "Source", paths: Paths) -> "pd.Series":
    """Read the labels of all patients, with values or without: the cohort is drawn from all."""
    from benchmark.datasets.derive.readers import read_raw

    return read_raw(_path(source, paths, "labels")).frame[_target(source)].sort_index()


def _read_metabric(source: "Source", paths: Paths) -> LabelledTable:
    from benchmark.datasets.derive.metabric import read_metabric

    values, labels = read_metabric(
        _path(source, paths, "expression"), _path(source, paths, "clinical"), _target(source)
    )
    return _keep_complete(source, paths, values, labels)


def _read_scanb(source: "Source", paths: Paths) -> LabelledTable:
    from benchmark.datasets.derive.readers import read_raw

    values = read_raw(_path(source, paths, "expression")).frame.T.sort_index()
    samples = read_raw(_path(source, paths, "clinical")).frame.set_index(source.id_column)
    return _keep_complete(source, paths, values, samples[_target(source)])


LOADERS: Mapping[str, Loader] = {
    "table": Loader(_read_table, ("table",), rows="all"),
    "mat": Loader(_read_table, ("table",), rows="all"),
    "tcga-table": Loader(_read_tcga_table, ("expression", "genes")),
    "tcga-firehose": Loader(_read_tcga_firehose, ("expression", "labels", "genes")),
    "tcga-standin": Loader(_read_tcga_standin, ("table", "labels"), rows="replaced"),
    "metabric": Loader(_read_metabric, ("expression", "clinical", "genes")),
    "scanb": Loader(_read_scanb, ("expression", "clinical", "genes")),
}


def _path(source: "Source", paths: Paths, role: str) -> Path:
    return paths[source.files_of(role)[0].name]


def _target(source: "Source") -> str:
    if source.target is None:
        raise SourceError(f"loader {source.loader!r} needs a target")
    return source.target


def _keep_genes(source: "Source", paths: Paths, values: "pd.DataFrame") -> "pd.DataFrame":
    """Keep the listed genes, and the samples with a value for each."""
    from benchmark.datasets.derive.cohort import keep_genes, read_gene_list

    return keep_genes(values, read_gene_list(_path(source, paths, "genes"))).dropna()


def _keep_complete(
    source: "Source", paths: Paths, values: "pd.DataFrame", labels: "pd.Series"
) -> LabelledTable:
    values = _keep_genes(source, paths, values)
    return LabelledTable(values, labels.loc[values.index])
