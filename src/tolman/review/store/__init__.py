"""Tables and files of a review: the database with its migrations and history, backups, and the media pool."""
