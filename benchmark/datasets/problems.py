"""Why a data set cannot be made ready; each is one line for the summary of a download."""


class FetchError(Exception):
    """A file could not be got from any mirror."""


class DigestError(FetchError):
    """A file has other bytes than the registry says."""


class SourceError(Exception):
    """The files are there, but no table can be made of them."""


class StorageError(Exception):
    """The data folder cannot take the file; no other mirror would help."""
