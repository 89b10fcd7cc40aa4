"""Whole projects: starting them, corrections of their items, the origin of these, and the export."""
