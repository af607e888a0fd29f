import threading

import numpy as np
import pytest
import torch

from wpfs.chunks import Work, count_threads, finish, reserved_threads


@pytest.fixture(params=[1, 2, 5])
def threads(request):
    torch.set_num_threads(request.param)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("rows", [1, 10, 11, 99])
def test_every_row_of_every_work_is_done_once_and_stages_wait_for_each_other(rows):
    counts = np.zeros((2, 3, rows), dtype=int)

    def stages(who):
        for stage in range(3):
            assert (counts[who, :stage] == 1).all()

            def work(start, stop, stage=stage):
                assert start % 10 == 0
                counts[who, stage, start:stop] += 1

            yield Work(work, rows, chunk=10)

    finish(stages(0), stages(1))
    assert (counts == 1).all()


@pytest.mark.usefixtures("threads")
def test_works_may_have_different_numbers_of_stages():
    done = []

    def stages(n):
        for stage in range(n):
            yield Work(lambda start, stop, stage=stage: done.append((n, stage, start)), 40, 10)

    finish(stages(1), stages(3), stages(0))
    assert {(n, stage) for n, stage, _ in done} == {(1, 0), (3, 0), (3, 1), (3, 2)}


@pytest.mark.usefixtures("threads")
def test_an_error_on_any_thread_arrives_and_the_threads_go_on():
    def fail(start, stop):
        if stop == 150:
            raise KeyError(stop)

    for _ in range(3):
        with pytest.raises(KeyError):
            finish(iter([Work(fail, 150, 10)]))
    seen = []
    finish(iter([Work(lambda start, stop: seen.append(threading.get_ident()), 150, 10)]))
    assert len(seen) == torch.get_num_threads()


def test_reserved_threads_are_pytorchs_and_go_back_after_an_error():
    torch.set_num_threads(3)
    seen = []

    def work(start, stop):
        seen.append(threading.get_ident())

    def fail_inside():
        with reserved_threads():
            finish(iter([Work(work, 150, 10)]))
            seen.append((count_threads(), torch.get_num_threads()))
            raise KeyError

    with pytest.raises(KeyError):
        fail_inside()
    *shares, inside = seen
    assert len(shares) == 3
    assert inside == (3, 1)
    assert (count_threads(), torch.get_num_threads()) == (3, 3)
