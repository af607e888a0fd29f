from collections.abc import Callable

from benchmark.devices import Slot
from benchmark.executors.events import Finished
from benchmark.runner import Job, Outcome
from benchmark.session import Tally


def test_failures_that_differ_in_measured_memory_only_are_one_group(
    make_tiny_jobs: Callable[..., list[Job]],
) -> None:
    errors = [
        "used 512 MB of memory, more than the 500 MB of --memory-limit",
        "ValueError: no",
        "used 1,030 MB of memory, more than the 500 MB of --memory-limit",
    ]
    failed = [
        Finished(job, Slot(0), Outcome({"status": "failed", "error": error}), 1.0)
        for job, error in zip(make_tiny_jobs("Constant"), errors, strict=False)
    ]
    groups = Tally(failed=failed).group_failures()
    assert [count for count, _ in groups] == [2, 1]
    assert groups[0][1].endswith(" used more memory than the 500 MB of --memory-limit")
