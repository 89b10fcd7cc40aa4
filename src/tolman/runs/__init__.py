"""Runs: one benchmark × model × protocol, kept in a folder."""
