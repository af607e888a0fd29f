"""Long texts that most runs of an archive share: kept once, and in its lines by a short name."""

import hashlib
import json
from collections.abc import Mapping

import pandas as pd

#: Column -> short name -> text.
Texts = dict[str, dict[str, str]]

#: Columns in which few texts repeat.
_COLUMNS = ("dataset_checksum", "dataset_differences", "versions", "git_commit")

#: Letters of a short name. It is made of the text, so adding runs changes no lines of others.
_LENGTH = 8


def shorten_texts(runs: pd.DataFrame) -> tuple[pd.DataFrame, Texts]:
    """Replace long texts by short names.

    Parameters
    ----------
    runs
        Whose columns of texts are text.

    Returns
    -------
    DataFrame
        A copy with short names.
    dict
        The texts behind them.
    """
    runs, texts = runs.copy(), Texts()
    for column in _COLUMNS:
        long = sorted(text for text in runs[column].dropna().unique() if len(text) > _LENGTH)
        names = {text: hashlib.sha256(text.encode()).hexdigest()[:_LENGTH] for text in long}
        # A name that two texts or another value of the column would share stands for none.
        taken = [*names.values(), *runs[column].dropna().unique()]
        names = {text: name for text, name in names.items() if taken.count(name) == 1}
        runs[column] = [names.get(text, text) for text in runs[column]]
        texts[column] = {name: text for text, name in names.items()}
    return runs, texts


def parse_texts(content: bytes) -> Texts:
    """Read texts from JSON; a ``ValueError`` if it holds anything else."""
    texts = json.loads(content)
    columns = texts.values() if type(texts) is dict else [None]
    if not all(type(names) is dict and {*map(type, names.values())} <= {str} for names in columns):
        raise ValueError("it holds other things than texts")
    found: Texts = texts
    return found


def restore_texts(runs: pd.DataFrame, texts: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Return the runs that ``shorten_texts`` was given."""
    return runs.assign(
        **{
            column: [names.get(text, text) for text in runs[column]]
            for column, names in texts.items()
        }
    )
