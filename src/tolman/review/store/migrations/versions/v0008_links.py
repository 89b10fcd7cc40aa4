"""Links that the owner takes back."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. No link that is there has been taken back."""
    op.add_column("invitations", sa.Column("revoked", sa.Double(), nullable=True))
