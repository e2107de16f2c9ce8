"""The local virtual testbed: User Mode Linux guests in namespaces of their own."""
