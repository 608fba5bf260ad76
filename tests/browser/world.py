#!/usr/bin/python3 -B
"""A site and the SQL consoles before it, for the browser tests.

Reads one JSON line first: {"consoles": [adminer, phpmyadmin], "migrate": true or false, "serve": true or
absent, "sources", "handlers", "routes", "settings": as Site takes them, "files": {name: content}}. Says
{"adminer": URL, "phpmyadmin": URL, "socket", "database", "user", "password", "port"}, then answers as
hooktest/asked.py says. It ends with its standard input.
"""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from hooktest import Site, asked  # noqa: E402
from hooktest.consoles import Console  # noqa: E402


def main():
    wanted = asked.opening()
    with asked.place() as (folder, server):
        database = server.create_database()
        more = {name: wanted[name] for name in ("sources", "handlers", "routes", "settings", "files")
                if name in wanted}
        site, consoles = Site(os.path.join(folder, "site"), database, **more), {}
        try:
            if wanted["migrate"]:
                site.migrate()
            for name in wanted["consoles"]:
                consoles[name] = Console(name, os.path.join(folder, name), server.socket)
            site.serve("lighttpd", procs=1)
            asked.serve(site, {
                **{name: console.url for name, console in consoles.items()}, "socket": server.socket,
                "database": database.name, "user": database.user, "password": database.password,
                "port": site.server.port})
        finally:
            for console in consoles.values():
                console.stop()
            site.close()


if __name__ == "__main__":
    main()
