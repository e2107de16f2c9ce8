"""Logging in to a machine by SSH; any failure is one line with the machine's name. Fabric and
Paramiko are imported in functions: their import takes half a second."""

from __future__ import annotations

import logging
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from remeasure.bench.base.errors import UserError
from remeasure.bench.testbed.inventory import Login, parse_host_key

if TYPE_CHECKING:
    import fabric
    import paramiko

# UserError already says why a connection failed.
logging.getLogger("paramiko").setLevel(logging.CRITICAL)
CONNECT_LIMIT_S = 8
GREETING_LIMIT_S = 6
"""time within which an SSH server must greet [s]; less than the limit of the whole log-in, so that
a server that never speaks is not taken for one that breaks off"""


_HOW = {
    "allow_agent": False,
    "look_for_keys": False,
    "banner_timeout": GREETING_LIMIT_S,
    "auth_timeout": CONNECT_LIMIT_S,
}
_COMMANDS = {"run": {"encoding": "utf-8", "hide": True, "warn": True}}


class HostUnreachable(UserError):
    """A host does not answer, or has another key than expected. Ends a block."""


def log_in(login: Login, name: str, gateway: fabric.Connection | None = None) -> fabric.Connection:
    """An open connection, through `gateway` if there is one. Raises HostUnreachable naming the
    cause."""
    import fabric
    import paramiko

    from remeasure.bench.testbed.prompt import PromptRunner

    where = f"{name} ({login.user}@{login.address}:{login.port})"
    if reason := _why_useless(login.key):
        raise HostUnreachable(f"{where}: {reason}")
    connection = fabric.Connection(
        login.address,
        user=login.user,
        port=login.port,
        connect_timeout=CONNECT_LIMIT_S,
        gateway=gateway,
        config=fabric.Config(_COMMANDS | {"runners": {"remote": PromptRunner}}, lazy=True),
        connect_kwargs=_HOW | {"key_filename": str(login.key)},
    )
    _expect_host_key(connection.client, login)
    try:
        if gateway is None:
            connection.connect_kwargs["sock"] = _reach(login)
        connection.open()
    except paramiko.BadHostKeyException as error:
        raise HostUnreachable(
            f"{where}: its host key is not the one expected ({error.key.fingerprint})"
        ) from None
    except paramiko.ChannelException as error:
        raise HostUnreachable(f"{where}: its jump host cannot reach it ({error.text})") from None
    except paramiko.AuthenticationException:
        raise HostUnreachable(f"{where}: login refused with key {login.key}") from None
    except (paramiko.SSHException, OSError, EOFError) as error:
        raise HostUnreachable(f"{where}: {why(error)}") from None
    # A host that died sends nothing, and paramiko would wait for it for an hour.
    connection.client.get_transport().channel_timeout = CONNECT_LIMIT_S
    return connection


def _expect_host_key(client: paramiko.SSHClient, login: Login) -> None:
    import paramiko

    client.set_missing_host_key_policy(paramiko.RejectPolicy())
    if login.host_key:
        key = parse_host_key(login.host_key)
        entry = login.address if login.port == 22 else f"[{login.address}]:{login.port}"
        client.get_host_keys().add(entry, key.get_name(), key)
    else:
        client.load_system_host_keys()


def why(error: Exception) -> str:
    """The error of a connection, for people: some of these errors are empty, and others are about
    paramiko's own affairs."""
    said = str(error)
    if "protocol banner" in said:
        return f"no SSH greeting within {GREETING_LIMIT_S} s; is this the port of an SSH server?"
    if "No existing session" in said:
        return f"no keys agreed within {CONNECT_LIMIT_S} s of its greeting"
    if "not found in known_hosts" in said:
        return f"{said}; give its host_key in the inventory, or log in by ssh once"
    if isinstance(error, socket.gaierror):
        return f"its name has no address: {error.strerror}"
    if isinstance(error, TimeoutError) or "Timeout opening channel" in said:
        return f"no answer within {CONNECT_LIMIT_S} s"
    if isinstance(error, EOFError) or not said:
        return "it closed the connection"
    return (isinstance(error, OSError) and error.strerror) or said


def _reach(login: Login) -> socket.socket:
    connection = socket.create_connection((login.address, login.port), CONNECT_LIMIT_S)
    # A command is a few small packets. If each were held back until the one before is
    # acknowledged (RFC 896), which a host delays, they would take 40 ms more.
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _why_useless(key: Path) -> str | None:
    """The reason why nobody can log in with a private key; None if there may be none."""
    import paramiko

    if not key.exists():
        return f"no key {key}"
    try:
        paramiko.PKey.from_path(key)
    except TypeError:  # an error of cryptography for a missing password
        return f"key {key} is encrypted; give one without a passphrase"
    except OSError as error:
        return f"key {key}: {error.strerror}"
    except ValueError:
        return f"key {key}: not a private key"
    except Exception:  # noqa: BLE001 - connecting will report other errors of it
        return None
    return None
