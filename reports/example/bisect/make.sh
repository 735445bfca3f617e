#!/usr/bin/env bash
# Finds, in this repository's own history, the commit that made one of our modules slower to import:
#   reports/example/bisect/make.sh [DIRECTORY]
#
# It works in a clone in DIRECTORY (default: reports/example-work/bisect), never in your tree.
# docs/bisect.md tells the story, and shows what came out.
set -euo pipefail
cd "$(dirname "$0")/../../.."

good=95031cdae89f    # the import is cheap
bad=7093ab02f6ba     # it is not
suspect=3a5c73199f8d # where to begin; `gate run` does not start at this one
PATH=$PWD/.venv/bin:$PATH

work=$(realpath -m "${1:-reports/example-work/bisect}")
[ ! -e "$work" ] || {
  echo "$0: $work is there already: name another directory, or remove it" >&2
  exit 1
}
[ "$(git rev-parse --is-shallow-repository)" = false ] || {
  echo "$0: this clone is shallow: fetch the rest with \`git fetch --unshallow\`" >&2
  exit 1
}
for commit in "$good" "$bad" "$suspect"; do
  git cat-file -e "$commit^{commit}" 2>/dev/null || {
    echo "$0: this clone has no commit $commit: take the repository with its history" >&2
    exit 1
  }
done

mkdir -p "$work"
cp -r reports/example/bisect/profiles "$work/profiles"
git clone --quiet --no-checkout . "$work/tree"
cd "$work/tree"
git worktree add --quiet --detach ../good "$good"

check=(import-harness --profiles ../profiles --baseline ../baselines --wait 10min)
gate run "${check[@]}" --quiet --head ../good --repeat 3 --out ../sessions
gate baseline accept ../sessions/*.json --baseline ../baselines --by example \
  --reason "the import as it was at $good"

git bisect start "$bad" "$good"
git checkout --quiet "$suspect" # git would begin in the middle
git bisect run gate bisect-run --out ../steps "${check[@]}" --quiet --base ../good --head .
git bisect log
