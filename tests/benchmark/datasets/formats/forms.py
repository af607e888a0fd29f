"""One cohort written in the forms people have: form -> (files, options of ``TableOptions``)."""

import gzip

import h5py
import numpy as np
import pandas as pd
import rdata
import scipy.io
import scipy.sparse


def write_csv(cohort, folder):
    path = folder / "c.csv"
    cohort.flat.to_csv(path, index_label="sample")
    return {"path": path, "id_column": "sample", "target": "class"}


def write_tsv_gz(cohort, folder):
    path = folder / "c.tsv.gz"
    path.write_bytes(gzip.compress(cohort.flat.to_csv(sep="\t", lineterminator="\r\n").encode()))
    return {"path": path, "target": "class"}


def write_european(cohort, folder):
    path = folder / "c.csv"
    text = cohort.flat.to_csv(sep=";", decimal=",", index_label="Probe")
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    return {"path": path, "id_column": "Probe", "target": "class"}


def write_transposed(cohort, folder):
    path, labels = folder / "expression.txt", folder / "clinic.csv"
    cohort.expression.T.to_csv(path, sep="\t", index_label="gene")
    shuffled = cohort.labels.to_frame("class").sample(frac=1, random_state=0)
    shuffled.insert(0, "patient", shuffled.index)
    shuffled.to_csv(labels, index=False)
    return {"path": path, "labels": labels, "target": "class"}


def write_parquet(cohort, folder):
    path = folder / "c.parquet"
    cohort.flat.to_parquet(path)
    return {"path": path, "target": "class"}


def write_feather(cohort, folder):
    path = folder / "c.feather"
    cohort.flat.reset_index(names="sample").to_feather(path)
    return {"path": path, "id_column": "sample", "target": "class"}


def write_excel(cohort, folder):
    path = folder / "c.xlsx"
    cohort.flat.to_excel(path)
    return {"path": path, "target": "class"}


def write_npz(cohort, folder):
    path = folder / "c.npz"
    np.savez(
        path,
        X=cohort.expression.to_numpy(),
        y=cohort.labels.to_numpy(dtype=str),
        feature_names=cohort.expression.columns.to_numpy(dtype=str),
        sample_ids=cohort.expression.index.to_numpy(dtype=str),
    )
    return {"path": path}


def write_mat(cohort, folder):
    path = folder / "c.mat"
    scipy.io.savemat(
        path,
        {
            "X": cohort.expression.to_numpy(),
            "Y": np.array(cohort.labels, dtype=object)[:, None],
            "feature_names": np.array(cohort.expression.columns, dtype=object),
            "sample_ids": np.array(cohort.expression.index, dtype=object),
        },
    )
    return {"path": path}


def write_gct(cohort, folder):
    path, labels = folder / "c.gct", folder / "c.cls"
    table = cohort.expression.T
    table.insert(0, "Description", "na")
    body = table.to_csv(sep="\t", index_label="NAME")
    path.write_text(f"#1.2\n{len(table)}\t{len(cohort.expression)}\n{body}")
    names = list(dict.fromkeys(cohort.labels))
    codes = " ".join(str(names.index(label)) for label in cohort.labels)
    labels.write_text(f"{len(cohort.labels)} {len(names)} 1\n# {' '.join(names)}\n{codes}\n")
    return {"path": path, "labels": labels}


def write_gct_13(cohort, folder):
    path = folder / "c13.gct"
    genes, samples = cohort.expression.shape[1], len(cohort.expression)
    lines = ["#1.3", f"{genes}\t{samples}\t1\t1"]
    lines.append("\t".join(["id", "symbol", *cohort.expression.index]))
    lines.append("\t".join(["class", "na", *cohort.labels]))
    lines += [
        "\t".join([gene, "na", *map(repr, map(float, cohort.expression[gene]))])
        for gene in cohort.expression
    ]
    path.write_text("\n".join(lines) + "\n")
    return {"path": path, "target": "class"}


def write_cbioportal(cohort, folder):
    path, labels = folder / "data_mrna.txt", folder / "data_clinical_sample.txt"
    table = cohort.expression.T
    table.insert(0, "Entrez_Gene_Id", range(1, len(table) + 1))
    table.to_csv(path, sep="\t", index_label="Hugo_Symbol")
    head = ["#Sample\tSubtype", "#id\tof the tumour", "#STRING\tSTRING", "#1\t1"]
    rows = [f"{name}\t{label}" for name, label in cohort.labels.items()]
    labels.write_text("\r".join([*head, "SAMPLE_ID\tSUBTYPE", *rows]) + "\r")
    return {"path": path, "labels": labels, "target": "SUBTYPE"}


def write_series_matrix(cohort, folder):
    path = folder / "GSE1_series_matrix.txt.gz"
    quoted = [f'"{name}"' for name in cohort.expression.index]
    subtypes = [f'"subtype: {label}"' for label in cohort.labels]
    lines = [
        '!Series_title\t"A series"',
        "\t".join(["!Sample_title", *quoted]),
        "\t".join(["!Sample_geo_accession", *quoted]),
        "\t".join(["!Sample_characteristics_ch1", *['"tissue: breast"'] * len(quoted)]),
        "\t".join(["!Sample_characteristics_ch1", *subtypes]),
        "!series_matrix_table_begin",
        cohort.expression.T.to_csv(sep="\t", index_label="ID_REF", quoting=2).rstrip("\n"),
        "!series_matrix_table_end",
    ]
    path.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode()))
    return {"path": path, "target": "subtype"}


def write_h5ad(cohort, folder, matrix=None):
    path = folder / "c.h5ad"
    names = list(dict.fromkeys(cohort.labels))
    with h5py.File(path, "w") as file:
        if matrix is None:
            file["X"] = cohort.expression.to_numpy()
        else:
            group = file.create_group("X")
            group.attrs["encoding-type"] = f"{matrix.format}_matrix"
            group.attrs["shape"] = matrix.shape
            for name in ("data", "indices", "indptr"):
                group[name] = getattr(matrix, name)
        for key, index in (("obs", cohort.expression.index), ("var", cohort.expression.columns)):
            group = file.create_group(key)
            group.attrs["_index"] = "_index"
            group.attrs["column-order"] = np.array(
                ["class"] if key == "obs" else [], dtype=h5py.string_dtype()
            )
            group["_index"] = np.array(index, dtype=h5py.string_dtype())
        column = file["obs"].create_group("class")
        column.attrs["encoding-type"] = "categorical"
        column["categories"] = np.array(names, dtype=h5py.string_dtype())
        column["codes"] = np.array([names.index(label) for label in cohort.labels], dtype=np.int8)
    return {"path": path, "target": "class"}


def write_h5ad_csr(cohort, folder):
    return write_h5ad(cohort, folder, scipy.sparse.csr_matrix(cohort.expression.to_numpy()))


def write_h5ad_csc(cohort, folder):
    return write_h5ad(cohort, folder, scipy.sparse.csc_matrix(cohort.expression.to_numpy()))


def write_rdata(cohort, folder):
    path = folder / "cohort.RData"
    frame = cohort.expression.astype(float)
    frame.index, frame.columns = (pd.Index(list(axis), dtype=object) for axis in frame.axes)
    rdata.write_rda(path, {"cohort": {"x": frame, "y": pd.Categorical(cohort.labels)}})
    return {"path": path}


FORMS = {
    name.removeprefix("write_"): writer
    for name, writer in list(globals().items())
    if name.startswith("write_")
}


class Cohort:
    """Expression (samples x genes), labels, and both in one frame."""

    def __init__(self, values: pd.DataFrame, labels: list[str]) -> None:
        self.expression = values
        self.labels = pd.Series(labels, index=values.index, name="class")
        self.flat = values.assign(**{"class": labels})
