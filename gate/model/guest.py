"""What a profile wants of a machine that the gate boots for a trial."""

from __future__ import annotations

from dataclasses import dataclass

from gate.model.touch import Untouched


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """A guest's machine and its surroundings; the kernel is the side's."""

    modules: tuple[str, ...] = ()
    """Loaded in this order, each with what it needs before it: `null_blk nr_devices=1`."""
    programs: tuple[str, ...] = ()
    """Programs of this machine that stand in the guest, beside busybox."""
    prepare: str = ""
    """A shell command in the guest before everything else, not counted."""
    memory: int = 512
    """MiB."""
    command_line: str = ""
    """Added to the kernel's own."""
    operations: tuple[int, int] = (1, 2)
    """What `{operations}` stands for in the short and in the long run."""
    untouched: Untouched = Untouched.NOTE
    """What becomes of a pass whose trials executed nothing of what was changed."""
