import subprocess
import sys

import pytest

from benchmark.errors import UserError
from benchmark.speed import commands
from benchmark.speed.commands import Command, measure_commands


def test_processor_time_is_that_of_the_command_and_not_the_wall_time(monkeypatch):
    start = subprocess.run

    def start_another(command, **options):
        busy = "import time; end = time.process_time() + 0.3\nwhile time.process_time() < end: pass"
        code = "import time; time.sleep(1)" if command[-1] == "sleep" else busy
        return start([sys.executable, "-c", code], **options)

    monkeypatch.setattr(commands.subprocess, "run", start_another)
    monkeypatch.setattr(
        commands, "COMMANDS", tuple(Command((name,), reads="") for name in ("sleep", "compute"))
    )
    monkeypatch.setattr(commands, "merge_results", lambda *_: None)
    asleep, busy = measure_commands(attempts=1, announce=lambda what: None)
    assert asleep["seconds"] < 0.3 <= busy["seconds"]


@pytest.mark.slow
def test_stores_of_two_sizes_are_made_for_status(monkeypatch):
    both = tuple(Command(("status",), reads=size) for size in ("store", "many"))
    monkeypatch.setattr(commands, "COMMANDS", both)
    monkeypatch.setattr(commands, "_MANY", 3000)
    found = measure_commands(attempts=1, announce=lambda what: None)
    assert [row["command"] for row in found] == ["status", "status, 3,000 records"]


def test_without_the_reference_results_nothing_is_measured(monkeypatch, tmp_path):
    monkeypatch.setattr(commands, "find_resource", lambda path: tmp_path / path)
    with pytest.raises(UserError, match="measure in a checkout"):
        measure_commands(attempts=1, announce=lambda what: None)
