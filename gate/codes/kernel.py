"""Codes of kernels: sides that are booted, loaded or activated."""

from __future__ import annotations

from gate.codes.page import Page

KERNEL = {
    "G265": Page(
        "a side has no kernel, or not the module",
        "The profile boots the side's kernel, or loads its modules, and the side's directory holds "
        "none, more than one, one that cannot be read, or one without a build-id.",
        "Give the side a directory like an unpacked kernel package: boot/vmlinuz-RELEASE and "
        "lib/modules/RELEASE. `dpkg-deb -x linux-image-*.deb DIR` makes one. A module alone may "
        "lie in the directory as NAME.ko.",
    ),
    "G266": Page(
        "instructions cannot be counted here",
        "A small plugin of ours counts instructions inside QEMU. It is built once, by the C "
        "compiler of this machine, against QEMU's own header, and one of them is missing or does "
        "not fit.",
        "Do as the message says. The header is include/qemu/qemu-plugin.h of QEMU's source.",
    ),
    "G264": Page(
        "the guest did not come to its end",
        "The machine that was booted crashed, hung, or its kernel told of a fault; or what ran was "
        "not the kernel that lies in the directory.",
        "Read what it quotes; --console FILE keeps all that the kernel printed. Where the root "
        "cannot be mounted the kernel lacks CONFIG_9P_FS, CONFIG_NET_9P_VIRTIO or "
        "CONFIG_OVERLAY_FS.",
    ),
    "G269": Page(
        "this machine must restart into another kernel",
        "The sides are kernels of this very machine, and each trial is a start of its own. The "
        "trial that is due needs a restart, or the next start could not be armed, or another "
        "measurement waits for its own.",
        "Allow it with --restart, as root, and set up `gate host resume --unit` once, so that the "
        "measurement goes on by itself. `gate host resume --forget` gives one up.",
    ),
    "G267": Page(
        "the subject cannot be activated here",
        "The profile loads modules or runs commands to bring a side into force, and that is not "
        "possible on this host now: root is needed, a module of that name is loaded already, or a "
        "program is missing. Nothing was changed.",
        "Do as the message says. A module that somebody uses is never unloaded by the gate.",
    ),
    "G268": Page(
        "the subject could not be put back",
        "After the last trial the side that was active had to be put back, and that failed: a "
        "module is still in use, or `deactivate` of the profile ended with an error.",
        "Put it back by hand. What was measured is kept.",
    ),
}
