"""Media and scenes that a page shows, and questions without their answers."""
