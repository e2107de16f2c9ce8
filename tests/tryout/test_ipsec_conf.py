"""ipsec.conf as strongSwan's starter reads it, and a pair that starter runs."""

from pathlib import Path

import pytest
from cases import cases
from real_guests import run_inside

from remeasure.bench.base.errors import UserError
from remeasure.bench.lab.namespace import enter
from remeasure.bench.lab.virtual.guest import get_parts
from remeasure.bench.tryout.reading_pair import read_pair
from remeasure.bench.tryout.renewals import renewals
from remeasure.bench.tryout.running_pair import RunningPair, Way
from remeasure.bench.tryout.set_up import set_up
from remeasure.bench.tryout.try_events import observed
from remeasure.paper.publish.tryout.cures import set_in

CONF = "/etc/ipsec.d/ipsec.conf"
SECRET = '@left.example @right.example : PSK "of both"\n'
PAIR = """\
conn site
  left=203.0.113.1
  leftid=@left.example
  leftsubnet=10.1.0.0/16
  right=203.0.113.2
  rightid=@right.example
  rightsubnet=10.2.0.0/16
  authby=secret
  dpdaction=restart
"""


def test_settings_come_from_also_includes_and_defaults(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("more").mkdir()
    Path("more/a.conf").write_text(cases(__file__, "more"))
    Path("ipsec.conf").write_text(cases(__file__, "site"))
    Path("right.conf").write_text(cases(__file__, "site").replace("leftcert=left.pem", ""))
    pair = read_pair(Path(), Path("right.conf"), keys="ed25519")
    assert pair.left.conf["connections"] == {"site": cases(__file__, "read")}
    assert "\n# left out by the lab: leftfirewall=yes\n" in pair.left.files[CONF]
    assert pair.left.notes[:2] == [
        "firewall left out: the lab has no firewall",
        "inactivity left out: the lab's traffic pauses for longer",
    ]
    assert "/etc/ipsec.d/certs/left.pem" in pair.left.files
    # right is the own side of the same conn at the other end.
    assert pair.right.conn.text("local_addrs") == "203.0.113.2"
    assert str(pair.right.outer) == "203.0.113.2" and str(pair.right.host) == "10.2.0.10"


def test_secrets_are_used_and_given_to_a_mirrored_end(tmp_path):
    (tmp_path / "left.conf").write_text(PAIR.replace("site", "my.site") + "  auto=start\n")
    (tmp_path / "left.secrets").write_text(SECRET)
    pair = read_pair(tmp_path / "left.conf", None)
    assert pair.left.files["/etc/ipsec.d/ipsec.secrets"] == SECRET
    assert 'secret = "of both"' in pair.right.files["/etc/swanctl/swanctl.conf"]
    assert pair.right.conn.text("reauth_time") == "10260s" and not pair.right.starts


def test_a_cure_is_in_the_words_of_the_file(tmp_path):
    (tmp_path / "left.conf").write_text(PAIR + "  auto=start\n")
    pair = read_pair(tmp_path / "left.conf", None)
    assert set_in(pair.ends, "start_action = trap") == (
        "In left's conn site: auto = route; in right's child site: start_action = trap"
    )
    assert set_in(pair.ends, "replay_window = 64") == (
        "In left's conn site and right's child site: replay_window = 64"
    )


@pytest.mark.parametrize(("line", "message"), cases(__file__, "refused"))
def test_a_file_is_refused_in_one_line(tmp_path, monkeypatch, line, message):
    monkeypatch.chdir(tmp_path)
    Path("left.conf").write_text(PAIR.replace("\n", f"\n  {line}\n", 1) + "  auto=add\n")
    with pytest.raises(UserError) as error:
        read_pair(Path("left.conf"), None)
    assert str(error.value).startswith(message) and "\n" not in str(error.value)


def answers(folder: str) -> dict:
    """Set-up, renewals and a kill of a pair that starter runs."""
    paths = [Path(folder) / "left.conf", Path(folder) / "right.conf"]
    paths[0].write_text(f"{PAIR}  ikelifetime=20m\n  margintime=2m\n  dpddelay=30s\n  auto=start\n")
    paths[1].write_text(f"{PAIR}  rekey=no\n  auto=add\n")
    (Path(folder) / "ipsec.secrets").write_text(SECRET)
    parts = get_parts()
    enter(tun=False)
    with RunningPair(parts, read_pair(*paths), Way(), False, "test ipsec.conf") as running:
        up, renewed = set_up(running), renewals(running)
        return {"up": up, "renewed": renewed, "killed": observed(running, "kill", 1)["ends"]}


@pytest.mark.lab
def test_starter_runs_a_pair(shared_project, tmp_path):
    found = run_inside(shared_project, answers, tmp_path)
    up, again = found["up"], found["renewed"]["reauthentication"]
    assert (up["up"], up["answered"], up["began"], up["initiator"]) == (True, True, "start", "left")
    assert 960 <= up["lifetimes_s"]["reauthenticated"] <= 1080 and up["complaints"] == {}
    assert (again["planned"], again["renewed"], again["up"]) == (True, True, True)
    assert not found["renewed"]["ike"]["planned"]
    assert all(one["up"] and one["back_s"] < 10 for of in found["killed"].values() for one in of)


def after_events(folder: str) -> dict:
    """Ends of a pair with traps, one of them mirrored, after events that end a daemon."""
    path = Path(folder) / "left.conf"
    path.write_text(f"{PAIR}  dpddelay=30s\n  auto=route\n")
    parts = get_parts()
    enter(tun=False)
    with RunningPair(parts, read_pair(path, None), Way(), False, "test traps") as running:
        events = ("stop", "reboot", "forget")
        return {name: observed(running, name, 1)["ends"]["left"] for name in events}


@pytest.mark.lab
@pytest.mark.slow
def test_starter_comes_back_after_each_event(shared_project, tmp_path):
    found = run_inside(shared_project, after_events, tmp_path)
    assert all(one["up"] for of in found.values() for one in of), found
