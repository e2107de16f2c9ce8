"""Where Debian keeps ip, tc, ethtool and swanctl: folders that a user's PATH may lack."""

import os

ADMIN_FOLDERS = "/usr/sbin:/sbin"


def environment() -> dict[str, str]:
    """The environment of this process, with these folders added at the end of PATH."""
    return os.environ | {"PATH": f"{os.environ.get('PATH', os.defpath)}:{ADMIN_FOLDERS}"}
