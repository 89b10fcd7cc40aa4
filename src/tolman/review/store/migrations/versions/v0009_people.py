"""Several roles of a person, and people of a project."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table and the columns. Everybody has one role, and every project is open to all, as before."""
    op.add_column("users", sa.Column("further", sa.JSON(), nullable=False, server_default=sa.text("'[]'")))
    op.add_column("projects", sa.Column("restricted", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "members",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_members_project_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_members_user_id")),
        sa.PrimaryKeyConstraint("project_id", "user_id", name=op.f("pk_members")),
    )
    op.create_index(op.f("ix_members_user_id"), "members", ["user_id"], unique=False)
