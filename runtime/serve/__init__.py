"""The protocol for programs: one JSON request a line."""
