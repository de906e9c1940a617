"""The bots of the games, one module a game, four levels each."""
