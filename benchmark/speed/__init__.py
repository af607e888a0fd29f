"""How fast a training step is, beside the obvious alternatives."""
