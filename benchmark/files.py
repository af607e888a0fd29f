"""Files: written whole or not at all, and those that ship with the suite."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that others see all of it or nothing, even after a power cut.

    What exists and is no regular file, as ``/dev/stdout``, is written to and not replaced.
    """
    if path.exists() and not path.is_file():
        path.write_bytes(content)
        return
    # Not the process id: two machines may write to one folder.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = str(path)  # not the temporary file, and where it is unknown
        raise


_PACKAGE = Path(__file__).resolve().parent


def find_resource(checkout_path: str) -> Path:
    """Return the path of a file that ships with the suite.

    Parameters
    ----------
    checkout_path
        Its path from the top of the repository, for example ``results/paper.yaml``.
    """
    checkout = _PACKAGE.parent
    if (checkout / "pyproject.toml").is_file():
        return checkout / checkout_path
    return _PACKAGE / "shipped" / Path(checkout_path).name
