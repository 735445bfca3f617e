# OpenSSL's own speed test of one block cipher on blocks of 8 KiB, by the clock on the wall.
#   crypto-block.sh CIPHER SECONDS
. "${0%/*}/common.sh"
[ -n "${1:-}" ] || die "which cipher? des-ede3-cbc, for example"
whole SECONDS "${2:-}"
need openssl "apt install openssl"
openssl speed -elapsed -seconds "$2" -bytes 8192 -evp "$1" >"$GATE_WORK/speed" 2>&1 || {
  tail -n 2 "$GATE_WORK/speed" >&2
  die "openssl speed -evp $1 failed"
}
# "Doing AES-256-CBC for 3s on 8192 size blocks: 123456 AES-256-CBC's in 3.00s"
sed -n 's/^Doing .* size blocks: \([0-9]*\) .* in .*s$/blocks \1/p' "$GATE_WORK/speed"
# "AES-256-CBC     337117.18k", in thousands of bytes a second
sed -n 's/^[A-Z0-9-]*  *\([0-9.]*\)k$/rate \1 kB\/s/p' "$GATE_WORK/speed"
