"""Frames of videos, and images, as models are shown them."""
