import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))  # for literal.py


@pytest.fixture(autouse=True)
def one_thread():
    """Results are compared to the last digits, so nothing may depend on the machine's cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
