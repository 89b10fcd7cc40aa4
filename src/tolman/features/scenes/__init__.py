"""Scenes: from scans and recordings, from simulation; measured and merged."""
