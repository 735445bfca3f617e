# What the workloads share. Sourced by them, never run.
# shellcheck shell=sh
set -eu
export LC_ALL=C

# Say what is wrong and stop: the trial has failed, and its note is this line.
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# need PROGRAM INSTALL: the program is there.
need() {
  command -v "$1" >/dev/null 2>&1 || die "$1 is not installed: $2"
}

# whole NAME VALUE: the argument is a whole number above 0.
whole() {
  case ${2:-} in
  '' | 0* | *[!0-9]*) die "$1 must be a whole number above 0, not '${2:-}'" ;;
  esac
}

# quietly COMMAND...: its output matters only if it fails.
quietly() {
  "$@" >"$GATE_WORK/said" 2>&1 || {
    tail -n 5 "$GATE_WORK/said" >&2
    die "$1 failed"
  }
}

# Nothing is written outside the work directory, which the gate makes and removes.
case ${GATE_WORK:-} in
/*) [ -d "$GATE_WORK" ] || die "GATE_WORK is no directory: $GATE_WORK" ;;
*) die "GATE_WORK must be the absolute path of a directory to work in; the gate sets it" ;;
esac
