#!/usr/bin/env bash
# What people said about this change, asked of GitHub: outputs `approved` and `accepted`. Where it
# cannot be asked nothing was said, which opens nothing.
set -euo pipefail

number=${NUMBER-}
if [ -z "$number" ] && [[ "$QUEUE" =~ /pr-([1-9][0-9]*)-[0-9a-f]{40}$ ]]; then
  number=${BASH_REMATCH[1]} # the queue's own commit: what counts is the pull request's
fi
arguments=(--pull "${number:?no pull request}")
[ -z "$HEAD" ] || arguments+=(--head "$HEAD")
"$GATE" publish approvals "${arguments[@]}" ||
  echo "::warning title=driftgate::it cannot be asked who approved or accepted this"
