"""One site as its owner sets it up: programs, config, secrets, database, schema, web server."""

import os
import shutil
import time

from . import loglines, sign, web
from .paths import faketime_library, program, site_user
from .proc import Proc, end_all_below, run
from .wire import Answer

# Sources of a site that asks for none: name -> keys of its section. Secrets are written to files.
DEFAULT_SOURCES = {
    "stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE="},
    "github": {"provider": "github", "secret": "github test secret 1"},
    "shopify": {"provider": "shopify", "secret": "shopify-client-secret-1"},
    "slack": {"provider": "slack", "secret": "8f742231b10e8888abcd99yyyzzz85a5"},
    "standard": {"provider": "standard-webhooks", "secret": "whsec_c3RhbmRhcmQtd2ViaG9va3MtdGVzdC0x"},
    "clerk": {"provider": "clerk", "secret": "whsec_Y2xlcmstc2VjcmV0LWZvci10ZXN0cy0x"},
}
# The handler of a site that asks for none: its effect is a row in fx.
DEFAULT_HANDLERS = {"fx": {"sql": "INSERT INTO fx (event_id) VALUES ({event:id})"}}


def _section(name, keys):
    lines = [f"[{name}]"]
    for key, value in keys.items():
        lines += [f"{key} = {v}" for v in (value if isinstance(value, (list, tuple)) else [value])]
    return "\n".join(lines) + "\n"


class Site:
    """A folder with everything of one installation, owned by an ordinary account.

    base      a folder to make the site's own folder in        database  a mariadb.Database
    sources, handlers, routes   {name: {key: value or list}}, None for the defaults: one source for
              each provider (DEFAULT_SOURCES), one route for each, all to a handler that adds to fx
    settings  {"hookonce": {...}, "processor": {...}, "database": {...}}: added to these sections
    extra     text put behind the config
    files     {name: content}: further private files, such as recipes
    """

    def __init__(self, base, database, sources=None, handlers=None, routes=None, settings=None, extra="",
                 files=None):
        self.user, self.db, self.dir = site_user(), database, base
        self.server, self._procs, self.secrets = None, [], {}
        os.makedirs(self.dir, exist_ok=True)
        self.own(self.dir, 0o700)
        self.folder("state")
        self.receiver, self.program = self._install("hookonce.fcgi"), self._install("hookonce")
        self.write("db.password", database.password + "\n")
        self.write("receiver.password", database.receiver_password + "\n")
        self.write("hookonce.key", os.urandom(32).hex() + "\n")
        for name, content in (files or {}).items():
            self.write(name, content)
        self.sources = sources if sources is not None else DEFAULT_SOURCES
        self.handlers = handlers if handlers is not None else DEFAULT_HANDLERS
        if routes is None:
            scopes = {keys["provider"] if keys["provider"] in ("stripe", "slack", "clerk") else name
                      for name, keys in self.sources.items()}
            first = next(iter(self.handlers))
            routes = {f"all-{s}": {"provider": s, "on": "*", "handler": first} for s in sorted(scopes)}
        self.routes, self.settings, self.extra = routes, settings or {}, extra
        self.configure()

    # -- files ---------------------------------------------------------------------------------

    def path(self, name):
        """A path inside the site's folder."""
        return os.path.join(self.dir, name)

    def own(self, path, mode):
        """Gives a file or folder to the site's account, with this mode."""
        if self.user:
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
        os.chmod(path, mode)
        return path

    def folder(self, name, mode=0o700):
        """Makes a folder in the site; returns its path."""
        os.makedirs(self.path(name), exist_ok=True)
        return self.own(self.path(name), mode)

    def write(self, name, content, mode=0o600):
        """Writes a file (text or bytes) of the site's account, whole at any time; returns its path."""
        path = self.path(name)
        with open(path + ".new", "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        os.rename(self.own(path + ".new", mode), path)
        return path

    def _install(self, name):
        shutil.copy(program(name), self.path(name))
        return self.own(self.path(name), 0o755)

    # -- config --------------------------------------------------------------------------------

    def configure(self, text=None):
        """Writes hookonce.conf, from sources, handlers, routes, settings and extra, or as given."""
        self.write("hookonce.conf", self.config_text() if text is None else text)

    def config_text(self):
        """The config as text; secrets that are no file: references go to files, see secret_file."""
        database = {"socket": self.db.server.socket, "name": self.db.name, "user": self.db.user,
                    "password": "file:db.password", "receiver_user": self.db.receiver_user,
                    "receiver_password": "file:receiver.password", **self.settings.get("database", {})}
        parts = [_section("database", database),
                 _section("hookonce", {"key": "file:hookonce.key", **self.settings.get("hookonce", {})})]
        # Of tests that say nothing of it the processor looks often, as for who writes rows by hand.
        parts.append(_section("processor", {"poll": "5s", **self.settings.get("processor", {})}))
        for name, keys in self.sources.items():
            keys = dict(keys)
            if "secret" in keys:
                given = keys["secret"] if isinstance(keys["secret"], (list, tuple)) else [keys["secret"]]
                keys["secret"] = [self.secret_file(name, n, s) for n, s in enumerate(given)]
            parts.append(_section(f"source {name}", keys))
        parts += [_section(f"handler {n}", k) for n, k in self.handlers.items()]
        parts += [_section(f"route {n}", k) for n, k in self.routes.items()]
        return "\n".join(parts) + self.extra

    def secret_file(self, source, number, secret):
        """Writes a secret to <source>.secret<number>, remembers it for signing, returns file:… ."""
        if secret.startswith("file:"):
            return secret
        value, _, until = secret.partition(" until ")
        known = self.secrets.setdefault(source, [])
        if value not in known:
            known.append(value)
        self.write(f"{source}.secret{number}", value)
        return f"file:{source}.secret{number}" + (f" until {until}" if until else "")

    # -- programs ------------------------------------------------------------------------------

    def environment(self, now=None, env=None):
        """A small environment for the programs; `now` (unix seconds) sets their clock by libfaketime."""
        got = {"PATH": "/usr/bin:/bin", "HOOKONCE_CONFIG": self.path("hookonce.conf"), "TZ": "UTC"}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                got[name] = os.environ[name]
        if now is not None:
            got["LD_PRELOAD"] = faketime_library()
            got["FAKETIME"] = time.strftime("@%Y-%m-%d %H:%M:%S", time.gmtime(now))
            got["FAKETIME_DONT_FAKE_MONOTONIC"] = "1"
        got.update(env or {})
        return got

    def hookonce(self, *arguments, now=None, env=None, limit_s=90, check=False, **more):
        """Runs `hookonce …` to its end as the site's account -> CompletedProcess (bytes).

        check=True fails on an exit code other than 0, with its output.
        """
        done = run([self.program, *arguments], limit_s, self.user, env=self.environment(now, env),
                   cwd=self.dir, **more)
        if check:
            assert done.returncode == 0, f"hookonce {arguments}: exit {done.returncode}\n" \
                f"{done.stdout.decode(errors='replace')}\n{done.stderr.decode(errors='replace')}"
        return done

    def migrate(self):
        """Applies the schema, with two users from then on, and makes the table fx (event_id, n) for the
        default handler."""
        self.db.unrestrict()
        self.hookonce("migrate", check=True)
        self.restrict()
        self.db.sql("CREATE TABLE IF NOT EXISTS fx (n BIGINT AUTO_INCREMENT PRIMARY KEY, "
                    "event_id VARBINARY(255) NOT NULL) ENGINE=InnoDB")

    def restrict(self):
        """Leaves the database's two users what `hookonce grants` says; needs its tables."""
        self.db.restrict(self.hookonce("grants", "--host", "%", check=True).stdout.decode())

    def process(self, *arguments, **more):
        """`hookonce process --once`: everything that is due now; fails if it fails."""
        return self.hookonce("process", "--once", *arguments, check=True, **more)

    def start_processor(self, *arguments, now=None, env=None):
        """`hookonce process …` in the background (default --for 55s) -> Proc; ended with the site."""
        return self.start_program("process", *(arguments or ("--for", "55s")), now=now, env=env)

    def start_program(self, *arguments, now=None, env=None):
        """`hookonce …` in the background -> Proc; ended with the site."""
        proc = Proc([self.program, *arguments], self.path("processor.log"), env=self.environment(now, env),
                    user=self.user, cwd=self.dir)
        self._procs.append(proc)
        return proc

    def cgi_environment(self, source, length, headers=(), method="POST", now=None, env=None):
        """What a web server's CGI would tell the receiver about a request; see cgi()."""
        path = source if source.startswith("/") else "/hookonce.fcgi/" + source
        got = self.environment(now)
        got.update({
            "GATEWAY_INTERFACE": "CGI/1.1", "SERVER_PROTOCOL": "HTTP/1.1", "SERVER_SOFTWARE": "test",
            "REQUEST_METHOD": method, "REQUEST_URI": path, "SCRIPT_NAME": "/hookonce.fcgi",
            "QUERY_STRING": path.partition("?")[2], "REMOTE_ADDR": "192.0.2.1",
            "SERVER_NAME": "localhost", "SERVER_PORT": "80", "CONTENT_LENGTH": str(length),
        })
        info = path.partition("?")[0]
        if info.startswith("/hookonce.fcgi/"):
            got["PATH_INFO"] = info[len("/hookonce.fcgi"):]
        for name, value in (headers.items() if hasattr(headers, "items") else headers):
            key = name.upper().replace("-", "_")
            key = key if key in ("CONTENT_TYPE", "CONTENT_LENGTH") else "HTTP_" + key
            got[key] = got[key] + ", " + value if key in got and key.startswith("HTTP_") else value
        for key, value in (env or {}).items():
            if value is None:
                got.pop(key, None)
            else:
                got[key] = value
        return got

    def cgi(self, source, body=b"", headers=(), method="POST", now=None, env=None, limit_s=30):
        """Runs the receiver as a plain CGI program for one request, without a web server -> Answer.

        `source` is the last part of the path, or a whole path beginning with /. `env` replaces single
        variables; a value None removes one. Afterwards self.cgi_stderr holds what it wrote to stderr.
        """
        environment = self.cgi_environment(source, len(body), headers, method, now, env)
        done = run([self.receiver], limit_s, self.user, env=environment, cwd=self.dir, input=body)
        self.cgi_stderr = done.stderr.decode("utf-8", "replace")
        assert done.returncode == 0, f"the receiver ended with {done.returncode}: {self.cgi_stderr}"
        return parse_cgi(done.stdout)

    # -- requests ------------------------------------------------------------------------------

    def serve(self, name="lighttpd", **more):
        """Starts a web server (a key of web.SERVERS) for this site; `more` goes to its class."""
        kind = web.SERVERS[name]
        self.server = kind[0](self, kind[1], **more)
        self.server.start()
        return self.server

    def post(self, source, body, headers=(), **more):
        """POST to /hookonce.fcgi/<source> of the site's web server -> Answer."""
        return self.server.request("POST", "/hookonce.fcgi/" + source, body, headers, **more)

    def signed(self, source, body, secret=None, **more):
        """The headers of a genuine delivery to this source; `more` goes to its function in sign.py."""
        secret = secret if secret is not None else self.secrets[source][0]
        return sign.BY_PROVIDER[self.sources[source]["provider"]](secret, body, **more)

    def deliver(self, source, body, **more):
        """Signs a body and posts it -> Answer."""
        return self.post(source, body, self.signed(source, body, **more))

    def import_spooled(self):
        """Brings into the tables what a database that was slow for a moment has left in the spool."""
        folder = self.path("state/spool")
        for _ in range(20):  # another import may be at work, or the database slow still
            if not os.path.isdir(folder) or not any(name.endswith(".spool") for name in os.listdir(folder)):
                break
            self.hookonce("import")
            time.sleep(0.1)

    # -- what the database shows ---------------------------------------------------------------

    def sql(self, statement, *params):
        """See mariadb.Database.sql."""
        return self.db.sql(statement, *params)

    def value(self, statement, *params):
        """See mariadb.Database.value."""
        return self.db.value(statement, *params)

    def count(self, table):
        """Rows in hookonce_<table>."""
        return self.value(f"SELECT COUNT(*) FROM hookonce_{table}")

    def written(self, since=None):
        """How many rows there are in each table that deliveries write to; empty tables are left out.

        `since` is an earlier result: then how many more there are now.
        """
        tables = ("receipt", "body", "job", "guard", "conflict", "attempt")
        row = self.sql("SELECT " + ", ".join(f"(SELECT COUNT(*) FROM hookonce_{t}) AS {t}" for t in tables))[0]
        more = {name: n - (since or {}).get(name, 0) for name, n in row.items()}
        return {name: n for name, n in more.items() if n}

    def receipts(self):
        """All receipts, oldest first."""
        return self.sql("SELECT * FROM hookonce_receipt ORDER BY correlation_id")

    def jobs(self):
        """All jobs in order of their ids."""
        return self.sql("SELECT * FROM hookonce_job ORDER BY id")

    def effects(self):
        """Event ids in fx, as text, in the order of their rows."""
        return [r["event_id"].decode("utf-8", "replace") for r in self.sql("SELECT event_id FROM fx ORDER BY n")]

    def log_text(self):
        """The programs' own log, '' if there is none yet."""
        path = self.path("state/hookonce.log")
        if not os.path.exists(path):
            return ""
        with open(path, "rb") as f:
            return f.read().decode("utf-8", "replace")

    def log_lines(self, **wanted):
        """The log's lines as dicts, see loglines.parse; only those with these values where given."""
        lines = loglines.parse(self.log_text())
        return [line for line in lines if all(line.get(k) == v for k, v in wanted.items())]

    def report(self, room=4000):
        """Ends of all logs, for a failed test; of hookonce's own so many characters."""
        text = ["--- hookonce.log\n" + self.log_text()[-room:]]
        if self.server:
            text.append("--- web server\n" + self.server.logs()[-3000:])
        text += [f"--- {p.argv[1:]}\n" + p.output()[-2000:] for p in self._procs]
        return "\n".join(text)

    def close(self):
        """Stops the web server, the processors, and anything left of this site's programs."""
        if self.server:
            self.server.stop()
        for proc in self._procs:
            proc.stop(20)
        end_all_below(self.dir)


def parse_cgi(output):
    """What a CGI program wrote -> Answer."""
    head, mark, body = output.partition(b"\r\n\r\n")
    if not mark:
        head, mark, body = output.partition(b"\n\n")
    assert mark, f"no CGI answer: {output[:200]!r}"
    headers, status = [], 200
    for line in head.decode("latin-1").splitlines():
        name, _, value = line.partition(":")
        if name.lower() == "status":
            status = int(value.split()[0])
        else:
            headers.append((name, value.strip()))
    return Answer(status, headers, body)
