"""Submissions that are taken back, the attempt number of a submission, and models' trials of written questions."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables and the column. Submissions that are there are first attempts."""
    sqlite = op.get_bind().dialect.name == "sqlite"
    with op.batch_alter_table("submissions") as table:  # SQLite remakes the table, and loses its triggers
        table.add_column(sa.Column("attempt", sa.Integer(), nullable=False, server_default=sa.text("0")))
        table.drop_constraint("uq_submissions_assignment_id_step", type_="unique")
        table.create_unique_constraint(
            "uq_submissions_assignment_id_step_attempt", ["assignment_id", "step", "attempt"]
        )
    op.create_table(
        "undone",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("submission_id", sa.Integer(), nullable=False),
        sa.Column("user_id", sa.Integer(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["submission_id"], ["submissions.id"], name=op.f("fk_undone_submission_id")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_undone_user_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_undone")),
        sa.UniqueConstraint("submission_id", name=op.f("uq_undone_submission_id")),
    )
    op.create_table(
        "trials",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("assignment_id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("view", sa.String(length=64), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("content", sa.JSON(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignments.id"], name=op.f("fk_trials_assignment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trials")),
        sa.UniqueConstraint(
            "assignment_id", "digest", "model", "view", name=op.f("uq_trials_assignment_id_digest_model_view")
        ),
    )
    for table_name in ("submissions", "undone") if sqlite else ():
        for action in ("UPDATE", "DELETE"):
            op.execute(f"DROP TRIGGER IF EXISTS {table_name}_no_{action.lower()}")
            op.execute(
                f"CREATE TRIGGER {table_name}_no_{action.lower()} BEFORE {action} ON {table_name} "
                f"BEGIN SELECT RAISE(ABORT, 'rows of {table_name} are only ever added'); END"
            )
    if not sqlite:
        op.execute(
            "CREATE FUNCTION undone_only_added() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'rows of undone are only ever added'; END $$"
        )
        op.execute(
            "CREATE TRIGGER undone_only_added BEFORE UPDATE OR DELETE ON undone "
            "FOR EACH ROW EXECUTE FUNCTION undone_only_added()"
        )
