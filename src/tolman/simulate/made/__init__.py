"""Furniture made by rule: kinds, declared in `kinds`, whose draws give pieces of any shape, size and colour."""
