"""The parts of ``scripts/hostile.py``: each damages one kind of thing and checks who reads it."""
