"""Alembic's way in: the connection is handed over by `database.Database`."""

from alembic import context

from tolman.review.store import Base

context.configure(
    connection=context.config.attributes["connection"], target_metadata=Base.metadata, transactional_ddl=True
)
context.run_migrations()
