"""Refusing, in one message, all data sets that are not downloaded yet."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmark.datasets.folder import find_data_folder
from benchmark.datasets.naming import split_name, split_transform
from benchmark.datasets.registry import SYNTHETIC, find_entry
from benchmark.datasets.state import find_state
from benchmark.errors import UserError


def check_ready(
    names: Iterable[str], data_dir: Path | None = None, registries: Sequence[Path] = ()
) -> None:
    """Raise one ``UserError`` that names every data set ``load`` could not load.

    Parameters
    ----------
    names
        As ``load`` takes them: with sample sizes and transforms, and ``synthetic``, too.
    data_dir, registries
        As for ``load``.
    """
    folder = find_data_folder(data_dir)
    bases = dict.fromkeys(
        split_name(base)[0]
        for base in (split_transform(name)[0] for name in names)
        if base.partition(":")[0] != SYNTHETIC
    )
    entries = [find_entry(base, registries) for base in bases]
    missing = [entry for entry in entries if not find_state(entry, folder).ready]
    if not missing:
        return
    homes = {entry.registry for entry in missing}
    words = ["wpfs-bench download", *(entry.name for entry in missing)]
    words += [f"--registry {path}" for path in registries if Path(path) in homes]
    words += [f"--data-dir {data_dir}"] if data_dir else []
    what = (
        f"data set {missing[0].name!r} is" if len(missing) == 1 else f"{len(missing)} data sets are"
    )
    raise UserError(f"{what} not ready in {folder.root}, run `{' '.join(words)}`")
