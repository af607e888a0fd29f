import pytest
import torch

from benchmark.speed.profile import measure_profile
from wpfs import kernels


@pytest.fixture
def threads():
    """The probe sets the threads of its process; give the others theirs back."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
def test_the_parts_of_a_step_are_found_and_nothing_stays_wrapped():
    before = kernels.backward_hidden
    times = measure_profile(2000, rounds=2)
    assert set(times) == {"literal", "ours", "products", "passes", "optimiser"}
    for part, values in times.items():
        assert len(values) == 2
        assert part == "passes" or min(values) > 0
    # Without the labels on our kernels next to nothing of a step would be found.
    found = sum(times["products"]) + sum(times["passes"])
    assert found > 0.3 * sum(times["ours"])
    assert kernels.backward_hidden is before
