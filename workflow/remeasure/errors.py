"""The one exception that reaches a person."""


class UserError(Exception):
    """Something a person can mend: the message names the file or field, what was found, and
    what was expected. The command line prints it as one line and exits with status 1."""
