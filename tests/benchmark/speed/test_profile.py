import pytest
import torch

from benchmark.speed.profile import measure_profile
from wpfs import blocks, kernels


@pytest.fixture
def threads():
    """The probe sets the threads of its process; give the others theirs back."""
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("threads")
def test_the_parts_of_a_step_are_found_and_nothing_stays_wrapped():
    before = blocks.multiply, kernels.gather_gradients
    times = measure_profile(500, rounds=2)
    assert set(times) == {"literal", "ours", "products", "kernels", "tanh", "optimiser"}
    for values in times.values():
        assert len(values) == 2
        assert min(values) > 0
    assert (blocks.multiply, kernels.gather_gradients) == before
