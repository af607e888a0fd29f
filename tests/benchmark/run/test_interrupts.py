import signal
import threading
from collections.abc import Iterator

import pytest

from benchmark.run.session import hold_interrupts, stop_on_termination


@pytest.fixture(autouse=True)
def _heed_interrupts() -> Iterator[None]:
    """Tests started in a shell's background inherit that SIGINT is ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupts_wait_for_the_end_of_the_block(number: int) -> None:
    done = []
    with stop_on_termination(), pytest.raises(KeyboardInterrupt):  # noqa: PT012
        with hold_interrupts():
            signal.raise_signal(number)
            done.append("written")
        done.append("not reached")
    assert done == ["written"]


def test_without_an_interrupt_nothing_happens_and_handlers_come_back() -> None:
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with hold_interrupts():
        pass
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_other_threads_than_the_first_leave_handlers_alone() -> None:
    entered = []

    def enter() -> None:
        with hold_interrupts(), stop_on_termination():
            entered.append(True)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert entered == [True]
