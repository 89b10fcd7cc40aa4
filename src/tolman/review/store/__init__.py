"""Tables and files of a review: the database with its migrations, its history, and the media pool."""
