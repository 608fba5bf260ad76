"""Plain CGI is a full mode: what a delivery costs there is bounded."""

import os

import pytest

from hooktest.cost import cgi_cost

STRIPE = {"stripe": {"provider": "stripe", "secret": "whsec_c3RyaXBlLXRlc3Qtc2VjcmV0LTE="}}

# The portable program is promised 6; one that is linked dynamically searches its libraries at every start.
PORTABLE, DYNAMIC = 6, 8


def test_a_delivery_costs_few_times_what_the_least_program_does(site):
    s = site(sources=STRIPE)
    with open(s.receiver, "rb") as f:
        if b"__asan_init" in f.read():
            pytest.skip("a sanitized build costs what it costs")
    portable = os.environ.get("HOOKONCE_PORTABLE")
    assert cgi_cost(s) <= (PORTABLE if portable else DYNAMIC)
    s.import_spooled()
    assert s.count("receipt") == 40
