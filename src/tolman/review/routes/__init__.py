"""The pages that all modes share."""
