"""What the solvers of yacht and dice poker share."""
