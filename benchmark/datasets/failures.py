"""Why a data set cannot be made ready; each is one line for the summary of a download."""


def join_reasons(reasons: list[str]) -> str:
    """Put reasons of the form ``where: what`` on one line, each ``what`` only once."""
    places: dict[str, list[str]] = {}
    for reason in reasons:
        where, colon, what = reason.partition(": ")
        places.setdefault(what if colon else where, []).append(where if colon else "")
    return "; ".join(
        f"{', '.join(dict.fromkeys(where))}: {what}" if any(where) else what
        for what, where in places.items()
    )


class FetchError(Exception):
    """A file could not be got from any mirror.

    ``reasons`` holds one per mirror, of the form ``where: what``.
    """

    def __init__(self, *reasons: str) -> None:
        super().__init__(join_reasons(list(reasons)))
        self.reasons = reasons


class DigestError(FetchError):
    """A file has other bytes than the registry says."""


class SourceError(Exception):
    """The files are there, but no table can be made of them."""


class StorageError(Exception):
    """The data folder cannot take the file; no other mirror would help."""
