"""An end with the operator's ipsec.conf(5), its secrets and its folder of keys. strongSwan's own
starter reads their text in the guest, and starts charon with the plugin stroke."""

from pathlib import Path

from remeasure.bench.tryout.conf import GUEST, Section, Spot, read_text
from remeasure.bench.tryout.ipsec_conf import is_ipsec_conf, read_ipsec_conf, read_secrets
from remeasure.bench.tryout.ipsec_starter import DAEMON, SECRETS
from remeasure.bench.tryout.ipsec_terms import connection
from remeasure.bench.tryout.operator_files import LEFT_OUT, add_credential, add_daemon, read_end
from remeasure.bench.tryout.pair import LEGACY, LEGACY_CONF, End
from remeasure.bench.tryout.refusals import refuse_foreign


def read_either_end(name: str, source: Path, peer: End | None = None) -> End:
    """An end with a swanctl.conf or an ipsec.conf. `peer`: an end that was read before; if a conn
    calls an address of it left, right is this end. Raises Refused."""
    folder = source.is_dir() and not (source / "swanctl.conf").exists()
    path = source / "ipsec.conf" if folder else source
    if not is_ipsec_conf(path):
        return read_end(name, source)
    refuse_foreign(path, read_text(path))
    text, conns, left_out = read_ipsec_conf(path)
    end = End(name, source, _root(path, conns, peer))
    end.files = {
        LEGACY_CONF: text,
        SECRETS: "",
        f"{GUEST}/swanctl.conf": "",
        "/etc/strongswan.d/zz-ipsec.conf": DAEMON,
    }
    end.notes = [
        f"{key} left out: {LEFT_OUT.get(key, LEFT_OUT['updown'])}" for key in sorted(left_out)
    ]
    for given in (path.with_name("ipsec.secrets"), path.with_suffix(".secrets")):
        if given.is_file():
            end.files[SECRETS], end.conf["secrets"] = read_secrets(given)
    for one in sorted(filter(Path.is_file, path.parent.glob("ipsec.d/*/[!.]*"))):
        add_credential(end, one, f"{LEGACY}/{one.parent.name}/{one.name}")
        if one.parent.name == "cacerts":  # where its peer looks for authorities
            add_credential(end, one, f"{GUEST}/x509ca/{one.name}")
    add_daemon(end, path.parent)
    return end


def _root(path: Path, found: dict[str, Section], peer: End | None) -> Section:
    """The conns that starter loads, as a swanctl.conf would have them. Raises Refused."""
    root = Section(Spot(path, 1))
    root |= {"connections": Section(root.spot), "pools": Section(root.spot)}
    others = peer.conf.section("connections").sections().values() if peer else ()
    theirs = {one for conn in others for one in conn.items_of("local_addrs")}
    loaded = {k: one for k, one in found.items() if one.text("auto") in ("add", "route", "start")}
    for name, conn in loaded.items():
        made, pools = connection(name, conn, conn.text("left") in theirs)
        root["pools"] |= pools
        # stroke gives the children of equal connections to the first of them.
        for one in root["connections"].values():
            if {**one, "children": 0} == {**made, "children": 0}:
                one["children"] |= made["children"]
                break
        else:
            root["connections"][name] = made
    if found and not loaded:
        conn = next(iter(found.values()))
        raise conn.refuse("auto", "starter loads no conn; expected add, route or start")
    return root
