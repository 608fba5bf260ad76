"""Logging in to the database: each way that servers ask for, with the right and with a wrong password."""

import os
import tempfile

import pytest

from hooktest import events
from hooktest.mysql8 import MySQL8
from hooktest.paths import mariadb_plugins
from test_database_tls import STRIPE, authority, certificate, over_tcp


def works(s, server):
    """Tables are made, and an event is received and processed, over links of this log-in."""
    s.hookonce("migrate", check=True)
    body = events.stripe("evt_1")
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    s.db.sql("CREATE TABLE IF NOT EXISTS fx (n BIGINT AUTO_INCREMENT PRIMARY KEY, event_id VARBINARY(255) NOT NULL) "
             "ENGINE=InnoDB")
    s.process()
    assert s.effects() == ["evt_1"] and server.execute("SELECT 1")


def refused(s, words="(1045)"):
    """With another password nothing is done, and neither password is told -> what was said."""
    s.write("db.password", "wrong-password\n")
    done = s.hookonce("migrate", "--status")
    said = done.stderr.decode()
    assert done.returncode == 69 and words in said, said
    assert "wrong-password" not in said and s.db.password not in said
    return said


@pytest.fixture(name="pair")
def _pair(base):
    """A certificate for localhost -> (its file, its key, that of the authority)."""
    folder = tempfile.mkdtemp(prefix="pki", dir=base)
    ca = authority(folder, "ca")
    certificate(folder, "localhost", "localhost")
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o644)
    os.chmod(folder, 0o755)
    return f"{folder}/localhost.pem", f"{folder}/localhost.key", ca


@pytest.fixture(name="mysql8")
def _mysql8(own_mariadb):
    """A function (keys of MySQL8) -> (the MariaDB behind, its database, a MySQL8 before it)."""
    doubles = []

    def make(**keys):
        server = own_mariadb()
        database = server.create_database()
        doubles.append(MySQL8(server, database.user, database.password, **keys))
        return server, database, doubles[-1]

    yield make
    for double in doubles:
        double.stop()


@pytest.mark.parametrize("networking", [True, False], ids=["tcp", "socket"])
@pytest.mark.parametrize("plugin", ["mysql_native_password", "ed25519"])
def test_a_mariadb_that_asks_for(site, own_mariadb, plugin, networking):
    server = own_mariadb(networking=networking, options=[f"--plugin-dir={mariadb_plugins()}",
                                                         "--plugin-load-add=auth_ed25519"])
    database = server.create_database()
    server.execute(f"ALTER USER {database.user}@'%' IDENTIFIED VIA {plugin} USING PASSWORD('{database.password}')")
    if networking:
        s = over_tcp(site, database)
    else:
        s = site(database=database, sources=STRIPE, migrate=False)
        s.configure("".join(x for x in s.config_text().splitlines(True) if not x.startswith("receiver_")))
    works(s, server)
    refused(s)


@pytest.mark.parametrize("cached, tls, way", [(True, "off", "fast"), (True, "verify", "fast"), (False, "verify", "tls"),
                                              (False, "on", "tls"), (False, "off", "rsa")])
def test_a_mysql_that_asks_for_caching_sha2_password(site, mysql8, pair, cached, tls, way):
    server, database, double = mysql8(cached=cached, certificate=None if tls == "off" else pair[:2])
    more = {"tls_ca": pair[2]} if tls == "verify" else {}
    s = over_tcp(site, database, port=double.port, tls=tls, **more)
    works(s, server)
    assert set(double.seen) == {way}
    refused(s)
    assert double.seen[-1] == "denied"


def test_a_way_that_the_client_library_does_not_know_is_told_with_what_to_do(site, mysql8, pair):
    """Under TLS, with a good certificate: there any plugin is tried."""
    _, database, double = mysql8(plugin=b"authentication_of_nobody", certificate=pair[:2])
    s = over_tcp(site, database, port=double.port, tls="verify", tls_ca=pair[2])
    said = s.hookonce("migrate", "--status").stderr.decode()
    assert "authentication_of_nobody" in said, said
    assert "mysql_native_password" in said and "ALTER USER" in said and "libmariadb3" in said, said
