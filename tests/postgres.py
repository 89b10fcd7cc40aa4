"""A PostgreSQL server of the tests' own."""

import os
import shutil
import subprocess
import tempfile
import uuid
from pathlib import Path


class Postgres:
    """A PostgreSQL server of the tests' own, on a socket in a folder of its own."""

    def __init__(self, tools: Path, *, safe: bool = False) -> None:
        """Start it; `safe` for one that has what it commits on the disk, as one of a user's has."""
        self.tools = tools
        self.folder = Path(tempfile.mkdtemp(prefix="tolman-pg-", dir="/tmp"))  # a socket's path must be short
        self.as_user: list[str] = []
        if os.geteuid() == 0:  # the server refuses to be run by root
            shutil.chown(self.folder, "postgres", "postgres")
            self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
        data = str(self.folder / "data")
        self._run("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-k {self.folder} -c listen_addresses= -c fsync={'on' if safe else 'off'} -c max_connections=200"
        self._run("pg_ctl", "-D", data, "-w", "-l", str(self.folder / "log"), "-o", options, "start")

    def _run(self, tool: str, *arguments: str) -> None:
        command = [*self.as_user, str(self.tools / tool), *arguments]
        # The server's own processes would hold a pipe open after pg_ctl has gone.
        done = subprocess.run(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder, check=False
        )
        assert done.returncode == 0, command

    def url(self, name: str) -> str:
        """The URL of a database."""
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def create(self, template: str = "template1") -> str:
        """A new database, a copy of another, and its URL."""
        import psycopg

        name = f"t{uuid.uuid4().hex[:12]}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return self.url(name)

    def stop(self) -> None:
        """Stop the server and delete its files."""
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)
