"""Hosts that run Windows: the same trials through OpenSSH for Windows and PowerShell.

**Not yet run on Windows.** Scripts are checked against a grammar of PowerShell, parsers against
texts written from documentation, and the driver against a server that answers as documented.

Scripts are Windows PowerShell 2.0 (part of Windows 7 and Server 2008 R2). Scripts that call the
NetSecurity module need 3.0 and Windows 8 or Server 2012. The names of all rules and sets that are
made on a host begin with `remeasure-`, and only names with this prefix are removed.
"""

PREFIX = "remeasure-"
"""first part of the name of every rule and set that is made on a host"""
