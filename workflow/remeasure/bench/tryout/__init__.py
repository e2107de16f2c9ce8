"""Two configurations of an operator's own, tried together in virtual time. Only the command line
imports it. Its face: `versions.try_versions`."""
