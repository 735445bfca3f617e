"""Machines that the gate boots: a kernel under test, its first file system, and QEMU around it."""
