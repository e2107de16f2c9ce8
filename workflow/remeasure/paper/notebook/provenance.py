"""Where and with what a campaign was measured, read from the records of its blocks."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from remeasure.bench.campaign.archive import BlockArchive
from remeasure.bench.testbed.treatments.instructions import OF_INSTRUCTIONS, made_of_parts

NOT_RECORDED = "not recorded"


def provenance(blocks: Sequence[Path]) -> dict[str, Any]:
    """Facts of a campaign: campaign, profile, blocks, trials, first and last day (UTC), machine,
    placement of guests on it, the versions of kernel, strongSwan and tools, and the drivers of the
    kernel's ciphers and hashes (NOT_RECORDED in older blocks). If a fact differs between blocks,
    its values are separated by ' / '."""
    archives = [BlockArchive(path) for path in blocks]
    sessions = [session for a in archives for session in a.block["sessions"]]
    machines = [session["machine"] for session in sessions if "machine" in session]
    hosts = [host for session in sessions for host in session["hosts"].values()]
    packages = [session.get("image", {}).get("packages", {}) for session in sessions]
    days = sorted(session["start"][:10] for session in sessions)

    def all_of(values: Iterable[object]) -> str:
        return " / ".join(sorted({str(value) for value in values}))

    return {
        "campaign": all_of(a.block["campaign"] for a in archives),
        "profile": all_of(a.block["profile"] for a in archives),
        "blocks": len(archives),
        "first_day": days[0],
        "last_day": days[-1],
        "software": all_of(session["software"][:12] for session in sessions),
        "machine": all_of(machine["cpu"] for machine in machines),
        "machine_cpu_flags": all_of(one.get("cpu_flags", NOT_RECORDED) for one in machines),
        "machine_cpus": all_of(machine["cpus"] for machine in machines),
        "machine_kernel": all_of(machine["kernel"] for machine in machines),
        "placement": all_of(_placement(session["guests"]) for session in sessions),
        "kernel": all_of(host["kernel"].split()[1] for host in hosts),
        "crypto drivers": _crypto_drivers(hosts),
        # Guests have a package of strongSwan; other machines only print its version.
        "strongswan": all_of(p["charon-systemd"] for p in packages if p)
        or all_of(host["tools"].get("swanctl", "") for host in hosts),
        # Each scenario has its own.
        "tools": {
            tool: all_of(host["tools"][tool] for host in hosts if tool in host["tools"])
            for tool in dict.fromkeys(tool for host in hosts for tool in host["tools"])
        },
    }


def in_generic_code(where: dict[str, Any]) -> bool:
    """Whether blocks recorded the drivers of ciphers and hashes, and none uses the processor's
    instructions for them. `where` comes from `provenance`."""
    drivers = where["crypto drivers"]
    return drivers != NOT_RECORDED and not OF_INSTRUCTIONS.search(drivers)


def _placement(guests: dict[str, Any]) -> str:
    """The cores of hosts (see lab.placement). Before this was recorded guests were unpinned;
    machines of an inventory have their own."""
    return guests.get("placement") or ("own" if guests["own_machine"] else "wandering")


def _crypto_drivers(hosts: Iterable[dict[str, Any]]) -> str:
    """The driver of each cipher and hash on these hosts, as recorded in blocks, without
    combinations of drivers that are listed anyway."""
    drivers = [host["crypto"] for host in hosts if "crypto" in host]
    if not drivers:
        return NOT_RECORDED
    pairs = {pair for of_host in drivers for pair in of_host.items() if not made_of_parts(*pair)}
    return "; ".join(f"{algorithm}: {driver}" for algorithm, driver in sorted(pairs))
