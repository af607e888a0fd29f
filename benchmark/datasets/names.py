"""Names of data sets that carry a sample's size or a transform: ``lung:samples=60+log2p1``."""

from benchmark.errors import UserError

#: Stands between the name of a data set and the size of a sample of it.
SIZE_MARK = ":samples="


TRANSFORMS = ("log2p1",)


def split_name(name: str) -> tuple[str, int | None]:
    """Split ``metabric-dr:samples=60`` into the data set's name and the size of the sample."""
    base, mark, size = name.partition(":")
    if not mark:
        return name, None
    if not (mark + size).startswith(SIZE_MARK) or not size.removeprefix("samples=").isdecimal():
        raise UserError(f"{name}: write a sample of a data set as {base}{SIZE_MARK}60")
    return base, int(size.removeprefix("samples="))


def split_transform(name: str) -> tuple[str, str | None]:
    """Split ``lung+log2p1`` into the data set's name and the transform."""
    base, plus, suffix = name.rpartition("+")
    return (base, suffix) if plus and suffix in TRANSFORMS else (name, None)
