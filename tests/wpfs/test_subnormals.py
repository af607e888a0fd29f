import torch

from wpfs.subnormals import are_flushed, flushed_subnormals


def test_subnormal_numbers_are_zero_for_a_while():
    tiny = torch.tensor([1e-40])
    assert not are_flushed()
    with flushed_subnormals():
        assert are_flushed()
        assert (tiny * 1.0).item() == 0.0
        with flushed_subnormals():
            pass
        assert are_flushed()
    assert not are_flushed()
    assert (tiny * 1.0).item() > 0.0
