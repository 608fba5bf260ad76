"""A database that is away for a while, and what then lies in a site's spool."""

import contextlib
import os

from . import events

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE="}}


@contextlib.contextmanager
def away(site):
    """Within it the site looks for its database where there is none."""
    before = site.settings.get("database", {})
    site.settings["database"] = {"socket": "/nonexistent/db.sock"}
    site.configure()
    try:
        yield
    finally:
        site.settings["database"] = before
        site.configure()


def files(site, folder="state/spool", ending=".spool"):
    """Names of the complete files in the spool, oldest first."""
    names = os.listdir(site.path(folder)) if os.path.isdir(site.path(folder)) else []
    return sorted(n for n in names if n.endswith(ending))


def quarantined(site):
    """Names of the files that could not be imported."""
    return files(site, "state/spool/quarantine")


def send(site, event_id, source="stripe", **more):
    """Delivers a Stripe event over CGI -> Answer."""
    body = events.stripe(event_id, **more)
    return site.cgi(source, body, site.signed(source, body))
