"""What act leaves out: the jobs that need a reusable workflow which failed.

When a job that `uses` a reusable workflow fails, act (0.2.89) ends the whole run, while GitHub goes
on with those jobs that say `if: always()`. So the user's file is run a second time, with a plain job
in the place of that workflow, which ends as it did and gives the outputs that it gave.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workflows.acting import Acted

_MAPPED = re.compile(
    r"^      ([\w-]+): \$\{\{ steps\.([\w-]+)\.outputs\.([\w-]+) \}\}$", re.MULTILINE
)
_JOB = r"^  {}:\n(?:(?:    .*|\s*)\n)+"


def in_place_of(job: str, user: str, reusable: str, acted: Acted) -> str:
    """The text of the user's file, with what its job `job` came to in the place of that job."""
    block = re.search(_JOB.format(job), reusable, re.MULTILINE)
    assert block, f"the reusable workflow has no job {job}"
    outputs = {
        name: acted.told_by.get((job, step, output), "")
        for name, step, output in _MAPPED.findall(block[0])
    }
    lines = [f"  {job}:", "    runs-on: ubuntu-24.04", "    outputs:"]
    lines += [f'      {name}: "{value}"' for name, value in outputs.items()]
    lines += ["    steps:", f"      - run: test {acted.jobs[job]} = success", "", ""]
    text, count = re.subn(
        _JOB.format(job), lambda _: "\n".join(lines), user, count=1, flags=re.MULTILINE
    )
    assert count == 1, f"the user's file has no job {job}"
    return text
