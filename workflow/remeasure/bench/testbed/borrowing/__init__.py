"""Machines of others: we measure in private namespaces there, and restore everything afterwards."""
