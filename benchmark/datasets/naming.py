"""Names of data sets that carry the size of a sample: ``metabric-dr:samples=60``."""

from benchmark.errors import UserError

#: Stands between the name of a data set and the size of a sample of it.
SIZE_MARK = ":samples="


def split_name(name: str) -> tuple[str, int | None]:
    """Split ``metabric-dr:samples=60`` into the data set's name and the size of the sample."""
    base, mark, size = name.partition(":")
    if not mark:
        return name, None
    if not (mark + size).startswith(SIZE_MARK) or not size.removeprefix("samples=").isdecimal():
        raise UserError(f"{name}: write a sample of a data set as {base}{SIZE_MARK}60")
    return base, int(size.removeprefix("samples="))
