"""Marriage's round: moves, turns, show, finish and settlement."""
