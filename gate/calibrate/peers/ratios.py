"""github-action-benchmark and pytest-benchmark: one number against the previous one.

github-action-benchmark stores one value per commit and fails when current / previous is above
`alert-threshold` (src/write.ts at c38cce98; default 200 %, no samples, no test). Its one value
is here the mean of the trials. pytest-benchmark fails `--benchmark-compare-fail=FIELD:N%` when
100 current / stored - 100 is above N, with the newest stored file (utils.py and session.py at
47d66c8); here a trial takes the place of a round.

Degenerate input: what is absent on either side is skipped, so it passes; but pytest-benchmark
without any stored file is a usage error (None). A previous value of 0 closes, except 0
after 0 with github-action-benchmark. One value, or equal ones, are no special case to either.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from gate.calibrate.peers.peer import Comparison, Peer, mean, quotient

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def _previous(
    name: str,
    of: Callable[[Sequence[float]], float],
    worse: Callable[[float, float], bool],
    source: str,
    *,
    without: bool | None = False,
) -> Peer:
    """One number of the head against the newest session's; `without` answers where none is."""

    def closes(case: Comparison) -> bool | None:
        if not case.head:
            return False
        if not case.history:
            return without
        stored = case.history[-1]
        return bool(stored) and worse(of(case.head), of(stored))

    return Peer(name=name, history=1, closes=closes, source=source)


def _github_action(percent: int) -> Peer:
    threshold = percent / 100
    return _previous(
        f"github-action-benchmark-{percent}",
        mean,
        lambda now, before: quotient(now, before) > threshold,
        f"mean / previous mean > {threshold:g} (github-action-benchmark src/write.ts; "
        "default 2); 10 trials averaged into the one value that it stores per commit",
    )


def _pytest(field: str, of: Callable[[Sequence[float]], float], percent: int) -> Peer:
    return _previous(
        f"pytest-benchmark-{field}-{percent}",
        of,
        lambda now, stored: not stored or now / stored * 100 - 100 > percent,
        f"100 {field} / stored {field} - 100 > {percent} (pytest-benchmark utils.py, "
        f"compare-fail={field}:{percent}%); 10 trials as rounds, newest stored file",
        without=None,
    )


GITHUB_ACTION = (_github_action(200), _github_action(110), _github_action(105))
PYTEST = (_pytest("mean", mean, 5), _pytest("min", min, 5))
