"""The games, a folder each, and what the games of five dice share."""
