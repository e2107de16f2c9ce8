"""Machines of others: we measure in private namespaces there, and restore what we changed."""
