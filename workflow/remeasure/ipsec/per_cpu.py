"""Proof that there is an SA for each processor (RFC 9611), and that they carry traffic.

Never an exact number of SAs: two peers that ask at the same moment make duplicates, and there is
one more for packets that find none of their processor.
"""

from remeasure.ipsec.proof import Check, equal
from remeasure.ipsec.sas import read_list_sas, read_xfrm_state
from remeasure.ipsec.suites import negotiated
from remeasure.ipsec.tunnel import Tunnel


def check_per_cpu(tunnel: Tunnel, gateway: str, list_sas: str, xfrm_state: str,
                  cpus: int) -> list[Check]:
    """Suite and mode of all CHILD_SAs of one gateway; an outbound SA for each of its processors;
    and that at least two of them, where there are two, carried packets."""
    try:
        ike_sas, kernel_sas = read_list_sas(list_sas), read_xfrm_state(xfrm_state)
    except ValueError as error:
        return [Check(f"{gateway}: SA listing", False, str(error), "a readable listing")]
    established = [sa for sa in ike_sas if sa.get("state") == "ESTABLISHED"]
    children = [child for sa in established for child in sa.get("child-sas", {}).values()
                if child.get("state") == "INSTALLED"]
    wanted = {"mode": tunnel.mode.upper(), "protocol": tunnel.protocol,
              **negotiated(tunnel.proposal)}
    wanted.pop("dh-group", None)
    checks = [Check(f"{gateway}: IKE_SAs established", bool(established), str(len(established)),
                    "at least 1")]
    checks += [equal(f"{gateway}: CHILD_SA {key}", sorted({c.get(key) for c in children}, key=str),
                     [value]) for key, value in wanted.items()]
    out = [sa for sa in kernel_sas if sa.direction == "out" and sa.cpu is not None]
    checks.append(equal(f"{gateway}: processors with an SA", sorted({sa.cpu for sa in out}),
                        list(range(cpus))))
    used, least = {sa.cpu for sa in out if sa.packets}, min(2, cpus)
    checks.append(Check(f"{gateway}: processors whose SA carried packets", len(used) >= least,
                        str(sorted(used)), f"at least {least}"))
    return checks
