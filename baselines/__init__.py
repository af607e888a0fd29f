"""One file per method; ``baselines.registry`` finds them."""
