"""People in studies: their consent, form and progress."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table. Existing projects are no studies, and have no participants."""
    op.create_table(
        "participants",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("form", sa.Integer(), nullable=True),
        sa.Column("outside", sa.String(length=200), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("breaks", sa.Integer(), nullable=False),
        sa.Column("joined", sa.Double(), nullable=False),
        sa.Column("agreed", sa.Double(), nullable=True),
        sa.Column("seen", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_participants_project_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_participants_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_participants")),
        sa.UniqueConstraint("project_id", "form", name=op.f("uq_participants_project_id_form")),
        sa.UniqueConstraint("project_id", "outside", name=op.f("uq_participants_project_id_outside")),
        sa.UniqueConstraint("project_id", "user_id", name=op.f("uq_participants_project_id_user_id")),
    )
    op.create_index(op.f("ix_participants_user_id"), "participants", ["user_id"])
