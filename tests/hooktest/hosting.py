"""Shared hosting: an account with a home folder, and an Apache that the account can't configure but by .htaccess.

With suEXEC the server runs programs as the account, as such hosts do. Apache, mod_fcgid and suexec have the paths
of suexec, of its configuration and of its log built in; here copies of them get others of the same length, so that
nothing outside the test's folder is touched, and suexec keeps all of its own checks.
"""

import os
import pty
import pwd
import select
import shutil
import subprocess
import tempfile
import time

from . import web
from .paths import apache, suexec
from .proc import Proc, account, end_all_below, run

_SUEXEC, _CONFIG, _LOG = b"/usr/lib/apache2/suexec", b"/etc/apache2/suexec/", b"/var/log/apache2/suexec.log"


def _moved(old, folder, name):
    """folder/name, filled up with slashes to the length of `old`."""
    new = folder.encode() + b"/" * (len(old) - len(folder) - len(name)) + name
    assert len(new) == len(old), f"{folder} is too long"
    return new


class _Suexec:
    """A copy of suexec, owned by root and setuid, for calls from `caller`, and an Apache that calls it."""

    def __init__(self, caller, docroot):
        program, modules = apache()
        self.folder = tempfile.mkdtemp(prefix="hs", dir="/tmp")
        os.chmod(self.folder, 0o755)
        place, config, self.log = (_moved(_SUEXEC, self.folder, b"s"), _moved(_CONFIG, self.folder, b"c/"),
                                   _moved(_LOG, self.folder, b"log").decode())
        self.apache = os.path.join(self.folder, "apache2")
        self._copy(program, self.apache, {_SUEXEC: place})
        self._copy(f"{modules}/mod_fcgid.so", os.path.join(self.folder, "mod_fcgid.so"), {_SUEXEC: place})
        self._copy(suexec(), place.decode(), {_CONFIG: config, _LOG: self.log.encode()})
        os.chown(place.decode(), 0, caller.pw_gid)
        os.chmod(place.decode(), 0o4750)
        os.mkdir(config.decode())
        with open(os.path.join(config.decode(), caller.pw_name), "w", encoding="ascii") as f:
            f.write(f"{docroot}\npublic_html\n")

    @staticmethod
    def _copy(source, target, changes):
        with open(source, "rb") as f:
            content = f.read()
        for old, new in changes.items():
            assert old in content, f"{source} has no {old!r} built in"
            content = content.replace(old, new)
        with open(target, "wb") as f:
            f.write(content)
        os.chmod(target, 0o755)

    def refusals(self):
        if not os.path.exists(self.log):
            return ""
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return f.read()

    def close(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class _Apache(web.Server):
    """The host's Apache: what the account may do, it does in .htaccess."""

    def __init__(self, host, modules, guarded):
        self.host, self.modules, self.guarded = host, modules, guarded
        super().__init__(host)

    def module(self, name):
        folder = self.host.suexec.folder if name == "fcgid" and self.host.suexec else apache()[1]
        return os.path.join(folder, f"mod_{name}.so")

    def configure(self):
        host, folder, server = self.host, self.folder, self.host.server_user
        lines = [
            f'ServerRoot "{folder}"', f'DefaultRuntimeDir "{folder}"', f'PidFile "{folder}/apache.pid"',
            f"Listen 127.0.0.1:{self.port}", "ServerName localhost", f'ErrorLog "{folder}/error.log"',
            *(f"LoadModule {m}_module {self.module(m)}" for m in (
                "mpm_event", "authz_core", "authn_core", "auth_basic", "alias", "rewrite", "env", "mime", "dir",
                *self.modules)),
            f'TypesConfig "{folder}/none"',
            f"User {server.pw_name}", f"Group #{server.pw_gid}",
            "<Directory />", "    AllowOverride None", "    Require all denied", "</Directory>",
            f'<Directory "{host.web}">', "    AllowOverride All", "    Options FollowSymLinks", "    Require all granted",
            "</Directory>",
        ]
        if "fcgid" in self.modules:
            lines += [f'FcgidIPCDir "{folder}/fcgid"', f'FcgidProcessTableFile "{folder}/fcgid_shm"']
        if "cgid" in self.modules:
            lines.append(f'ScriptSock "{folder}/cgid.sock"')
        lines += [f"<VirtualHost 127.0.0.1:{self.port}>", f'DocumentRoot "{host.web}"']
        if host.suexec:
            lines.append(f"SuexecUserGroup {host.user.pw_name} #{host.user.pw_gid}")
        lines += [*self.guarded, "</VirtualHost>"]
        with open(os.path.join(folder, "none"), "w", encoding="ascii"):
            pass
        path = os.path.join(folder, "apache.conf")
        with open(path, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        program = host.suexec.apache if host.suexec else apache()[0]
        return [program, "-d", folder, "-f", path, "-DFOREGROUND"]


class SharedHost:
    """One account of such a host.

    modules   of Apache, beside those that every host has: "fcgid", "cgid"
    with_suexec   programs run as the account by suEXEC; else the whole server runs as the account
    lines     further lines of the virtual host
    """

    def __init__(self, folder, modules=("fcgid", "cgid"), with_suexec=True, lines=()):
        assert os.geteuid() == 0, "an account's host is made by root"
        self.user = pwd.getpwnam("nobody")  # suEXEC runs nothing as an account below 100
        self.server_user = pwd.getpwnam("www-data") if with_suexec else self.user
        self.root = folder
        os.makedirs(folder, mode=0o755)
        self.home, self.web = os.path.join(folder, "home"), os.path.join(folder, "home", "public_html")
        for place in (self.home, self.web):
            os.mkdir(place)
            self.own(place, 0o755 if place == self.web else 0o711)
        self.suexec = _Suexec(self.server_user, folder) if with_suexec else None
        self.procs = []
        self.lines, self.server = lines, None
        self.serve(modules)

    def serve(self, modules):
        """Starts Apache with these modules, in place of the one that runs; its port stays."""
        port = self.server.port if self.server else None
        if self.server:
            self.server.stop()
        self.server = _Apache(self, [*modules, *(["suexec"] if self.suexec else [])], self.lines)
        self.server.port = port or self.server.port
        self.server.start()

    def own(self, path, mode):
        os.chown(path, self.user.pw_uid, self.user.pw_gid)
        os.chmod(path, mode)
        return path

    def folder(self, name):
        """A folder of the web server, for web.Server."""
        path = os.path.join(self.root, name)
        os.makedirs(path, exist_ok=True)
        os.chown(path, self.server_user.pw_uid, self.server_user.pw_gid)
        os.chmod(path, 0o700)
        return path

    def url(self, path=""):
        return self.server.url(path)

    def environment(self):
        """What a login there leaves."""
        got = {"HOME": self.home, "PATH": "/usr/bin:/bin", "LOGNAME": self.user.pw_name, "SHELL": "/bin/sh"}
        got.update((name, os.environ[name]) for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS") if name in os.environ)
        return got

    def write(self, name, content, mode=0o600):
        """A file of the account in its home; returns its path."""
        path = os.path.join(self.home, name)
        with open(path, "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return self.own(path, mode)

    def read(self, name):
        with open(os.path.join(self.home, name), encoding="utf-8") as f:
            return f.read()

    def sh(self, text, codes=(0,), folder="hookonce", limit_s=90):
        """Runs a block as the account -> what it printed, stderr too, as text."""
        done = run(["sh", "-e", "-u", "-c", text + "\n"], limit_s, self.user, env=self.environment(),
                   cwd=os.path.join(self.home, folder))
        said = (done.stdout + done.stderr).decode(errors="replace")
        assert done.returncode in codes, f"{text}\nended with {done.returncode}:\n{said}\n{self.report()}"
        return said

    def cron(self, line):
        """Starts a line's command as cron does -> Proc."""
        command = line.split(None, 5)[5].replace("\\%", "%")
        proc = Proc(["/bin/sh", "-c", command], os.path.join(self.root, "cron.log"), env=self.environment(),
                    user=self.user, cwd=self.home)
        self.procs.append(proc)
        return proc

    def type_in(self, command, answers, maybe=(), limit_s=90, folder="hookonce"):
        """Runs a command at a terminal, and types the answer to each question, [(its begin, answer), …], in any
        order, and to those of `maybe` if they are asked -> (exit code, all that the terminal showed)."""
        screen, line = pty.openpty()
        child = subprocess.Popen(["sh", "-c", command], stdin=line, stdout=line, stderr=line, env=self.environment(),
                                 cwd=os.path.join(self.home, folder), start_new_session=True, **account(self.user))
        os.close(line)
        shown, seen, end, left = b"", 0, time.monotonic() + limit_s, [*answers, *maybe]
        while time.monotonic() < end:
            if select.select([screen], [], [], 0.1)[0]:
                try:
                    piece = os.read(screen, 4096)
                except OSError:  # nobody has the terminal any more
                    break
                shown += piece
            for question, answer in left:
                at = shown.find(question.encode(), seen)
                if at >= 0 and shown.endswith(b": "):
                    seen = len(shown)
                    left.remove((question, answer))
                    os.write(screen, answer.encode() + b"\n")
                    break
        os.close(screen)
        code = child.wait(10)
        left = [one for one in left if one not in maybe]
        assert not left, f"never asked: {left}\n{shown.decode(errors='replace')}"
        return code, shown.decode(errors="replace").replace("\r\n", "\n")

    def report(self):
        return self.server.logs()[-3000:] + (self.suexec.refusals()[-2000:] if self.suexec else "")

    def close(self):
        self.server.stop()
        for proc in self.procs:
            proc.stop()
        end_all_below(self.home)
        if self.suexec:
            self.suexec.close()
