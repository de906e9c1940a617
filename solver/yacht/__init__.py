"""Yacht solved."""
