"""Compare runs item by item."""
