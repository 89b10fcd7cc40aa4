"""Serve the web application, and export from it."""
