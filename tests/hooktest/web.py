"""lighttpd, Apache and nginx on 127.0.0.1, running the configuration files that the project ships.

Each server adds only what those files leave to the site: port, logs, account, module paths. Those that
start no programs themselves have a `hookonce serve` beside them.
"""

import os
import re
import shutil
import socket

from . import wire
from .paths import PROJECT, apache, lighttpd, nginx
from .proc import Proc, free_port, run, wait_until


class Server:
    """A web server in front of one site's receivers: `procs`, where their number is the site's own choice.
    Subclasses write the configuration."""

    def __init__(self, site, env=None, procs=2):
        self.site, self.procs, self.env = site, procs, dict(os.environ, **(env or {}))
        self.folder = site.folder("web")
        self.log = os.path.join(self.folder, "server.log")
        self.port, self.proc, self.pool, self.socket = free_port(), None, None, None

    def start_pool(self, *options):
        """Starts `hookonce serve` and waits until it listens; returns the socket's path."""
        site = self.site
        self.socket = os.path.join(site.folder("run"), "receiver.sock")
        self.pool = Proc([site.program, "serve", "--socket", self.socket, "--receivers", str(self.procs),
                          *options], os.path.join(self.folder, "serve.log"), env=site.environment(),
                         user=site.user, cwd=site.dir)
        wait_until(self._receives, 20, "the receivers' socket")
        return self.socket

    def _receives(self):
        assert self.pool.alive(), self.pool.output()
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            return link.connect_ex(self.socket) == 0

    def configure(self):
        """Writes the configuration and returns the command line."""
        raise NotImplementedError

    def start(self, limit_s=20):
        """Starts it and waits until the port answers; returns self."""
        self.proc = Proc(self.configure(), self.log, env=self.env)
        wait_until(self._listens, limit_s, f"{type(self).__name__} listens")
        return self

    def _listens(self):
        assert self.proc.alive(), f"the web server ended while starting:\n{self.logs()[-3000:]}"
        try:
            wire.raw(self.port, b"", read=False)
        except OSError:
            return False
        return True

    def stop(self):
        """Stops the server and all it started."""
        for proc in (self.proc, self.pool):
            if proc:
                proc.stop(20)

    def url(self, path=""):
        """http://127.0.0.1:port + path."""
        return f"http://127.0.0.1:{self.port}{path}"

    def request(self, method, path, body=None, headers=(), **more):
        """See wire.request."""
        return wire.request(self.port, method, path, body, headers, **more)

    def raw(self, data, **more):
        """See wire.raw."""
        return wire.raw(self.port, data, **more)

    def logs(self):
        """Everything the server logged."""
        text = []
        for name in ("server.log", "error.log", "serve.log"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, "rb") as f:
                    text.append(f.read().decode("utf-8", "replace"))
        return "\n".join(text)


class Lighttpd(Server):
    """lighttpd with kind "fastcgi" (it spawns `procs` receivers, bin-path), "cgi" or "socket"."""

    def __init__(self, site, kind="fastcgi", procs=2, env=None):
        super().__init__(site, env, procs)
        self.kind = kind
        self.shipped = {"fastcgi": "hookonce.conf", "cgi": "hookonce-cgi.conf", "socket": "hookonce-socket.conf"}[kind]

    def configure(self):
        program, modules = lighttpd()
        user = self.site.user
        lines = [
            f'var.hookonce_dir = "{self.site.dir}"', f"var.hookonce_procs = {self.procs}",
            f'server.document-root = "{self.site.folder("web/empty")}"',
            'server.bind = "127.0.0.1"', f"server.port = {self.port}",
            f'server.errorlog = "{self.folder}/error.log"',
            f'server.upload-dirs = ("{self.site.folder("web/upload")}")',
        ]
        if user:
            lines.append(f'server.username = "{user.pw_name}"')
        if self.kind == "socket":
            lines.append(f'var.hookonce_socket = "{self.start_pool()}"')
        lines.append(f'include "{PROJECT}/lighttpd/{self.shipped}"')
        conf = self.site.write("web/lighttpd.conf", "\n".join(lines) + "\n")
        self.site.write("web/error.log", "")
        return [program, "-D", "-f", conf, "-m", modules]


_APACHE_MODULES = ("mpm_event", "authz_core", "alias", "rewrite", "env")
_GATEWAYS = {"fcgid": ("fcgid",), "cgid": ("cgid",), "proxy": ("proxy", "proxy_fcgi"), "litespeed": ("cgid", "mime")}


class Apache(Server):
    """Apache with kind "fcgid", "cgid" or "proxy" (server configuration), "htaccess-" and one of them, or
    "htaccess-litespeed", of which it sees only whether Apache understands the file too.

    further: lines behind all others; {modules} in them is the folder of the modules.
    """

    def __init__(self, site, kind="fcgid", procs=2, env=None, further=()):
        super().__init__(site, env, procs)
        self.kind, self.further = kind, list(further)

    def configure(self):
        program, modules = apache()
        folder, user = self.folder, self.site.user
        gateway = self.kind.split("-")[-1]
        root = self.site.folder("www")
        lines = [
            f'ServerRoot "{folder}"', f'DefaultRuntimeDir "{folder}"', f'PidFile "{folder}/apache.pid"',
            f"Listen 127.0.0.1:{self.port}", "ServerName localhost", f'ErrorLog "{folder}/error.log"',
            *(f"LoadModule {m}_module {modules}/mod_{m}.so" for m in (*_APACHE_MODULES, *_GATEWAYS[gateway])),
            f'DocumentRoot "{root}"',
            "<Directory />", "    AllowOverride None", "    Require all denied", "</Directory>",
            f'<Directory "{root}">', "    Require all granted", "</Directory>",
        ]
        if user:
            lines += [f"User {user.pw_name}", f"Group #{user.pw_gid}"]
        if gateway == "fcgid":
            lines += [f'FcgidIPCDir "{self.site.folder("web/fcgid")}"',
                      f'FcgidProcessTableFile "{folder}/fcgid_shm"']
        elif gateway in ("cgid", "litespeed"):
            lines.append(f'ScriptSock "{folder}/cgid.sock"')
            lines += ['TypesConfig "/dev/null"'] if gateway == "litespeed" else []
        else:
            lines.append(f'Define HOOKONCE_SOCKET "{self.start_pool()}"')
        if self.kind.startswith("htaccess"):
            lines += [f'<Directory "{root}">', "    AllowOverride FileInfo Options Limit AuthConfig",
                      "</Directory>", f'Alias "/hookonce.fcgi" "{root}/hook/hookonce.fcgi"']  # the tests' other name
            if gateway == "fcgid":
                lines.append("FcgidMaxRequestLen 33554432")  # what .htaccess may not say; the host's part
            self._give_htaccess()
        else:
            lines += [f'Define HOOKONCE_DIR "{self.site.dir}"',
                      f'Include "{PROJECT}/apache/hookonce-{self.kind}.conf"']
        lines += [line.replace("{modules}", modules) for line in self.further]
        conf = self.site.write("web/apache.conf", "\n".join(lines) + "\n")
        return [program, "-d", folder, "-f", conf, "-DFOREGROUND"]

    def _give_htaccess(self):
        """What a site owner does: the program and its .htaccess, with the socket's path where it names one."""
        folder = self.site.own(self.site.folder("www/hook"), 0o755)
        target = os.path.join(folder, "hookonce.fcgi")
        if self.socket:
            self.site.write("www/hook/hookonce.fcgi", "")
        else:
            shutil.copy(self.site.receiver, target)
        self.site.own(target, 0o755)
        with open(os.path.join(PROJECT, "apache", self.kind), encoding="utf-8") as f:
            text = f.read()
        if self.socket:
            assert text.count(_SOCKET) == 1
            text = text.replace(_SOCKET, self.socket)
        self.site.write("www/hook/.htaccess", text, mode=0o644)


_SOCKET = "/home/acme/hookonce/run/receiver.sock"  # in htaccess-proxy


class Nginx(Server):
    """nginx, with its distribution's own fastcgi_params."""

    def __init__(self, site, kind="fastcgi", procs=2, env=None):
        super().__init__(site, env, procs)
        self.kind = kind

    def configure(self):
        program, params = nginx()
        shutil.copy(params, self.site.path("web/fastcgi_params"))
        user, folder = self.site.user, self.site.folder("web/temp")
        temp = [f'    {what}_temp_path "{folder}/{what}";'
                for what in ("client_body", "fastcgi", "proxy", "uwsgi", "scgi")]
        conf = self.site.write("web/nginx.conf", "\n".join([
            "daemon off;", "worker_processes 1;", f'pid "{self.folder}/nginx.pid";',
            f'error_log "{self.folder}/error.log";', *([f"user {user.pw_name};"] if user else []),
            "events {}", "http {", "    access_log off;", *temp,
            "    server {", f"        listen 127.0.0.1:{self.port};",
            f'        root "{self.site.folder("web/empty")}";',
            f"        set $hookonce_socket {self.start_pool()};",
            f"        include {PROJECT}/lighttpd/hookonce-nginx.conf;", "    }", "}"]) + "\n")
        version = re.search(rb"nginx/([0-9.]+)", run([program, "-v"]).stderr).group(1)
        # Older ones begin with a complaint that the log that is compiled in cannot be written.
        known = tuple(int(n) for n in version.split(b".")) >= (1, 19, 5)
        return [program, "-p", self.folder, "-c", conf, *(["-e", f"{self.folder}/error.log"] if known else [])]


# Every way a site can be served, for parametrize: name -> (class, kind).
SERVERS = {
    "lighttpd": (Lighttpd, "fastcgi"), "lighttpd-cgi": (Lighttpd, "cgi"),
    "apache-fcgid": (Apache, "fcgid"), "apache-cgid": (Apache, "cgid"),
    "htaccess-fcgid": (Apache, "htaccess-fcgid"), "htaccess-cgid": (Apache, "htaccess-cgid"),
    "lighttpd-socket": (Lighttpd, "socket"), "nginx": (Nginx, "fastcgi"),
    "apache-proxy": (Apache, "proxy"), "htaccess-proxy": (Apache, "htaccess-proxy"),
}
