"""Existing question sets into one benchmark: import, duplicates, classify, convert, stratify, verify, publish."""
