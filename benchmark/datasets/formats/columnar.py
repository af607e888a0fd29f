"""Parquet, Feather and Excel: tables with typed columns."""

import io
from collections.abc import Callable

import pandas as pd

from benchmark.datasets.formats.delimited import UNNAMED
from benchmark.datasets.formats.raw_table import Content, FormatError, RawTable, ReadOptions


def read_parquet(content: Content, options: ReadOptions) -> RawTable:
    """Read a Parquet file (extra ``parquet``)."""
    return _read_arrow(pd.read_parquet, content)


def read_feather(content: Content, options: ReadOptions) -> RawTable:
    """Read a Feather (Arrow IPC) file (extra ``parquet``)."""
    return _read_arrow(pd.read_feather, content)


def _read_arrow(read: Callable[[io.BytesIO], pd.DataFrame], content: Content) -> RawTable:
    try:
        return _to_table(read(io.BytesIO(content.data)))
    except ImportError:
        raise FormatError(
            "Parquet and Feather files need pyarrow: pip install 'wpfs-bench[parquet]', or save "
            "it as CSV"
        ) from None
    except (ValueError, OSError) as error:
        raise FormatError(f"damaged ({_first_line(error)})") from None


def read_excel(content: Content, options: ReadOptions) -> RawTable:
    """Read the first sheet of an Excel workbook (extra ``excel``)."""
    try:
        sheets = pd.ExcelFile(io.BytesIO(content.data), engine="openpyxl")
    except ImportError:
        raise FormatError(
            "Excel files need openpyxl: pip install 'wpfs-bench[excel]', or save it as CSV"
        ) from None
    except Exception as error:  # openpyxl raises whatever a broken workbook makes it stumble over
        raise FormatError(f"damaged ({_first_line(error)})") from None
    frame = pd.read_excel(sheets, dtype=dict.fromkeys(options.as_text, str) or None)
    if len(frame.columns) and str(frame.columns[0]) == UNNAMED:
        frame = frame.set_index(frame.columns[0])
    table = _to_table(frame)
    details = {"sheet": str(sheets.sheet_names[0])}
    if len(sheets.sheet_names) > 1:
        details["sheet"] += f" (the first of {len(sheets.sheet_names)})"
    return RawTable(table.frame, details=details)


def _to_table(frame: pd.DataFrame) -> RawTable:
    if isinstance(frame.columns, pd.MultiIndex):
        raise FormatError("its columns have several levels: give each column one name")
    frame.columns = frame.columns.map(str)
    if not isinstance(frame.index, pd.RangeIndex):
        if frame.index.nlevels > 1:
            raise FormatError("its rows have several levels of names: give each row one")
        frame.index = pd.Index(frame.index.astype(str), name=frame.index.name)
    elif UNNAMED in frame.columns:
        frame = frame.set_index(frame.pop(UNNAMED).astype(str).rename(None))
    return RawTable(frame)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
