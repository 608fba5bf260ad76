"""`make run`, the first thing that a newcomer sees."""

import os

from hooktest import BUILD, PROJECT, free_port
from hooktest.proc import run


def test_the_demonstration_runs_to_its_end(tmp_path):
    env = {**os.environ, "ONCE": "1", "HOOKONCE_BUILD": BUILD, "DEMO_DIR": str(tmp_path / "run"), "PORT": str(free_port())}
    ended = run([os.path.join(PROJECT, "tests", "demo.sh")], 280, env=env)
    assert ended.returncode == 0, ended
    said = ended.stdout.decode()
    for line in ("order is paid", "five times at once", "forged", "handler fails twice"):
        assert line in said, said
    assert "payments: 1" in said and "parcels: 1" in said
