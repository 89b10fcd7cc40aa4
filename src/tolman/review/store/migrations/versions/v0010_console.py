"""Acts of the owner on questions: the person and reason of each withdrawal, and the changes of an act."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and the columns. No act has changed anything yet, and all withdrawals so far are their person's
    own.
    """
    op.create_table(
        "acts",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("project_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double(), nullable=True),
        sa.Column("undone_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["project_id"], ["projects.id"], name=op.f("fk_acts_project_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_acts_user_id")),
        sa.ForeignKeyConstraint(["undone_by"], ["users.id"], name=op.f("fk_acts_undone_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_acts")),
    )
    op.create_index(op.f("ix_acts_project_id"), "acts", ["project_id"], unique=False)
    op.create_table(
        "acted",
        sa.Column("act_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("why", sa.Text(), nullable=False, server_default=sa.text("''")),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("seen", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["act_id"], ["acts.id"], name=op.f("fk_acted_act_id")),
        sa.ForeignKeyConstraint(["item_id"], ["items.id"], name=op.f("fk_acted_item_id")),
        sa.PrimaryKeyConstraint("act_id", "item_id", name=op.f("pk_acted")),
    )
    op.create_index(op.f("ix_acted_item_id"), "acted", ["item_id"], unique=False)
    op.create_index(op.f("ix_acted_act_id_state_item_id"), "acted", ["act_id", "state", "item_id"], unique=False)
    op.add_column("undone", sa.Column("reason", sa.Text(), nullable=False, server_default=sa.text("''")))
    op.add_column("items", sa.Column("missed", sa.Integer(), nullable=True))
    if op.get_bind().dialect.name == "sqlite":  # which takes a reference together with the column only
        reference = f"CONSTRAINT {op.f('fk_decisions_taken_back')} REFERENCES acts (id)"
        op.execute(f"ALTER TABLE decisions ADD COLUMN taken_back INTEGER {reference}")
    else:
        op.add_column("decisions", sa.Column("taken_back", sa.Integer(), nullable=True))
        op.create_foreign_key(op.f("fk_decisions_taken_back"), "decisions", "acts", ["taken_back"], ["id"])
