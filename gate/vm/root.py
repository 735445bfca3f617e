"""A guest whose root is this machine's, read-only, below a layer in memory that takes every write.

So every file has the path that it has here, and nothing written there reaches this machine, but for
one directory that both share. What the root needs of the kernel (9p over virtio, overlay) comes
from the side's own modules, where the kernel has it not built in.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from gate.vm.archive import Archive
from gate.vm.build import GuestFiles, write_boot
from gate.vm.image import find_image, read_image
from gate.vm.modules import ModuleTree, loading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from gate.vm.image import Image
    from gate.vm.modules import Module

SHARE = "/run/driftgate"
"""The shared directory in the guest."""
_ROOT = ("virtio_pci", "9pnet_virtio", "9p", "overlay")
_BUSES = {"virtio": "virtio_blk", "nvme": "nvme"}
_EMPTY = ("proc", "sys", "dev", "host", "share", "top", "new", "tmp")
_INIT = """#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin
stop() {{ echo "driftgate: $*"; sync; poweroff -f; sleep 60; }}
mount -t proc proc /proc; mount -t devtmpfs dev /dev
{modules}
share="trans=virtio,version=9p2000.L,msize=512000"
mount -t 9p -o ro,$share,cache=loose host /host || stop "no root: does the kernel have 9p?"
mount -t 9p -o $share share /share || stop "no shared directory"
mount -t tmpfs -o size=75% top /top; mkdir /top/upper /top/work
mount -t overlay -o lowerdir=/host,upperdir=/top/upper,workdir=/top/work root /new ||
  stop "no root: does the kernel have overlay?"
mount -t tmpfs run /new/run; mkdir -p /new{share}
mount -o move /share /new{share}
exec switch_root /new {busybox} sh {share}/inside
"""
_INSIDE = """#!/bin/sh
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root
busybox={busybox}; mount="$busybox mount"
$mount -t proc proc /proc; $mount -t sysfs sys /sys; $mount -t devtmpfs dev /dev
$busybox mkdir -p /dev/pts /dev/shm /run/lock
$mount -t devpts pts /dev/pts; $mount -t tmpfs -o mode=1777 shm /dev/shm
{tree}$mount -t configfs config /sys/kernel/config 2>/dev/null
cd {share}
hex() {{ $busybox od -An -v -tx1 "$1" | $busybox tr -d ' \\n'; }}
proof() {{
  echo "release $($busybox uname -r)"; echo "version $($busybox uname -v)"
  echo "notes $(hex /sys/kernel/notes)"
}}
end() {{ proof >after; sync; $busybox poweroff -f; sleep 60; }}
proof >before
{modules}
{out}$busybox ip link set lo up 2>/dev/null
( cd {directory} && exec /usr/bin/env {words} ) >out 2>err </dev/null
echo $? >status
end
"""
_OUT = "$busybox mkdir -p {out}; $mount -t 9p -o trans=virtio,version=9p2000.L out {out}\n"
_TREE = "$busybox mkdir -p /lib/modules; $mount --bind {tree} /lib/modules\n"
_EARLY = 'insmod /gate/{name}.ko {parameters} || stop "{name} does not load"\n'
_LATE = """if $busybox insmod {share}/modules/{name}.ko {parameters} >said 2>&1; then
  echo "module {name} $(hex /sys/module/{name}/notes/.note.gnu.build-id)" >>before
else
  echo "refused {name} $($busybox tail -n 1 said | $busybox base64 -w 0)" >>before; end
fi
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RootGuest(GuestFiles):
    """The same with this machine's root; its modules are those of the subject, with their needs."""

    busybox: str
    """Where it stands on this machine."""
    tree: Path | None
    """The side's lib/modules, where it has one."""


def read_root_side(
    directory: Path, modules: Sequence[str], disks: Sequence[str]
) -> tuple[Image, bytes, tuple[Module, ...], tuple[Module, ...]]:
    """Kernel, its content, modules for the root and its disks, and those wanted; or G265."""
    image, kernel = read_image(find_image(directory))
    tree = ModuleTree(directory, image.release)
    buses = [_BUSES[one] for one in sorted({disk.partition(":")[0] for disk in disks})]
    # A kernel without any modules has all of it built in, or says at the mount what it lacks.
    early = tree.loaded((*_ROOT, *buses)) if tree.root.is_dir() else ()
    there = {one.name for one in early}
    late = tuple(one for one in tree.loaded(modules) if one.name not in there)
    return image, kernel, early, late


def lay_out_root(
    directory: Path,
    modules: Sequence[str],
    disks: Sequence[str],
    place: Path,
    environment: Mapping[str, str],
) -> RootGuest:
    """Write kernel and first file system of a side into `place`, which is made.

    G265 where the side cannot be booted, `MissingProgram` without busybox.
    """
    image, kernel, early, late = read_root_side(directory, modules, disks)
    archive = Archive()
    archive.add_directories(*_EMPTY)
    busybox = archive.add_program("busybox", environment)
    for one in early:
        archive.add(f"gate/{one.name}.ko", one.content)
    init = _INIT.format(modules=loading(_EARLY, early), share=SHARE, busybox=busybox)
    archive.add("init", init.encode(), runs=True)
    tree = directory.absolute() / "lib" / "modules"
    return RootGuest(
        image=image,
        modules=late,
        **write_boot(place, image, kernel, archive),
        busybox=busybox,
        tree=tree if tree.is_dir() else None,
    )


def lay_out_share(
    guest: RootGuest,
    share: Path,
    directory: Path,
    words: Sequence[str],
    out: Path | None = None,
) -> None:
    """Write what the guest finds in the shared directory: its modules, and what it is to run.

    The command runs in `directory`, and may write into `out` of this machine; it leaves `out`,
    `err` and `status`, and the proofs `before` and `after`.
    """
    (share / "modules").mkdir(parents=True)
    for one in guest.modules:
        (share / "modules" / f"{one.name}.ko").write_bytes(one.content)
    text = _INSIDE.format(
        busybox=guest.busybox,
        share=SHARE,
        modules=loading(_LATE, guest.modules, share=SHARE),
        tree=_TREE.format(tree=shlex.quote(str(guest.tree))) if guest.tree else "",
        out=_OUT.format(out=shlex.quote(str(out))) if out is not None else "",
        directory=shlex.quote(str(directory)),
        words=shlex.join(words),
    )
    (share / "inside").write_text(text, encoding="utf-8")
