"""From a path to a ``RawTable``: unpack, recognise the format by content and name, read."""

import bz2
import gzip
import io
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmark.datasets.formats.arrays import read_mat, read_npz
from benchmark.datasets.formats.cbioportal import ENTREZ, SYMBOL, read_cbioportal
from benchmark.datasets.formats.columnar import read_excel, read_feather, read_parquet
from benchmark.datasets.formats.delimited import read_delimited
from benchmark.datasets.formats.gct import read_gct
from benchmark.datasets.formats.h5ad import read_h5ad
from benchmark.datasets.formats.r_data import read_r
from benchmark.datasets.formats.raw_table import Content, FormatError, RawTable, ReadOptions
from benchmark.datasets.formats.series_matrix import read_series_matrix
from benchmark.errors import UserError
from benchmark.text import suggest_name


@dataclass(frozen=True)
class Format:
    """A format: how it is recognised and read.

    Parameters
    ----------
    title
        For people.
    read
        The reader.
    start
        Pattern of its first bytes; decides before any name does.
    suffixes
        Endings of its files' names.
    """

    title: str
    read: Callable[[Content, ReadOptions], RawTable]
    start: re.Pattern[bytes] | None = None
    suffixes: tuple[str, ...] = ()


_LINE = rb"(?:\xef\xbb\xbf)?"

#: Name -> format, in the order in which contents are tried; delimited text is what is left.
FORMATS: Mapping[str, Format] = {
    "parquet": Format("Parquet", read_parquet, re.compile(rb"PAR1"), (".parquet", ".pq")),
    "feather": Format("Feather", read_feather, re.compile(rb"ARROW1|FEA1"), (".feather", ".arrow")),
    "mat": Format("MATLAB", read_mat, re.compile(rb"MATLAB \d"), (".mat",)),
    "h5ad": Format("h5ad", read_h5ad, re.compile(rb"\x89HDF"), (".h5ad", ".h5")),
    "r": Format("R data", read_r, re.compile(rb"RD[AX][23]\n|[XAB]\n"), (".rdata", ".rda", ".rds")),
    "gct": Format("GCT", read_gct, re.compile(_LINE + rb"#1\.[23]\s*[\r\n]"), (".gct",)),
    "series-matrix": Format(
        "GEO series matrix", read_series_matrix, re.compile(_LINE + rb"\s*!(Series|Sample)_")
    ),
    "cbioportal": Format(
        "cBioPortal expression",
        read_cbioportal,
        re.compile(_LINE + f"({SYMBOL}|{ENTREZ})\t".encode()),
    ),
    "npz": Format("numpy", read_npz, None, (".npz",)),
    "excel": Format("Excel", read_excel, None, (".xlsx", ".xlsm")),
    "delimited": Format("delimited text", read_delimited, None, (".csv", ".tsv", ".txt", ".tab")),
}

_PACKINGS: Mapping[str, tuple[bytes, Callable[[bytes], bytes], tuple[str, ...]]] = {
    "gzip": (b"\x1f\x8b", gzip.decompress, (".gz", ".gzip")),
    "bzip2": (b"BZh", bz2.decompress, (".bz2",)),
    "xz": (b"\xfd7zXZ", lzma.decompress, (".xz",)),
}


def read_file(
    path: Path, format_name: str | None = None, options: ReadOptions | None = None
) -> RawTable:
    """Read a file.

    Parameters
    ----------
    path
        Of the file; gzip, bzip2, xz and zip are unpacked.
    format_name
        A key of ``FORMATS`` where content and name mislead.
    options
        What the reader may have to be told.

    Raises
    ------
    FormatError
        If it cannot be read; the message does not name the file.
    UserError
        If there is no such file or format.
    """
    if format_name is not None and format_name not in FORMATS:
        hint = suggest_name(format_name, FORMATS) or f"use one of {', '.join(FORMATS)}"
        raise UserError(f"--format {format_name}: unknown, {hint}")
    content = unpack(path)
    name = format_name or recognise(content)
    table = FORMATS[name].read(content, options or ReadOptions())
    title = FORMATS[name].title
    packed = f", {content.packing}" if content.packing else ""
    return replace(table, details={"format": f"{title}{packed}", **table.details})


def unpack(path: Path) -> Content:
    """Read a file's bytes and undo its compression."""
    if not path.exists():
        raise UserError(f"{path}: no such file")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    if not data:
        raise FormatError("the file is empty")
    name, packing = path.name, ""
    try:
        for packing_name, (magic, decompress, suffixes) in _PACKINGS.items():
            if data.startswith(magic):
                data, packing = decompress(data), packing_name
                if Path(name).suffix.lower() in suffixes:
                    name = Path(name).stem
                break
        if data.startswith(b"PK\x03\x04") and _is_plain_zip(name):
            name, data = _open_zip(data)
            packing = "zip"
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile) as error:
        raise FormatError(f"damaged ({error})") from None
    if not data:
        raise FormatError("the file is empty")
    return Content(path, name, data, packing)


def recognise(content: Content) -> str:
    """Return the key of ``FORMATS`` that fits the content, else the name."""
    if content.suffix == ".mat":
        return "mat"  # version 7.3 is HDF5, and version 4 begins with numbers
    for name, known in FORMATS.items():
        if known.start is not None and known.start.match(content.data):
            return name
    for name, known in FORMATS.items():
        if content.suffix in known.suffixes:
            return name
    if b"\x00" in content.data[:4096] and not content.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        titles = ", ".join(known.title for known in FORMATS.values())
        raise FormatError(f"unknown format; known are {titles} (say which with --format)")
    return "delimited"


def _is_plain_zip(name: str) -> bool:
    """Whether a zip file is a compression, not a format that happens to be one."""
    return Path(name).suffix.lower() not in (*FORMATS["npz"].suffixes, *FORMATS["excel"].suffixes)


def _open_zip(data: bytes) -> tuple[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [
            info
            for info in archive.infolist()
            if not info.is_dir() and not info.filename.startswith("__MACOSX")
        ]
        if len(members) != 1:
            raise FormatError(f"the zip archive holds {len(members)} files, not one: unpack it")
        return Path(members[0].filename).name, archive.read(members[0])
