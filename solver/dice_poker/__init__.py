"""Dice poker solved."""
