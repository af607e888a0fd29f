"""One file per method; ``baselines._shared.registry`` finds them."""
