"""Presenters: what commands print, from events and results. The only modules with a terminal in them."""
