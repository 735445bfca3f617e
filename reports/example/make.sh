#!/usr/bin/env bash
# Makes the report in this folder anew, from real measurements on this machine, in about ten
# minutes:  reports/example/make.sh
#
# The story: a storage program read through libaio; it moved to io_uring, which was accepted. Now a
# change swaps io_uring for POSIX AIO, "which needs no kernel support". The C library serves the
# requests of one file one after another, in threads, so the curve over queue depth no longer grows.
set -euo pipefail
cd "$(dirname "$0")/../.."
gate=.venv/bin/gate
here=reports/example
work=reports/example-work
profile=(random-read --profiles "$here/profiles")
store=(--baseline "$work/baselines")

sessions() { # ENGINE COUNT: sessions of the unchanged program
  "$gate" run "${profile[@]}" "${store[@]}" --side base --base-env "ENGINE=$1" --repeat "$2" \
    --out "$work/$1" --wait 10min
}

rm -rf "$work"
# A shared virtual machine: up to 40 % of its processors' time may be the hypervisor's. The sides
# alternate, so both pay for it, and the report says how often.
"$gate" host enroll "${store[@]}"
sed -i 's/^# steal = "5%"/steal = "40%"/' "$work"/baselines/*/host.toml
grep -q '^steal = "40%"' "$work"/baselines/*/host.toml
sessions libaio 5
"$gate" baseline accept "$work"/libaio/*.json "${store[@]}" --by "example" \
  --reason "first baseline: reads go through libaio"
sessions io_uring 5
"$gate" baseline accept "$work"/io_uring/*.json "${store[@]}" --by "example" \
  --reason "io_uring instead of libaio: fewer system calls"
status=0
"$gate" check "${profile[@]}" "${store[@]}" --base-env ENGINE=io_uring --head-env ENGINE=posixaio \
  --out "$work/check" --wait 10min || status=$?
[ "$status" -eq 10 ] || {
  echo "$0: expected a regression (exit status 10), and the check ended with $status" >&2
  exit 1
}
cp "$work/check/report.json" "$work/check/report.html" "$here/"
.venv/bin/python .ci/picture.py "$here/report.html" "$here/report.png"
