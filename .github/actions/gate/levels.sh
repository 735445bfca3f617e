#!/usr/bin/env bash
# levels.sh TREE REVISION BASELINE: fetches the commits of accepted sessions that a fresh clone lacks,
# as a squash merge or a rebase leaves them on no branch. They are asked for their text alone: nothing
# of them is checked out or run. What cannot be fetched is told; such a level is in force only where
# it lets nothing more in than the one before, so that a failing network opens no gate.
set -euo pipefail

tree=$1 revision=$2 baseline=$3
most=20

named=$(git -C "$tree" grep -hoE '^commit = "[0-9a-f]{40}([0-9a-f]{24})?"' "$revision" -- "$baseline" |
  tac | awk -F'"' '!known[$2]++ { print $2 }') || true
for commit in $named; do
  if git -C "$tree" cat-file -e "$commit^{commit}" 2>/dev/null; then
    continue
  fi
  if [ "$most" -eq 0 ]; then
    echo "older commits of accepted levels are not fetched"
    break
  fi
  most=$((most - 1))
  if ! GIT_TERMINAL_PROMPT=0 timeout 60 git -C "$tree" -c gc.auto=0 fetch --quiet --no-tags origin \
    "$commit" 2>/dev/null; then
    echo "commit $commit of an accepted level cannot be fetched: where it would let more in, it is not in force"
  fi
done
