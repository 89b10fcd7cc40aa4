"""Reading answers out of responses, scoring them, and saying how sure the figures are."""
