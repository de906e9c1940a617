"""Marriage learned."""
