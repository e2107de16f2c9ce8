"""Missing readiness of Windows hosts is one line, before anything is changed."""

import pytest
from cases import cases
from windows_server import SWEEP

from remeasure.bench.base.errors import UserError
from remeasure.bench.testbed.treatments.instructions import ANY
from remeasure_windows.powershell import WindowsRemote
from remeasure_windows.readiness import check_host
from remeasure_windows.system import WindowsMachines


@pytest.mark.parametrize(
    ("role", "step", "said", "message"),
    cases(__file__, "what_is_not_ready_is_one_line_before_anything_is_changed"),
)
def test_what_is_not_ready_is_one_line_before_anything_is_changed(
    windows, role, step, said, message
):
    def answer(text):
        if step == "network connections":
            return said, "", 0
        key = said.partition("\t")[0]
        lines = windows._do_look(role, text).splitlines(keepends=True)
        return "".join([said, *(line for line in lines if not line.startswith(key))]), "", 0

    windows.wrong[role, step] = answer
    hosts = WindowsMachines(windows.inventory(), SWEEP.topology)
    with pytest.raises(UserError, match=message) as error:
        hosts.require({ANY})
    assert "\n" not in str(error.value)
    for machine in windows.machines.values():
        assert set(machine.steps) <= {"look", "network connections"}


def test_ready_hosts_are_ready_and_a_lost_one_is_one_line(windows):
    hosts = WindowsMachines(windows.inventory(), SWEEP.topology)
    hosts.require({ANY})
    hosts.__exit__()
    gateway = WindowsRemote(windows.inventory().host("gw1"))
    found = check_host(gateway, SWEEP.topology.links_of("gw1"))
    wanted = ["connection", "privileges", "PowerShell", "IPsec", "tool d-itg", "forwarding"]
    wanted += ["interface site1", "interface wan", "clock"]
    assert {f.what: f.state for f in found} == dict.fromkeys(wanted, "present")
    lost = WindowsRemote(windows.inventory().host("gw1"))
    windows.close()
    (found,) = check_host(lost)
    assert (found.what, found.state) == ("connection", "missing")
    assert "host pc-gw1 (tester@127.0.0.1:" in found.detail and "\n" not in found.detail
