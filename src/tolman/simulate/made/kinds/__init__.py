"""Kinds of furniture, one a file: a `KIND` with its sizes and its rule."""
