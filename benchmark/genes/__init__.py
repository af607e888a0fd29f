"""Which features the runs rest on, how sure that is, and whether they are the true ones."""
