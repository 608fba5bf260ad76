"""lighttpd and Apache on 127.0.0.1, running the configuration files that the project ships.

Each server adds only what those files leave to the site: port, logs, account, module paths.
"""

import os
import shutil

from . import wire
from .paths import PROJECT, apache, lighttpd
from .proc import Proc, free_port, wait_until


class Server:
    """A web server in front of one site's receiver. Subclasses write the configuration."""

    def __init__(self, site, env=None):
        self.site, self.env = site, dict(os.environ, **(env or {}))
        self.folder = site.folder("web")
        self.log = os.path.join(self.folder, "server.log")
        self.port, self.proc = free_port(), None

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
        if self.proc:
            self.proc.stop(20)

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
        for name in ("server.log", "error.log"):
            path = os.path.join(self.folder, name)
            if os.path.exists(path):
                with open(path, "rb") as f:
                    text.append(f.read().decode("utf-8", "replace"))
        return "\n".join(text)


class Lighttpd(Server):
    """lighttpd with kind "fastcgi" (it spawns `procs` receivers, bin-path) or "cgi"."""

    def __init__(self, site, kind="fastcgi", procs=2, env=None):
        super().__init__(site, env)
        self.shipped = {"fastcgi": "hookonce.conf", "cgi": "hookonce-cgi.conf"}[kind]
        self.procs = procs

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
        lines.append(f'include "{PROJECT}/lighttpd/{self.shipped}"')
        conf = self.site.write("web/lighttpd.conf", "\n".join(lines) + "\n")
        self.site.write("web/error.log", "")
        return [program, "-D", "-f", conf, "-m", modules]


_APACHE_MODULES = ("mpm_event", "authz_core", "alias", "rewrite", "env")


class Apache(Server):
    """Apache with kind "fcgid" or "cgid" (server configuration), or "htaccess-fcgid" / "htaccess-cgid"."""

    def __init__(self, site, kind="fcgid", env=None):
        super().__init__(site, env)
        self.kind = kind

    def configure(self):
        program, modules = apache()
        folder, user = self.folder, self.site.user
        gateway = self.kind.split("-")[-1]
        root = self.site.folder("www")
        lines = [
            f'ServerRoot "{folder}"', f'DefaultRuntimeDir "{folder}"', f'PidFile "{folder}/apache.pid"',
            f"Listen 127.0.0.1:{self.port}", "ServerName localhost", f'ErrorLog "{folder}/error.log"',
            *(f"LoadModule {m}_module {modules}/mod_{m}.so" for m in (*_APACHE_MODULES, gateway)),
            f'DocumentRoot "{root}"',
            "<Directory />", "    AllowOverride None", "    Require all denied", "</Directory>",
            f'<Directory "{root}">', "    Require all granted", "</Directory>",
        ]
        if user:
            lines += [f"User {user.pw_name}", f"Group #{user.pw_gid}"]
        if gateway == "fcgid":
            lines += [f'FcgidIPCDir "{self.site.folder("web/fcgid")}"',
                      f'FcgidProcessTableFile "{folder}/fcgid_shm"']
        else:
            lines.append(f'ScriptSock "{folder}/cgid.sock"')
        if self.kind.startswith("htaccess"):
            lines += [f'<Directory "{root}">', "    AllowOverride FileInfo Options Limit AuthConfig",
                      "</Directory>"]
            if gateway == "fcgid":
                lines.append("FcgidMaxRequestLen 33554432")  # what .htaccess may not say; the host's part
            shutil.copy(self.site.receiver, os.path.join(root, "hookonce.fcgi"))
            with open(os.path.join(PROJECT, "apache", self.kind), encoding="utf-8") as f:
                self.site.write("www/.htaccess", f.read(), mode=0o644)
            self.site.own(os.path.join(root, "hookonce.fcgi"), 0o755)
        else:
            lines += [f'Define HOOKONCE_DIR "{self.site.dir}"',
                      f'Include "{PROJECT}/apache/hookonce-{self.kind}.conf"']
        conf = self.site.write("web/apache.conf", "\n".join(lines) + "\n")
        return [program, "-d", folder, "-f", conf, "-DFOREGROUND"]


# Every way a site can be served, for parametrize: name -> (class, kind).
SERVERS = {
    "lighttpd": (Lighttpd, "fastcgi"), "lighttpd-cgi": (Lighttpd, "cgi"),
    "apache-fcgid": (Apache, "fcgid"), "apache-cgid": (Apache, "cgid"),
    "htaccess-fcgid": (Apache, "htaccess-fcgid"), "htaccess-cgid": (Apache, "htaccess-cgid"),
}
