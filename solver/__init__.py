"""The offline solvers that fill the tables, one module a game."""
