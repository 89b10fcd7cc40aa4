"""Worlds with perfect truth: layouts, walks, rendering, sensors."""
