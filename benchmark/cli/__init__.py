"""The command line: parsing and printing only.

One module per command. Each is imported at start, so none may import numpy, pandas, torch or
anything else that is slow at module level: ``wpfs-bench --help`` has to answer at once.
"""

from benchmark.cli.app import app, main, run_process

__all__ = ["app", "main", "run_process"]
