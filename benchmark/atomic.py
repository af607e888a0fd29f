"""Writing files that are either whole or absent."""

import os
from contextlib import suppress
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that others see all of it or nothing, even after a power cut."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise
