from benchmark.speed.profile import measure_profile
from wpfs import blocks, kernels


def test_the_parts_of_a_step_are_found_and_nothing_stays_wrapped():
    before = blocks.multiply, kernels.gather_gradients
    times = measure_profile(2000, rounds=2)
    assert {len(values) for values in times.values()} == {2}
    for place, whole in enumerate(times["ours"]):
        parts = {name: times[name][place] for name in ("products", "kernels", "tanh", "optimiser")}
        assert min(parts.values()) > 0
        assert sum(parts.values()) < whole
        assert max(parts, key=parts.__getitem__) == "products"
    assert (blocks.multiply, kernels.gather_gradients) == before
