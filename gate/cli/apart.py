"""Heavy computing in a process of its own, so that the measuring process never loads numpy."""

from __future__ import annotations

import signal
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
R = TypeVar("R")


def apart(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call a function in a forked child and return its value; its exceptions come back too."""
    with ProcessPoolExecutor(1, mp_context=get_context("fork"), initializer=_deaf) as pool:
        return pool.submit(function, *args, **kwargs).result()


def _deaf() -> None:
    """Interruptions are the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
