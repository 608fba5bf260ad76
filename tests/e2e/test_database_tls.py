"""TLS to the database: who the server is, and what is said when it is not so; and where it is looked for."""

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from hooktest import events, wait_until
from hooktest.proc import pids_of

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Q="}}


def authority(folder, name):
    """A certificate authority -> path of its certificate; its key lies beside it."""
    openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
            "-subj", f"/CN={name}", "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem")
    return f"{folder}/{name}.pem"


def certificate(folder, name, host, ca="ca"):
    """A certificate of that authority for a host."""
    with open(f"{folder}/{name}.ext", "w", encoding="ascii") as f:
        f.write(f"subjectAltName=DNS:{host}\n")
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={host}",
            "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.csr")
    openssl("x509", "-req", "-in", f"{folder}/{name}.csr", "-CA", f"{folder}/{ca}.pem", "-CAkey", f"{folder}/{ca}.key",
            "-CAcreateserial", "-days", "30", "-extfile", f"{folder}/{name}.ext", "-out", f"{folder}/{name}.pem")


def openssl(*arguments):
    done = subprocess.run(["openssl", *arguments], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def pki(base):
    """A folder with two authorities, certificates for localhost and for another host, and a client's."""
    folder = os.path.join(base, "pki")
    os.makedirs(folder)
    for name in ("ca", "stranger"):
        authority(folder, name)
    certificate(folder, "localhost", "localhost")
    certificate(folder, "elsewhere", "db.example.com")
    certificate(folder, "client", "hookonce")
    for name in os.listdir(folder):
        os.chmod(os.path.join(folder, name), 0o644)
    os.chmod(folder, 0o755)
    return folder


def over_tcp(site, database, **keys):
    """A site that reaches its database through TCP."""
    s = site(database=database, sources=STRIPE, migrate=False)
    lines = [x for x in s.config_text().splitlines(True) if not x.startswith(("socket", "receiver_"))]
    keys = {"host": "localhost", "port": database.server.port, **keys}
    s.configure("".join(lines).replace("[database]\n", "[database]\n" + "".join(f"{k} = {v}\n" for k, v in keys.items())))
    return s


def server_of(own_mariadb, pki, name="localhost", options=()):
    return own_mariadb(networking=True, options=[f"--ssl-ca={pki}/ca.pem", f"--ssl-cert={pki}/{name}.pem",
                                                 f"--ssl-key={pki}/{name}.key", *options])


def test_the_server_is_who_it_should_be_or_nothing_is_said_to_it(site, own_mariadb, pki):
    server = server_of(own_mariadb, pki)
    database = server.create_database()
    good = {"tls": "verify", "tls_ca": f"{pki}/ca.pem"}
    s = over_tcp(site, database, **good)
    s.hookonce("migrate", check=True)
    server.execute(f"ALTER USER {database.user}@'%' REQUIRE SSL")
    body = events.stripe("evt_1")
    assert s.cgi("stripe", body, s.signed("stripe", body)).status == 200
    assert s.count("receipt") == 1
    for keys, words in (({"tls": "verify", "tls_ca": f"{pki}/stranger.pem"}, "(2026)"),
                        ({"tls": "verify"}, "(2026)"),  # the system's authorities do not know it
                        ({"tls": "verify", "tls_ca": f"{pki}/ca.pem", "host": "127.0.0.1"}, "(2026)"),
                        ({"tls": "off"}, "(1045)"),
                        ({}, "(1045)")):  # to this machine: off unless it is said
        done = over_tcp(site, database, **keys).hookonce("migrate", "--status")
        assert done.returncode != 0 and words in done.stderr.decode(), (keys, done.stderr)
        assert database.password.encode() not in done.stderr
    assert over_tcp(site, database, tls="on").hookonce("migrate", "--status").returncode in (0, 1)
    server.execute(f"ALTER USER {database.user}@'%' REQUIRE X509")
    done = over_tcp(site, database, tls="on").hookonce("migrate", "--status")
    assert "(1045)" in done.stderr.decode()
    with_own = {**good, "tls_cert": f"{pki}/client.pem", "tls_key": f"{pki}/client.key"}
    done = over_tcp(site, database, **with_own).hookonce("migrate", "--status")
    assert b"(" not in done.stderr, done.stderr


def test_a_server_of_another_name_and_one_without_tls_are_refused(site, own_mariadb, pki):
    for server, ca in ((server_of(own_mariadb, pki, "elsewhere"), True),
                       (own_mariadb(networking=True, options=["--skip-ssl"]), False)):
        database = server.create_database()
        for keys in ({"tls": "verify", "tls_ca": f"{pki}/ca.pem"}, *([] if ca else [{"tls": "on"}])):
            done = over_tcp(site, database, **keys).hookonce("migrate", "--status")
            assert "(2026)" in done.stderr.decode() and "tls in [database]" in done.stderr.decode(), done.stderr
        done = over_tcp(site, database, tls="on" if ca else "off").hookonce("migrate")
        assert done.returncode == 0, done.stderr


def test_a_database_that_is_nowhere_is_told_with_every_place(site):
    s = site(sources=STRIPE, migrate=False)
    lines = [x for x in s.config_text().splitlines(True) if not x.startswith("socket")]
    s.configure("".join(lines).replace("[database]\n", "[database]\nsocket = nowhere.sock, not/here.sock\n"
                                       "host = 127.0.0.1\nport = 1\n"))
    said = s.hookonce("migrate", "--status").stderr.decode()
    assert "/nowhere.sock" in said and "/not/here.sock" in said and "127.0.0.1" in said, said


def test_a_signal_in_the_middle_of_a_call_over_tls_breaks_nothing(site, own_mariadb, pki):
    server = server_of(own_mariadb, pki)
    database = server.create_database()
    s = over_tcp(site, database, tls="verify", tls_ca=f"{pki}/ca.pem")
    s.hookonce("migrate", check=True)
    s.serve("lighttpd", procs=1)
    assert s.deliver("stripe", events.stripe("evt_1")).status == 200
    link = server.connect(database.name)
    with link.cursor() as cursor:
        cursor.execute("LOCK TABLES hookonce_receipt WRITE")
    with ThreadPoolExecutor(1) as pool:
        answer = pool.submit(s.deliver, "stripe", events.stripe("evt_2"))
        wait_until(lambda: server.execute("SELECT 1 FROM information_schema.processlist WHERE state LIKE "
                                          f"'Waiting for table%' AND user = '{database.user}'") or answer.done(),
                   10, "the receiver waits for the table")
        for pid in pids_of(s.receiver):
            os.kill(pid, signal.SIGTERM)
        link.close()
        assert answer.result(60).status == 200
    s.import_spooled()
    assert s.count("receipt") == 2
    assert "(2026)" not in s.log_text()
