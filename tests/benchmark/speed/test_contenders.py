import torch
from torch import nn

from benchmark.speed.contenders import BATCH, PlainWPFS, _build_ours, build_step
from benchmark.speed.measurement import CONTENDERS


def test_every_contender_takes_steps():
    torch.set_num_threads(1)
    for name in CONTENDERS:
        step = build_step(name, 40)
        step()
        step()


def test_all_networks_have_the_same_parameters():
    embeddings = torch.rand(40, 50)
    counts = {
        sum(p.numel() for p in network.parameters())
        for network in (
            PlainWPFS(embeddings, diagonal=True),
            PlainWPFS(embeddings, diagonal=False),
            _build_ours(embeddings),
        )
    }
    assert counts == {83_953}


def test_the_diagonal_product_changes_nothing_but_the_time():
    torch.manual_seed(0)
    embeddings, x = torch.rand(40, 50), torch.randn(BATCH, 40)
    literal = PlainWPFS(embeddings, diagonal=True).eval()
    plain = PlainWPFS(embeddings, diagonal=False).eval()
    plain.load_state_dict(literal.state_dict())
    assert isinstance(plain.rest[-1], nn.Linear)
    torch.testing.assert_close(literal(x), plain(x), rtol=1e-4, atol=1e-5)
