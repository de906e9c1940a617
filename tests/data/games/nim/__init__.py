"""Nim with a die: the smallest game that has everything a game of the house has."""
