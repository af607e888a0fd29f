"""What a run gave; a module of its own, because processes that only pass it on stay light."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Outcome:
    """What a run gave.

    Parameters
    ----------
    record
        Fields of the result record besides the key's; ``status`` is ``ok``, ``failed`` or
        ``timeout``.
    arrays
        For the npz beside the record; None unless the run is ``ok``.
    spoils_process
        Whether the process should do no further run: its GPU may be unusable.
    """

    record: dict[str, Any]
    arrays: "dict[str, np.ndarray] | None" = None
    spoils_process: bool = False

    @property
    def status(self) -> str:
        """One of ``ok``, ``failed``, ``timeout``."""
        return self.record["status"]
