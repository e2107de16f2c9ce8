"""Shell lines for a pair of which an end has an ipsec.conf: strongSwan's starter starts charon, and
again 5 s after its death, and gives it the operator's text by the plugin stroke."""

from remeasure.bench.ipsec import vici
from remeasure.bench.testbed.tools import fail_showing, wait_until
from remeasure.bench.tryout.pair import LEGACY, LEGACY_CONF, PID, WHOLE

SECRETS = f"{LEGACY}/ipsec.secrets"
# starter waits for this file, which charon-systemd does not write.
DAEMON = f"""\
charon-systemd {{
  plugins {{
    stroke {{
      load = yes
      secrets_file = {SECRETS}
    }}
  }}
  start-scripts {{
    made = swanctl --load-all --noprompt >/run/load.out 2>&1
    known = "echo $PPID >{PID}"
    started = touch /run/charon-systemd.pid
  }}
}}
"""
"""strongswan.conf(5) for charon; secrets and keys that the lab makes come by swanctl"""
MOUNTED = f"cp -a {LEGACY} /run/own; mount --bind /run/own {LEGACY}\n"
"""lines that give an end its own folder"""
_RUNS = "pgrep -x starter >/dev/null"
_START = f"""\
rm -f {vici.SOCKET}
{_RUNS} || {{ STRONGSWAN_CONF={WHOLE} setsid /usr/lib/ipsec/starter --daemon charon-systemd \\
--conf {LEGACY_CONF} --nofork </dev/null >/run/starter.out 2>&1 &
{wait_until(_RUNS, "break", pause_s=0.01)}
}}
{wait_until(f"! {_RUNS} || swanctl --list-conns 2>/dev/null | grep -q :", "break", steps=400)}
{_RUNS} || {{ {fail_showing("/run/starter.out")}; }}
sed -n 's/^ *# /starter: /p' /run/starter.out
"""


def with_starter(start: str, stop: str, forget: str) -> tuple[str, str, str]:
    """Lines that start a daemon, stop it, or make the kernel forget its SAs, for both kinds of end.
    Only a killed charon is left to its starter."""
    own = f"[ -e {LEGACY_CONF} ]"
    ended = wait_until(f"! {_RUNS}", "break", pause_s=0.01)
    end = f"! {own} || {{ pkill -KILL -x starter; {ended}; }}\n"
    return f"if {own}; then\n{_START}else\n{start}fi\n", end + stop, end + forget
