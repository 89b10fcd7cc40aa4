"""Marks on submissions, and the purpose of a link."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns. Existing submissions keep none: they were never checked for marks."""
    op.add_column("submissions", sa.Column("marks", sa.JSON(), nullable=True))
    op.add_column(
        "invitations", sa.Column("purpose", sa.String(length=16), nullable=False, server_default=sa.text("'join'"))
    )
    op.execute("UPDATE invitations SET purpose = 'enter' WHERE user_id IS NOT NULL")
