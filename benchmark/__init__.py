"""The benchmark suite: data sets, protocol, runner, store and reports."""
