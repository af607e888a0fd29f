"""``python -m benchmark``."""

from benchmark.cli.app import main

if __name__ == "__main__":
    main()
