"""A private MariaDB server: own data directory and socket, no network unless asked, stopped by pid."""

import fcntl
import itertools
import os
import re

import pymysql
import pymysql.cursors

from .paths import BUILD, tool
from .proc import Proc, free_port, run, wait_until

_LOST = (2006, 2013)
# kill -9 loses nothing that was written, whether the disk has it or not, and no test ends the machine. A disk
# that others keep busy lets an fsync take seconds, which is a deadline of the receiver's.
_NO_SYNC = ["--innodb-flush-method=nosync", "--debug-no-sync"]
_count = itertools.count(1)


def _as_root():
    return ["--user=root"] if os.geteuid() == 0 else []


def _template():
    """A freshly installed data directory, made once for each server version and then copied."""
    version = run([tool("mariadbd"), "--no-defaults", "--version"]).stdout.decode().split()[2]
    place = os.path.join(BUILD, "test", "mariadb-" + version)
    os.makedirs(os.path.dirname(place), exist_ok=True)
    with open(place + ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two of mariadb-install-db at once spoil each other's work
        if not os.path.isdir(place):
            fresh = f"{place}.{os.getpid()}"
            done = run([tool("mariadb-install-db"), "--no-defaults", f"--datadir={fresh}", *_as_root(),
                        "--auth-root-authentication-method=normal", "--skip-test-db",
                        "--innodb-log-file-size=32M"], limit_s=120)
            assert done.returncode == 0, f"mariadb-install-db failed: {done.stdout!r} {done.stderr!r}"
            os.rename(fresh, place)
    return place


class MariaDB:
    """One server below `folder`. `options` are further mariadbd options; networking=True opens `port`.

    env: variables that it gets beside those of the caller.
    """

    def __init__(self, folder, networking=False, options=(), env=None):
        self.folder, self.options, self.env = folder, list(options), dict(env or {})
        self.datadir = os.path.join(folder, "data")
        self.socket = os.path.join(folder, "db.sock")
        self.port = free_port() if networking else None
        self.log = os.path.join(folder, "mariadbd.log")
        self.general_log = os.path.join(folder, "general.log")
        self.proc = None
        os.makedirs(folder, mode=0o755, exist_ok=True)
        done = run(["cp", "-a", "--sparse=always", _template(), self.datadir])
        assert done.returncode == 0, done.stderr

    def start(self, limit_s=60):
        """Starts the server (again) and waits until it answers; returns self."""
        network = (["--skip-networking"] if self.port is None
                   else [f"--port={self.port}", "--bind-address=127.0.0.1"])
        self.proc = Proc(
            [tool("mariadbd"), "--no-defaults", *_as_root(), f"--datadir={self.datadir}",
             f"--socket={self.socket}", f"--pid-file={self.folder}/db.pid", f"--tmpdir={self.folder}",
             "--innodb-flush-log-at-trx-commit=1", "--innodb-buffer-pool-size=64M",
             "--innodb-log-file-size=32M", "--skip-name-resolve", "--max-connections=400",
             *_NO_SYNC, "--general-log=0", f"--general-log-file={self.general_log}", *network, *self.options],
            self.log, env={**os.environ, **self.env})
        wait_until(self._answers, limit_s, "mariadbd answers")
        return self

    def _answers(self):
        assert self.proc.alive(), f"mariadbd ended while starting:\n{self.proc.output()[-3000:]}"
        try:
            self.connect().close()
        except pymysql.err.OperationalError:
            return False
        return True

    def connect(self, database=None, user="root", password=""):
        """A new pymysql connection: autocommit, rows as dicts, binary columns as bytes."""
        return pymysql.connect(unix_socket=self.socket, user=user, password=password, database=database,
                               charset="utf8mb4", autocommit=True, connect_timeout=10, read_timeout=60,
                               write_timeout=60, cursorclass=pymysql.cursors.DictCursor)

    def execute(self, *statements):
        """Runs statements as the server's root, one after another; returns the rows of the last."""
        link = self.connect()
        try:
            with link.cursor() as cursor:
                for statement in statements:
                    cursor.execute(statement)
                return cursor.fetchall()
        finally:
            link.close()

    def stop(self):
        """Orderly shutdown."""
        if self.proc:
            self.proc.stop(60)

    def kill9(self):
        """kill -9, as a crash would; start() brings it back with recovery."""
        self.proc.kill9()

    def pause(self):
        """SIGSTOP: connections stay open and nothing answers."""
        self.proc.pause()

    def resume(self):
        """SIGCONT."""
        self.proc.resume()

    def restart(self):
        """Stop and start."""
        self.stop()
        return self.start()

    def log_statements(self, on):
        """Switches the general log (every statement of every client); switching on empties it."""
        if on:
            self.execute("SET GLOBAL general_log = 0")
            with open(self.general_log, "wb"):
                pass
        self.execute(f"SET GLOBAL general_log = {int(on)}")

    def logged_statements(self):
        """Text of the general log since log_statements(True)."""
        with open(self.general_log, "rb") as f:
            return f.read().decode("utf-8", "replace")

    def create_database(self, grants="ALL PRIVILEGES", options=""):
        """A new empty database with users of its own; `options` behind CREATE DATABASE. -> Database

        Its user may do all with it until Database.restrict; the receivers' may do nothing until then.
        """
        number = next(_count)
        name, user, password = f"hooks{number}", f"hooks{number}", f"pw-{number}-{os.urandom(6).hex()}"
        self.execute(f"CREATE DATABASE {name} {options}",
                     f"CREATE USER {user}@'%' IDENTIFIED BY '{password}'",
                     f"CREATE USER {user}_rx@'%' IDENTIFIED BY '{password}-rx'",
                     f"GRANT {grants} ON {name}.* TO {user}@'%'")
        return Database(self, name, user, password)

    def drop(self, database):
        """Removes a database and its user."""
        database.close()
        self.execute(f"DROP DATABASE IF EXISTS {database.name}", f"DROP USER IF EXISTS {database.user}@'%'",
                     f"DROP USER IF EXISTS {database.receiver_user}@'%'")


_CREATE = re.compile(r"\s*CREATE (?:OR REPLACE )?TABLE (?:IF NOT EXISTS )?([a-z_0-9]+)", re.IGNORECASE)


class Database:
    """One database and the accounts that the programs under test use for it.

    user, password                     the processor's and the operator's
    receiver_user, receiver_password   the receivers'
    """

    def __init__(self, server, name, user, password):
        self.server, self.name, self.user, self.password = server, name, user, password
        self.receiver_user, self.receiver_password = user + "_rx", password + "-rx"
        self._link, self.restricted = None, False

    def accounts(self):
        """Both accounts, for a condition: `user IN (...)`."""
        return f"'{self.user}', '{self.receiver_user}'"

    def unrestrict(self):
        """Gives the processor's account all rights on this database again, as `hookonce migrate` needs."""
        self.server.execute(f"GRANT ALL PRIVILEGES ON {self.name}.* TO {self.user}@'%'")
        self.restricted = False

    def restrict(self, statements):
        """Leaves both accounts only these rights (what `hookonce grants --host %` prints) and those that
        handlers need on the site's own tables: see sql()."""
        lines = [line for line in statements.splitlines() if not line.startswith("--")]
        grants = [s.strip().rstrip(";") for s in "\n".join(lines).split(";\n") if s.strip()]
        assert len(grants) > 10, statements
        own = self.sql("SELECT table_name AS name FROM information_schema.tables WHERE table_schema = DATABASE() "
                       "AND table_name NOT LIKE 'hookonce\\_%'")
        self.server.execute(
            f"REVOKE ALL PRIVILEGES, GRANT OPTION FROM {self.user}@'%', {self.receiver_user}@'%'", *grants,
            f"GRANT CREATE TEMPORARY TABLES, EXECUTE ON {self.name}.* TO {self.user}@'%'")
        self.restricted = True
        for table in own:
            self._grant_own(table["name"])

    def _grant_own(self, table):
        self.server.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {self.name}.{table} TO {self.user}@'%'")

    def sql(self, statement, *params):
        """Runs one statement as the server's root in this database; returns its rows (dicts).

        `%s` takes a parameter; with parameters a literal percent sign is written `%%`. Of a table that
        is made so, and is none of ours, the processor's account may read and change the rows.
        """
        rows = self._sql(statement, params)
        made = _CREATE.match(statement)
        if made and self.restricted and not made.group(1).startswith("hookonce_"):
            self._grant_own(made.group(1))
        return rows

    def _sql(self, statement, params):
        for attempt in (0, 1):
            if self._link is None:
                self._link = self.server.connect(self.name)
            try:
                with self._link.cursor() as cursor:
                    cursor.execute(statement, params or None)
                    return list(cursor.fetchall())
            except pymysql.err.OperationalError as e:
                self.close()
                if attempt or e.args[0] not in _LOST:
                    raise
            except pymysql.err.InterfaceError:
                self.close()
                if attempt:
                    raise
        raise AssertionError("unreachable")

    def value(self, statement, *params):
        """The only column of the only row; fails if there is more or less."""
        rows = self.sql(statement, *params)
        assert len(rows) == 1 and len(rows[0]) == 1, rows
        return next(iter(rows[0].values()))

    def connect(self):
        """A further connection, as the processor's account."""
        return self.server.connect(self.name, self.user, self.password)

    def close(self):
        """Drops the connection behind sql()."""
        if self._link is not None:
            try:
                self._link.close()
            except pymysql.err.Error:
                pass
            self._link = None
