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
    """Put the files one below the other; rows keep their order, on which the splits depend."""
    import pandas as pd

    from benchmark.datasets.derive.readers import read_samples, take_ids

    frames = [take_ids(read_samples(paths[f.name]), source.id_column) for f in source.files]
    for frame, file in zip(frames[1:], source.files[1:], strict=True):
        if list(frame.columns) != list(frames[0].columns):
            raise SourceError(f"{file.name} has other columns than {source.files[0].name}")
    frame = pd.concat(frames) if len(frames) > 1 else frames[0]
    if frame.index.duplicated().any():
        raise SourceError(f"sample {frame.index[frame.index.duplicated()][0]} occurs twice")
    target = source.target or str(frame.columns[-1])
    for column in filter(None, (target, source.groups)):
        if column not in frame.columns:
            raise SourceError(f"{source.files[0].name} has no column {column!r}")
    groups = frame.pop(source.groups) if source.groups else None
    return LabelledTable(frame.drop(columns=target), frame[target], groups)


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
    from benchmark.datasets.derive.readers import read_r_frame

    return read_r_frame(_path(source, paths, "labels"))[_target(source)].sort_index()


def _read_metabric(source: "Source", paths: Paths) -> LabelledTable:
    from benchmark.datasets.derive.metabric import read_metabric

    values, labels = read_metabric(
        _path(source, paths, "expression"), _path(source, paths, "clinical"), _target(source)
    )
    return _keep_complete(source, paths, values, labels)


def _read_scanb(source: "Source", paths: Paths) -> LabelledTable:
    from benchmark.datasets.derive.readers import read_r_frame

    values = read_r_frame(_path(source, paths, "expression")).T.sort_index()
    samples = read_r_frame(_path(source, paths, "clinical")).set_index(source.id_column)
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
