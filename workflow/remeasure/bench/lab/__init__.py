"""The local testbed: guests (User Mode Linux, QEMU) or namespaces, and the links between them."""
