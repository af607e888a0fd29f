"""AnnData's h5ad files, read with h5py: X or a layer, obs as facts on samples, var as genes."""

import io
from typing import Any

import numpy as np
import pandas as pd

from benchmark.datasets.formats.raw_table import Content, FormatError, RawTable, ReadOptions


def read_h5ad(content: Content, options: ReadOptions) -> RawTable:
    """Read an h5ad file (samples in rows), dense or sparse."""
    try:
        import h5py
    except ImportError:
        raise FormatError("h5ad files need h5py: pip install 'wpfs-bench[h5ad]'") from None
    try:
        with h5py.File(io.BytesIO(content.data), "r") as file:
            if "X" not in file and options.layer is None:
                raise FormatError(f"no X: it holds {', '.join(file) or 'nothing'}")
            if "obs" not in file or "var" not in file:
                raise FormatError("no obs and var: it is HDF5, but not an h5ad file")
            node, where = file.get("X"), "X"
            if options.layer is not None:
                layers = file.get("layers", {})
                if options.layer not in layers:
                    known = ", ".join(layers) or "none"
                    raise FormatError(f"no layer {options.layer!r}: it has {known}")
                node, where = layers[options.layer], f"layer {options.layer}"
            values, sparse = _read_matrix(node)
            obs, var = _read_frame(file["obs"]), _read_frame(file["var"])
    except (OSError, KeyError, ValueError, RuntimeError) as error:
        raise FormatError(f"damaged ({str(error)[:120]})") from None
    if values.shape != (len(obs), len(var)):
        raise FormatError(f"{where} is {values.shape}, obs and var are {len(obs)} and {len(var)}")
    frame = pd.DataFrame(values, index=obs.index, columns=var.index)
    return RawTable(frame, False, obs, details={"matrix": f"{where}{', sparse' * sparse}"})


def _read_matrix(node: Any) -> tuple[np.ndarray, bool]:
    import h5py

    if isinstance(node, h5py.Dataset):
        return node[()], False
    from scipy.sparse import csc_matrix, csr_matrix

    kind = _text(node.attrs.get("encoding-type", node.attrs.get("h5sparse_format", "")))
    shape = tuple(int(n) for n in node.attrs.get("shape", node.attrs.get("h5sparse_shape")))
    make = csc_matrix if kind.startswith("csc") else csr_matrix
    return make((node["data"][()], node["indices"][()], node["indptr"][()]), shape).toarray(), True


def _read_frame(group: Any) -> pd.DataFrame:
    index_name = _text(group.attrs.get("_index", "_index"))
    index = pd.Index([str(text) for text in _read_column(group, index_name)], name=None)
    names = [_text(name) for name in group.attrs.get("column-order", ())]
    return pd.DataFrame({name: _read_column(group, name) for name in names}, index=index)


def _read_column(group: Any, name: str) -> list[Any]:
    """Return a column's values, None for missing ones."""
    import h5py

    node = group[name]
    if isinstance(node, h5py.Group):
        if "codes" in node:
            names = [_plain(value) for value in node["categories"][()]]
            return [names[code] if code >= 0 else None for code in node["codes"][()]]
        mask = node["mask"][()]
        pairs = zip(node["values"][()], mask, strict=True)
        return [None if hidden else _plain(value) for value, hidden in pairs]
    values = [_plain(value) for value in node[()]]
    # Files written before AnnData 0.8 keep the names of categories apart.
    if "categories" in node.attrs:
        names = [_plain(value) for value in group[node.attrs["categories"]][()]]
        return [names[int(code)] if int(code) >= 0 else None for code in values]
    return values


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.item() if isinstance(value, np.generic) else value


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)
