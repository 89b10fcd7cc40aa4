"""Kinds of furniture, one a file: a `FURNITURE` with its sizes and its rule."""
