"""Where the files that stand beside the packages are, in a checkout and in an installed wheel."""

from pathlib import Path

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
