"""The table that runs learnt from, if it is at hand: names of features, values, labels."""

from dataclasses import replace

from benchmark.datasets.dataset import Dataset
from benchmark.datasets.loading import DataSource
from benchmark.errors import UserError
from benchmark.genes.lists import GeneLists


def find_table(source: DataSource, checksum: str) -> tuple[Dataset | None, str]:
    """Load the table that runs learnt from.

    Parameters
    ----------
    source
        Where it should be.
    checksum
        Of its content when it was learnt from.

    Returns
    -------
    tuple
        The table and an empty text, or None and why it is not at hand.

    Raises
    ------
    UserError
        If a file of the user's cannot be read, or is another table: it was asked for.
    """
    try:
        dataset = source.load()
        if dataset.checksum != checksum:
            raise UserError(
                f"the table {dataset.name} at hand is not the one that the runs learnt from"
            )
    except UserError as error:
        if source.own is not None:
            raise
        return None, str(error)
    return dataset, ""


def add_table(genes: GeneLists) -> GeneLists:
    """Return lists with the table of their data set's name, if it is at hand."""
    if genes.table is not None:
        return genes
    runs = next(iter(genes.selections.values())).runs
    source = DataSource(genes.dataset, impute="median")
    found, _ = find_table(source, str(runs["dataset_checksum"].iloc[0]))
    return genes if found is None else replace(genes, table=found, names=found.feature_names)
