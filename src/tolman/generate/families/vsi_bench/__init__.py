"""VSI-Bench's question families (Table 3 of the paper)."""
