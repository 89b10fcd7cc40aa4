"""Furniture made by rule: one declaration a kind in `kinds`, whose draws give pieces of any shape, size and colour."""
