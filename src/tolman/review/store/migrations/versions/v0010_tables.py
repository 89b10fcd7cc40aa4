"""The tables of `schema`, as far as they are missing.

Everything since the first tables was added, so an older database lacks tables, columns and indexes, and has nothing
else in their place but one constraint. A migration that only adds calls `add_missing` too.
"""

import sqlalchemy as sa
from alembic import op

from tolman.review.store import Base
from tolman.review.store.database import SIGN_IN_LINKS

revision = "0010"
down_revision = None
branch_labels = None
depends_on = None

_ONLY_ADDED = ("submissions", "history", "undone")
"""Tables whose rows the database refuses to change or delete."""


def upgrade() -> None:
    """Make the tables, or add what older ones lack. Submissions that are there are first attempts."""
    found = sa.inspect(op.get_bind())
    if found.has_table("submissions") and "attempt" not in {one["name"] for one in found.get_columns("submissions")}:
        with op.batch_alter_table("submissions") as table:  # SQLite remakes the table, and loses its triggers
            table.add_column(sa.Column("attempt", sa.Integer(), nullable=False, server_default=sa.text("0")))
            table.drop_constraint("uq_submissions_assignment_id_step", type_="unique")
            table.create_unique_constraint(
                "uq_submissions_assignment_id_step_attempt", ["assignment_id", "step", "attempt"]
            )
    add_missing()
    op.execute(SIGN_IN_LINKS)
    for name in _ONLY_ADDED:
        _only_add(name)


def add_missing() -> None:
    """Add the tables, columns and indexes that a database lacks."""
    bind = op.get_bind()
    found = sa.inspect(bind)
    for table in Base.metadata.sorted_tables:
        if not found.has_table(table.name):
            table.create(bind)
            continue
        columns = {one["name"] for one in found.get_columns(table.name)}
        for column in table.columns:
            if column.name not in columns:
                added = str(sa.schema.CreateColumn(column).compile(bind))
                for key in column.foreign_keys:  # SQLite takes a reference together with the column only
                    named = op.f(f"fk_{table.name}_{column.name}")
                    added += f" CONSTRAINT {named} REFERENCES {key.column.table.name} ({key.column.name})"
                op.execute(f"ALTER TABLE {table.name} ADD COLUMN {added}")
        indexes = {one["name"] for one in found.get_indexes(table.name)}
        for index in table.indexes:
            if index.name not in indexes:
                index.create(bind)


def _only_add(table: str) -> None:
    told = f"rows of {table} are only ever added"
    if op.get_bind().dialect.name == "sqlite":
        for action in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER IF NOT EXISTS {table}_no_{action.lower()} BEFORE {action} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{told}'); END"
            )
        return
    op.execute(
        f"CREATE OR REPLACE FUNCTION {table}_only_added() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{told}'; END $$"
    )
    op.execute(
        f"CREATE OR REPLACE TRIGGER {table}_only_added BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION {table}_only_added()"
    )
