"""Where the programs under test and the servers around them are."""

import glob
import os
import pwd
import shutil

PROJECT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.abspath(os.environ.get("HOOKONCE_BUILD") or os.path.join(PROJECT, "build"))
SCHEMA_VERSION = max(int(os.path.basename(path)[:3]) for path in glob.glob(os.path.join(PROJECT, "schema", "0*.sql")))
_SBIN = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"


def program(name):
    """Path of build/NAME ("hookonce" or "hookonce.fcgi"); fails clearly when it is not built."""
    path = os.path.join(BUILD, name)
    assert os.access(path, os.X_OK), f"{path} is missing: run make first (HOOKONCE_BUILD names the folder)"
    return path


def tool(name):
    """Path of a system program, also from the sbin folders that a user's PATH leaves out."""
    path = shutil.which(name, path=_SBIN)
    assert path, f"{name} is missing: tests/setup.sh test installs it"
    return path


def lighttpd():
    """(program, module folder) of the installed lighttpd, or of the copy that tests/setup.sh unpacks."""
    own = os.path.join(BUILD, "tools", "lighttpd")
    for root in (own, os.path.join(PROJECT, "build", "tools", "lighttpd")):
        path = os.path.join(root, "usr/sbin/lighttpd")
        if os.access(path, os.X_OK):
            return path, os.path.join(root, "usr/lib/lighttpd")
    path = tool("lighttpd")
    for folder in ("/usr/lib/lighttpd", "/usr/lib64/lighttpd", "/usr/local/lib/lighttpd"):
        if os.path.isdir(folder):
            return path, folder
    raise AssertionError("lighttpd has no module folder in any usual place")


def promtool():
    """Prometheus' checker: the installed one, or the copy that tests/setup.sh unpacks."""
    for root in (BUILD, os.path.join(PROJECT, "build")):
        path = os.path.join(root, "tools/promtool/usr/bin/promtool")
        if os.access(path, os.X_OK):
            return path
    return tool("promtool")


def apache():
    """(program, module folder) of Apache."""
    folder = "/usr/lib/apache2/modules"
    assert os.path.exists(f"{folder}/mod_fcgid.so"), "mod_fcgid is missing: tests/setup.sh test installs it"
    return tool("apache2"), folder


def unpacked(name, program_name):
    """(program, root of its tree): installed, or the copy that tests/setup.sh unpacks into tools/<name>."""
    for root in (os.path.join(BUILD, "tools", name), os.path.join(PROJECT, "build/tools", name)):
        for folder in ("usr/sbin", "usr/bin"):
            path = os.path.join(root, folder, program_name)
            if os.access(path, os.X_OK):
                return path, root
    return tool(program_name), "/"


def mariadb_dump():
    """The dump client of MariaDB: the installed one, or the copy that tests/setup.sh unpacks."""
    return unpacked("mariadb-more", "mariadb-dump")[0]


def mariadb_plugins():
    """The folder of the server's plugin auth_ed25519."""
    for root in (os.path.join(BUILD, "tools/mariadb-more"), os.path.join(PROJECT, "build/tools/mariadb-more"), "/"):
        for folder in ("usr/lib/mysql/plugin", "usr/lib64/mariadb/plugin", "usr/lib/mariadb/plugin"):
            if os.path.exists(os.path.join(root, folder, "auth_ed25519.so")):
                return os.path.join(root, folder)
    raise AssertionError("the plugin auth_ed25519 is missing: tests/setup.sh e2e unpacks it")


def nginx():
    """(program, the fastcgi_params that come with it)."""
    path, root = unpacked("nginx", "nginx")
    return path, os.path.join(root, "etc/nginx/fastcgi_params")


def suexec():
    """The suexec of the package apache2-suexec-custom: the copy that tests/setup.sh unpacks."""
    for root in (BUILD, os.path.join(PROJECT, "build")):
        path = os.path.join(root, "tools/suexec/usr/lib/apache2/suexec-custom")
        if os.path.exists(path):
            return path
    raise AssertionError("suexec is missing: tests/setup.sh test unpacks it")


def faketime_library():
    """libfaketime.so.1, to be given as LD_PRELOAD."""
    found = sorted(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")
                   + glob.glob("/usr/lib*/faketime/libfaketime.so.1"))
    assert found, "libfaketime is missing: tests/setup.sh test installs it"
    return found[0]


def site_user():
    """The account that a site's files and programs belong to: the caller's own, but never root's.

    Apache refuses to serve as root, and file permissions mean nothing to root, so as root the
    tests run everything of a site as an ordinary account. None: no change of account.
    """
    if os.geteuid() != 0:
        return None
    for name in ("www-data", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise AssertionError("running as root, and there is neither www-data nor nobody")
