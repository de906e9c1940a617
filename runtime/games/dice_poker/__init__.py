"""Dice poker (ডাইস পোকার)."""
