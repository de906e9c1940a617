"""The command ``ustad``, a module for each group of commands."""
