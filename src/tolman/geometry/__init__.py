"""Geometry: boxes, rooms, directions. Arrays in, arrays out."""
