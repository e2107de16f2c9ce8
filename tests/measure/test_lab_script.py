"""A script in virtual time: the example of the manual, and scripts that are wrong."""

import re

import pytest
import yaml

from remeasure.bench.base.paths import ROOT
from remeasure.paper.publish.advisor.configurations import MTU, WIREGUARD, wireguard_templates

pytestmark = [pytest.mark.lab, pytest.mark.slow]

LAB = ["remeasure", "lab", "site-to-site", "--testbed", "virtual", "--script"]
EXAMPLE = "docs/examples/rekeying.yaml"
TAKES_FILE = """\
ip link del wg0; ip rule del lookup 51820; ln -sfn /proc/self/fd /dev/fd
umask 077; mkdir /run/page; cd /run/page
cat >wg0.conf <<'END'
{}END
for key in PrivateKey PublicKey; do
  sed -i "s|^# $key = .*|$(grep ^$key /run/wg0.conf)|" wg0.conf
done
ip route del $(sed -n 's/^AllowedIPs = //p' wg0.conf)
wg-quick up ./wg0.conf 2>&1
"""


def test_the_example_says_the_same_twice_and_loses_nothing(shared_project):
    first, second = (shared_project.run(*LAB, EXAMPLE) for _ in range(2))
    assert first == second
    status, output = first
    assert status == 0, output
    assert "rekey completed successfully" in output
    assert "80 packets transmitted, 80 received, 0% packet loss" in output
    assert output.count("INSTALLED, TUNNEL, ESP:AES_GCM_16-128") == 1


@pytest.mark.parametrize("name", ["iptfs", "beet", "selftest"])
def test_what_the_manual_prints_of_a_script_is_what_it_says(shared_project, name):
    """Times and SPIs depend on the version of strongSwan, so they are not compared."""
    status, output = shared_project.run(*LAB, f"docs/examples/{name}.yaml")
    assert status == 0, output
    told = (ROOT / f"docs/examples/{name}.txt").read_text()
    first, second = (
        re.sub(r"0x[0-9a-f]{8}|[0-9]+\.[0-9]{6} s", "*", text) for text in (output, told)
    )
    assert first.strip() == second.strip()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "steps: [{gw9: id}]",
            "steps.1: found gw9, expected one of client1, gw1, gw2, client2, wait",
        ),
        ("steps: [{wait: long}]", "wait: found 'long', expected seconds"),
        ("steps: [{gw1: 3}]", "gw1: found 3.0, expected lines for sh"),
        ("steps: [{gw1: id, gw2: id}]", "steps.0: Dictionary should have at most 1 item"),
        ("steps: []", "steps: "),
        ("shaping: {gw1.lan: {}}\nsteps: [{gw1: id}]", "shaping: found gw1.lan, expected"),
        ("steps: [{gw1: 'echo no >&2; exit 3'}]", "steps.1: gw1: exit 3: "),
    ],
)
def test_a_wrong_script_is_refused_in_a_line(shared_project, text, says):
    (shared_project.folder / "steps.yaml").write_text(text)
    status, output = shared_project.run(*LAB, "steps.yaml")
    assert status != 0
    assert says in output
    assert "Traceback" not in output


def test_wg_quick_takes_the_file_of_my_tunnel(shared_project):
    """The file replaces the tunnel of the lab, and takes its keys. Packets as long as the MTU in
    the file pass in one piece, and longer ones do not."""
    files = {end: texts["yes"].replace(MTU, "1440") for end, texts in wireguard_templates().items()}
    steps = [{end: TAKES_FILE.format(files[end])} for end in ("gw2", "gw1")]
    steps += [
        {"client1": f"ping -c 2 -M do -s {size} 192.168.20.1 || true"} for size in (1412, 1413)
    ]
    steps += [{"gw1": "nstat -az IpFragCreates"}]
    tunnel = WIREGUARD.model_dump() | {"kind": "wireguard"}
    script = yaml.safe_dump({"tunnel": tunnel, "steps": steps})
    (shared_project.folder / "steps.yaml").write_text(script)
    status, output = shared_project.run(*LAB, "steps.yaml")
    assert status == 0, output
    assert output.count("[#] ip link set mtu 1440 up dev wg0") == 2
    assert re.findall(r"(\d) received", output) == ["2", "0"]
    assert "Frag needed and DF set (mtu = 1440)" in output
    assert re.search(r"IpFragCreates +0 ", output)


def test_another_testbed_has_a_shell(shared_project):
    status, output = shared_project.run(*LAB, EXAMPLE, "--testbed", "lab")
    assert status != 0
    assert "testbed lab: backend uml: --script is for virtual time" in output
