"""Lines of shell that wait."""

import subprocess

from remeasure.bench.testbed.wait import fail, fail_showing, wait_until


def sh(script: str) -> tuple[int, str, str]:
    done = subprocess.run(["sh", "-e", "-c", script], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_waiting_ends_when_the_condition_holds(tmp_path):
    count = tmp_path / "count"
    grow = f"echo x >>{count}; [ $(wc -l <{count}) -ge 3 ]"
    line = wait_until(f"{{ {grow}; }}", fail("too late"), steps=5, pause_s=0)
    assert sh(f"{line}; echo done") == (0, "done\n", "")
    assert count.read_text() == "x\n" * 3


def test_waiting_in_vain_says_why(tmp_path):
    (tmp_path / "log").write_text("no room\n")
    line = wait_until("false", fail("daemon does not stop"), steps=2, pause_s=0)
    assert sh(f"{line}; echo done") == (1, "", "daemon does not stop\n")
    line = wait_until("false", fail_showing(str(tmp_path / "log")), steps=2, pause_s=0)
    assert sh(f"{line}; echo done") == (1, "", "no room\n")
    line = wait_until("false", "late=yes; break", steps=2, pause_s=0)
    assert sh(f"{line}; echo $late") == (0, "yes\n", "")
