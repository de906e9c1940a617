"""What every game is made of, naming none: errors, options, states, entries, kernels."""
