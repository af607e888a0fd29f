"""Names of data sets that carry a sample's size or a transform: ``lung:samples=60+log2p1``."""

from benchmark.errors import UserError

#: The built-in data set, which needs no file.
SYNTHETIC = "synthetic"

#: Stands between the name of a data set and the size of a sample of it.
SIZE_MARK = ":samples="


TRANSFORMS = ("log2p1",)


def parse_sample(name: str) -> tuple[str, int | None]:
    """Return the data set's name and the sample's size of ``metabric-dr:samples=60``."""
    base, mark, size = name.partition(":")
    if not mark:
        return name, None
    if not (mark + size).startswith(SIZE_MARK) or not size.removeprefix("samples=").isdecimal():
        raise UserError(f"{name}: write a sample of a data set as {base}{SIZE_MARK}60")
    return base, int(size.removeprefix("samples="))


def is_made(name: str) -> bool:
    """Return whether a data set is a synthetic one, whose truth is known."""
    return parse_transform(name)[0].partition(":")[0] == SYNTHETIC


def parse_transform(name: str) -> tuple[str, str | None]:
    """Return the data set's name and the transform of ``lung+log2p1``."""
    base, plus, suffix = name.rpartition("+")
    return (base, suffix) if plus and suffix in TRANSFORMS else (name, None)
