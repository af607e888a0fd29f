"""``python -m benchmark``."""

from benchmark.cli.app import run_process

if __name__ == "__main__":
    run_process()
