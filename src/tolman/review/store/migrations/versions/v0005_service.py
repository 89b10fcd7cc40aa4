"""The needs of a service: failed sign-ins that all processes count, idle sessions, projects started part after part."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables and the index. Sessions that are there have never been seen: they end when they expire."""
    op.create_table(
        "attempts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.String(length=32), nullable=False),
        sa.Column("key", sa.String(length=32), nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("ends", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
    )
    op.create_index(op.f("ix_attempts_attempt"), "attempts", ["attempt"], unique=False)
    op.create_index(op.f("ix_attempts_key_at"), "attempts", ["key", "at"], unique=False)
    op.create_index(op.f("ix_attempts_ends"), "attempts", ["ends"], unique=False)
    op.create_table(
        "starting",
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=True),
        sa.Column("problem", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_starting_project_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_starting_user_id")),
        sa.PrimaryKeyConstraint("project_id", name=op.f("pk_starting")),
    )
    op.add_column("sessions", sa.Column("seen", sa.Double(), nullable=False, server_default=sa.text("0")))
    op.create_index(op.f("ix_assignments_user_id_state"), "assignments", ["user_id", "state"], unique=False)
