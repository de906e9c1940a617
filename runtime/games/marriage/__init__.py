"""Marriage (म्यारिज)."""
