"""Pasa solved."""
