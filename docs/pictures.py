"""Draws the pictures of README: a run in a terminal and the top of the report.

Run from the repository's root: ``python docs/pictures.py``, with ``run`` or ``report`` for one
of them. Needs tmux and Chromium; the first shows times, so let the machine do nothing else.
"""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.text import Text

DOCS = Path(__file__).parent
BIN = Path(sys.executable).parent
WIDTH, HEIGHT = 96, 60


def draw_terminal(command: str, folder: str, path: Path) -> None:
    """Run a command in a terminal, in a folder, and write its last screen as SVG."""
    session = ["tmux", "-L", "pictures"]
    size = ["-x", str(WIDTH), "-y", str(HEIGHT), "-c", folder]
    subprocess.run([*session, "new-session", "-d", *size, "bash", "--norc"], check=True)
    try:
        prompt = f"PATH={shlex.quote(str(BIN))}:$PATH PS1='$ '; clear; {command}; tmux wait -S done"
        subprocess.run([*session, "send-keys", prompt, "Enter"], check=True)
        subprocess.run([*session, "wait", "done"], check=True)
        time.sleep(0.5)
        capture = [*session, "capture-pane", "-e", "-p"]
        screen = subprocess.run(capture, check=True, capture_output=True, text=True).stdout
    finally:
        subprocess.run([*session, "kill-server"], check=True)
    lines = screen.rstrip().splitlines()[:-1]  # the last one is the next prompt
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi("\n".join([f"$ {command}", *lines])))
    svg = console.export_svg(title="", clear=True)
    # Pages that show pictures load no fonts from elsewhere.
    path.write_text(re.sub(r"@font-face \{.*?\}\n", "", svg, flags=re.DOTALL), encoding="utf-8")


def draw_page(page: Path, path: Path) -> None:
    """Write the top of an HTML page as PNG."""
    browser = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    size = ["--window-size=1200,1000", f"--screenshot={path}", page.as_uri()]
    subprocess.run([*browser, *quiet, *size], check=True, capture_output=True)


def main() -> None:
    """Draw those that are asked for, both if none is."""
    wanted = sys.argv[1:] or ["run", "report"]
    with tempfile.TemporaryDirectory() as folder:
        if "run" in wanted:
            shutil.copy("demo.yaml", folder)
            draw_terminal("wpfs-bench run --config demo.yaml", folder, DOCS / "run.svg")
        if "report" in wanted:
            page = Path(folder) / "report.html"
            report = ["report", "--results", "results/reference", "--format", "html"]
            subprocess.run([BIN / "wpfs-bench", *report, "--output", page], check=True)
            draw_page(page, DOCS / "report.png")


if __name__ == "__main__":
    main()
