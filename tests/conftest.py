"""What holds for every test."""

from __future__ import annotations

import os
import signal

from hypothesis import settings

# The machines are shared: how long an example takes says nothing about it.
settings.register_profile("shared", deadline=None)
settings.load_profile("shared")


def pytest_configure():
    """Children begin with signals as a terminal leaves them, though nohup or `&` ignored some.

    What has a handler gets its default in a new program, and what is ignored stays ignored. The
    handler does nothing: whoever ran the tests by nohup wants them to go on. The workers of xdist
    are such new programs, and end with the process that started them.
    """
    numbers = [signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM]
    ignored = {one for one in numbers if signal.getsignal(one) is signal.SIG_IGN}
    worker = {signal.SIGHUP} if "PYTEST_XDIST_WORKER" in os.environ else set()
    for number in ignored | worker:
        signal.signal(number, lambda *_: None)
