"""Marriage's cards: their points, melds, and the exact hand solver."""
