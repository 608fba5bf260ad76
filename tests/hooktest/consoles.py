"""Adminer and phpMyAdmin, each on a private PHP server: the SQL consoles of an operator."""

import os

from .paths import BUILD, PROJECT, tool
from .proc import Proc, free_port, wait_until
from .wire import raw

# A person logs in by the form. Nothing is stored and nobody outside is asked.
_PHPMYADMIN = """<?php
$cfg['blowfish_secret'] = '{secret}';
$cfg['Servers'][1]['auth_type'] = 'cookie';
$cfg['Servers'][1]['socket'] = '{socket}';
$cfg['Servers'][1]['host'] = 'localhost';
$cfg['VersionCheck'] = false;
$cfg['SendErrorReports'] = 'never';
$cfg['PmaNoRelation_DisableWarning'] = true;
$cfg['CodemirrorEnable'] = false;
"""


def _unpacked():
    """The folder that tests/setup.sh unpacks the consoles into."""
    for build in (BUILD, os.path.join(PROJECT, "build")):
        path = os.path.join(build, "tools", "consoles", "usr", "share")
        if os.path.isdir(path):
            return path
    raise AssertionError("Adminer and phpMyAdmin are missing: tests/setup.sh test unpacks them")


class Console:
    """A running PHP server for `name`, adminer or phpmyadmin, before one database server.

    start_path is where its first page is.
    """

    def __init__(self, name, folder, socket):
        share = _unpacked()
        os.makedirs(folder, mode=0o700)
        temporary = os.path.join(folder, "tmp")
        os.mkdir(temporary, 0o700)
        self.port = free_port()
        config = os.path.join(folder, "config.inc.php")
        with open(config, "w", encoding="ascii") as f:
            f.write(_PHPMYADMIN.format(secret=os.urandom(16).hex(), socket=socket))
        settings = {
            "include_path": f".:{share}/php:/usr/share/php", "session.save_path": temporary,
            "upload_tmp_dir": temporary, "sys_temp_dir": temporary, "opcache.enable_cli": "1",
        }
        self.log = os.path.join(folder, "php.log")
        self._proc = Proc([tool("php"), *(f"-d{k}={v}" for k, v in settings.items()),
                           "-S", f"127.0.0.1:{self.port}", "-t", os.path.join(share, name)], self.log,
                          env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "PHP_CLI_SERVER_WORKERS": "3",
                               "PHPMYADMIN_CONFIG": config, "PHPMYADMIN_TEMP": temporary + "/"})
        start = {"adminer": "adminer.php", "phpmyadmin": "index.php"}[name]
        self.url = f"http://127.0.0.1:{self.port}/{start}"
        wait_until(self._listens, 20, f"{name} listens")

    def _listens(self):
        assert self._proc.alive(), f"php ended while starting:\n{self._proc.output()}"
        try:
            raw(self.port, b"", read=False)
        except OSError:
            return False
        return True

    def stop(self):
        """Stops the PHP server and its workers."""
        self._proc.stop(5)
