"""Scripts for Windows hosts: each is PowerShell by a grammar, and the dry run."""

import re
import subprocess
import sys

import pytest
import tree_sitter
import tree_sitter_powershell
from cases import cases
from windows_server import decoded

from remeasure.bench.base import config
from remeasure.bench.base.errors import UserError
from remeasure.bench.base.paths import ROOT
from remeasure.bench.base.topology import load_topology
from remeasure.bench.campaign.plan import probe_order
from remeasure.bench.campaign.scenario import load_scenario
from remeasure.bench.lab.testbeds import document_of, load_testbed
from remeasure.bench.testbed.inventory import Inventory
from remeasure_windows import powershell
from remeasure_windows.flows import all_steps, on_windows
from remeasure_windows.plan import TOOLS, Plan
from remeasure_windows.readiness import look, script_of
from remeasure_windows.suites import ends_of, esp_terms, ike_terms

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_powershell.language()))
SWEEP = load_scenario("algorithm-sweep", "quick")


def wrong_nodes(text: str) -> list[str]:
    """Parts of a text that the grammar does not take."""
    found, todo = [], [PARSER.parse(text.encode()).root_node]
    while todo:
        node = todo.pop()
        if node.type == "ERROR" or node.is_missing:
            found.append(f"{node.start_point}: {node.text.decode()[:60]!r}")
        todo += node.children
    return found


def example(**settings) -> Inventory:
    """The example's hosts, with other settings."""
    hosts = load_testbed("example-windows").hosts
    settings = [host.windows.model_copy(update=settings) for host in hosts]
    changed = [h.model_copy(update={"windows": s}) for h, s in zip(hosts, settings, strict=True)]
    return Inventory(name="t", hosts=changed)


def plan_of(inventory: Inventory, suite: str) -> Plan:
    hosts = {role: inventory.host(role) for role in SWEEP.topology.hosts}
    return Plan(SWEEP.settings({"suite": suite}), SWEEP.topology, hosts)


def scripts(inventory: Inventory, suite: str) -> list[str]:
    plan = plan_of(inventory, suite)
    probes = on_windows(probe_order(SWEEP, 1, 1, {"suite": suite}))
    return [step.text for _, step in all_steps(plan, probes)]


CASES = [(tool, cell["suite"]) for tool in TOOLS for cell in SWEEP.all_cells]


@pytest.mark.parametrize(("tool", "suite"), CASES)
def test_every_script_of_every_cell_is_powershell(tool, suite):
    found = set(scripts(example(ipsec=tool), suite))
    steps = {text.partition("\n")[0] for text in found}
    # Without IPsec no tunnel is set up and brought up at two gateways.
    assert len(steps) == 9 + 3 * (suite != "none"), steps
    assert {text: wrong for text in found if (wrong := wrong_nodes(text))} == {}


@pytest.mark.parametrize("tool", TOOLS)
def test_what_is_run_before_a_block_is_powershell(tool):
    for host in example(ipsec=tool).hosts:
        assert wrong_nodes(look(host.windows)) == []
        odd = host.model_copy(update={"interfaces": {"wan": "Ethernet 2", "a": "it's \u2019 odd"}})
        assert wrong_nodes(script_of(odd)) == []
    assert wrong_nodes(powershell.read("run-sent")) == []
    assert wrong_nodes(powershell.read("clock")) == []


@pytest.mark.parametrize(
    "name", ["Ethernet 2", "it's", "\u2018typographic\u2019", "a`b$c", "\u017d\u00fcrich"]
)
def test_a_literal_is_one_string_whatever_is_in_it(name):
    text = f"Get-Item {powershell.quote(name)}"
    strings, todo = [], [PARSER.parse(text.encode()).root_node]
    assert wrong_nodes(text) == []
    while todo:
        node = todo.pop()
        todo += node.children
        if node.type == "verbatim_string_characters":
            strings.append(node.text.decode())
    assert len(strings) == 1
    assert re.sub("(['\u2018\u2019])\\1", r"\1", strings[0][1:-1]) == name


def test_a_script_and_its_secret_travel_unchanged_and_the_line_fits_cmd():
    text, secret = "'\u017d' # one\n'two'\n", "s3cret"
    sent = powershell.encode(text, secret)
    assert sent.isascii() and decoded(sent) == [text, secret]
    assert len(powershell.command_line()) < 8191  # characters that cmd.exe takes
    assert not re.search(r"[\"'&|<>^%]", powershell.command_line())


def test_what_powershell_says_is_one_line():
    said = '#< CLIXML\r\n<Objs><S S="Error">no rule_x000D__x000A_</S></Objs>'
    assert powershell.said(said) == "no rule"


def test_a_suite_in_the_words_of_each_tool():
    assert esp_terms("netsecurity", "3des-sha1") == ("SHA1", "DES3")
    assert esp_terms("advfirewall", "aes128gcm16") == ("aesgcm128", "aesgcm128")
    assert ike_terms("advfirewall", "aes256-sha256-modp2048") == ("aes256", "sha256", "dhgroup14")


@pytest.mark.parametrize(
    ("tool", "proposal", "message"),
    [
        ("netsecurity", "chacha20poly1305", "does not offer .*md5, sha1, sha256"),
        ("advfirewall", "des-sha512", "does not offer sha512; expected one of md5"),
    ],
)
def test_a_suite_that_a_tool_lacks_is_one_clear_line(tool, proposal, message):
    with pytest.raises(UserError, match=message) as error:
        esp_terms(tool, proposal)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("tool", TOOLS)
def test_both_ends_of_a_tunnel_mirror_each_other(tool):
    ends = plan_of(example(ipsec=tool), "3des-sha1").ends
    one, two = (TOOLS[tool].set_up(ends[name]) for name in ("gw1", "gw2"))
    pairs = {"198.51.100.1": "198.51.100.2", "192.168.10.0": "192.168.20.0", "gw1": "gw2"}
    pairs |= {value: key for key, value in pairs.items()}
    swapped = re.sub("|".join(map(re.escape, pairs)), lambda match: pairs[match[0]], one)
    assert one != two and swapped == two


def test_no_script_holds_a_secret_and_all_names_have_our_prefix():
    form = re.compile(r"\b(?:DisplayName|IPsecRuleName|Name)(?: =)? '(.*?)'")
    for tool in TOOLS:
        for text in scripts(example(ipsec=tool), "des-md5"):
            assert ("PreSharedKey" in text or "psk=" in text) == (powershell.SECRET in text)
            made = form.findall(text) if "set up the tunnel" in text else []
            for name in made + re.findall(r"\bname=([\w-]+)", text):
                assert name.startswith("remeasure-") or name == "all", name


@pytest.mark.parametrize(
    ("change", "message"), cases(__file__, "what_windows_cannot_make_of_a_tunnel_is_one_clear_line")
)
def test_what_windows_cannot_make_of_a_tunnel_is_one_clear_line(change, message):
    tunnel = SWEEP.settings({"suite": "des-md5"}).tunnel.model_copy(update=change)
    with pytest.raises(UserError, match=message):
        ends_of(tunnel, SWEEP.topology, "gw1")


def test_a_cell_with_netem_or_another_probe_is_one_clear_line():
    scenario = load_scenario("psk-rsa", "smoke")
    hosts = {role: example().host(role) for role in scenario.topology.hosts}
    impaired = scenario.settings_where(auth="psk", network="impaired")
    with pytest.raises(UserError, match="shaping.gw1.wan.netem: found .*Windows has none"):
        Plan(impaired, scenario.topology, hosts)
    with pytest.raises(UserError, match=r"probes.\w+: found \w+, expected ditg"):
        on_windows(impaired.probes)
    says = "topology site-to-site-v6: found addresses of IPv6, expected IPv4 on Windows hosts"
    with pytest.raises(UserError, match=says):
        Plan(SWEEP.settings(SWEEP.cells[0]), load_topology("site-to-site-v6"), {})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["example-windows"], "New-NetIPsecRule"),
        (["example-windows", "suite=x"], "^dry_run: suite=x: no such cell.*=des-md5"),
        (["lab"], "^dry_run: testbed lab: expected one of Windows hosts\n$"),
    ],
)
def test_the_command_shows_a_cell_with_ipsec_unless_told_otherwise(arguments, says):
    command = [sys.executable, ROOT / "workflow/windows/dry_run.py", "algorithm-sweep", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert re.search(says, done.stdout + done.stderr)


HOST = {"name": "a", "roles": ["gw1"], "address": "192.0.2.1", "key": "none", "interfaces": {}}
WINDOWS = HOST | {"os": "windows", "windows": {"ipsec": "netsecurity"}}


@pytest.mark.parametrize(
    ("hosts", "message"),
    [
        ([HOST | {"os": "windows"}], "host a: os windows needs the field windows"),
        ([HOST | {"windows": {"ipsec": "advfirewall"}}], "host a: os linux has no field windows"),
        ([WINDOWS | {"sudo": True}], "host a: Windows has no sudo; log in as an administrator"),
        ([WINDOWS, HOST | {"name": "b", "roles": ["gw2"]}], "have the same os, found a windows, b"),
        ([WINDOWS | {"windows": {"ipsec": "x"}}], "hosts.0.windows.ipsec: Input should be 'netse"),
    ],
)
def test_a_wrong_inventory_is_one_clear_line(hosts, message):
    with pytest.raises(UserError, match=f"^t.yaml: .*{message}") as error:
        config.validate(Inventory, {"name": "t", "hosts": hosts}, "t.yaml")
    assert "\n" not in str(error.value)


def test_what_a_campaign_freezes_of_windows_hosts_has_no_login():
    document = document_of(load_testbed("example-windows"))
    assert document["hosts"][0]["windows"]["ipsec"] == "netsecurity"
    assert "192.0.2" not in str(document) and "tester" not in str(document)
