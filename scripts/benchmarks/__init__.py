"""The benchmarks, a module a game; :mod:`benchmark` runs them."""
