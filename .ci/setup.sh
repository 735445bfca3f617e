#!/usr/bin/env bash
# Installs what is missing. System programs come from the system's package manager, Python packages
# from the lock files. Says what it does, and what to do where it cannot.
#   .ci/setup.sh          what `gate` needs: fio, hyperfine, .venv
#   .ci/setup.sh lint     and what `make check` needs: shellcheck, actionlint
#   .ci/setup.sh tests    and what its tests need: a headless Chromium, actionlint, act, QEMU, a kernel
#   .ci/setup.sh torture  and what `make torture` needs: a C compiler
#   .ci/setup.sh profiles and what the shipped profiles run: programs, QEMU, kernels
set -euo pipefail
cd "$(dirname "$0")/.."

die() { printf 'setup: %s\n' "$*" >&2; exit 1; }

# package MANAGER NAME: what the package of this Debian name is called elsewhere, as far as we know.
package() {
  case $1:$2 in
    apt-get:*) echo "$2" ;;
    dnf:libatomic1) echo libatomic ;;
    pacman:libatomic1) echo gcc-libs ;;
    dnf:golang-go) echo golang ;;
    pacman:golang-go | zypper:golang-go) echo go ;;
    dnf:shellcheck | zypper:shellcheck) echo ShellCheck ;;
    dnf:rt-tests) echo realtime-tests ;;
    dnf:imagemagick | zypper:imagemagick) echo ImageMagick ;;
    *:xz-utils) echo xz ;;
    dnf:libc6-dev | zypper:libc6-dev) echo glibc-devel ;;
    pacman:libc6-dev) echo glibc ;;
    zypper:linux-source) echo kernel-source ;;
    *) echo "$2" ;;
  esac
}

install_packages() {
  local manager command
  for manager in apt-get dnf pacman zypper; do
    command -v "$manager" >/dev/null 2>&1 && break
    manager=
  done
  [ -n "$manager" ] || die "missing: $*. None of apt-get, dnf, pacman, zypper is here; install them by hand and run this again."
  case $manager in
    apt-get) command=(apt-get install -y --no-install-recommends) ;;
    dnf) command=(dnf install -y) ;;
    pacman) command=(pacman -S --needed --noconfirm) ;;
    zypper) command=(zypper --non-interactive install) ;;
  esac
  local name renamed=()
  for name in "$@"; do renamed+=("$(package "$manager" "$name")"); done
  set -- "${renamed[@]}"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    sudo -n true 2>/dev/null || die "missing: $*. Root is needed to install them; run: sudo ${command[*]} $*"
    as_root=(sudo -n)
  fi
  echo "setup: installing $* with $manager"
  if [ "$manager" = apt-get ]; then
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -q >/dev/null
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${command[@]}" "$@" >/dev/null
  else
    "${as_root[@]}" "${command[@]}" "$@" >/dev/null
  fi
}

# A go that fetches the one that is pinned, which go does from 1.21 on.
go_program() {
  local go version
  go=$(PATH="$PATH:/usr/local/go/bin" command -v go) || return 1
  version=$("$go" version | sed -n 's/^go version go1\.\([0-9]*\).*/\1/p')
  [ "${version:-21}" -ge 21 ] && echo "$go"
}

# Where the distribution's go is older, its backports have a newer one.
install_go() {
  command -v apt-get >/dev/null 2>&1 || { install_packages golang-go && return; }
  (
    # shellcheck source=.ci/archive.sh
    . .ci/archive.sh
    echo "setup: installing golang-go with apt-get"
    install_own "${from[@]}" golang-go
  )
}

is_built() { [ -x ".tools/$1" ] && [ "$(cat ".tools/$1.built" 2>/dev/null)" = "$pinned" ]; }

# build PROGRAM PACKAGE: a tool that .ci/tools pins, into .tools. Beside it stands the hash of what
# pins it, so that looking whether it is up to date needs no go.
build() {
  local program=$1 package=$2 root=$PWD go
  go_program >/dev/null || install_go
  go=$(go_program) || die "go 1.21 or newer is missing, and the package manager has none." \
    "Install one and run this again."
  echo "setup: building $program with $("$go" version)"
  mkdir -p .tools
  (cd .ci/tools && GOTOOLCHAIN=auto GOFLAGS=-mod=readonly CGO_ENABLED=0 \
    "$go" build -trimpath -o "$root/.tools/$program.$$" "$package") ||
    die "$program could not be built with $("$go" version): go $(sed -n 's/^go //p' .ci/tools/go.mod)" \
      "is needed, which go fetches by itself if it reaches the module proxy. Install it and run" \
      "this again."
  mv ".tools/$program.$$" ".tools/$program"
  echo "$pinned" >".tools/$program.built"
}

has_library() { PATH="$PATH:/usr/sbin:/sbin" ldconfig -p | grep -F "$1 " >/dev/null; }

# Ubuntu's package of this name runs nothing: it asks for a snap.
packs_no_browser() { grep -qsx 'ID=ubuntu' /etc/os-release; }

tools=()
case ${1:-} in
  lint) tools=(actionlint) ;;
  tests) tools=(actionlint act) ;;
esac

missing=()
if [ ${#tools[@]} -ne 0 ]; then
  pinned=$(cat .ci/tools/go.mod .ci/tools/go.sum | sha256sum | cut -d' ' -f1)
  command -v shellcheck >/dev/null 2>&1 || missing+=(shellcheck)
fi
command -v fio >/dev/null 2>&1 || missing+=(fio)
command -v hyperfine >/dev/null 2>&1 || missing+=(hyperfine)
command -v python3 >/dev/null 2>&1 || install_packages python3
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
  die "python3 is $(python3 -V 2>&1 | cut -d' ' -f2); version 3.11 or newer is needed."
if command -v apt-get >/dev/null 2>&1; then
  # Debian and Ubuntu split venv from python3.
  python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
fi
if [ "${1:-}" = tests ]; then
  # What the workflows call on GitHub's machines, and their tests here.
  command -v curl >/dev/null 2>&1 || missing+=(curl)
  command -v jq >/dev/null 2>&1 || missing+=(jq)
  # What others than root trace files with.
  command -v strace >/dev/null 2>&1 || missing+=(strace)
  if packs_no_browser; then
    has_library libnss3.so || missing+=(libnss3)
    [ -e /etc/fonts/fonts.conf ] || missing+=(fontconfig-config fonts-dejavu-core)
  else
    command -v chromium >/dev/null 2>&1 || command -v chromium-browser >/dev/null 2>&1 || missing+=(chromium)
  fi
  # File systems that profiles may ask for; their tests make each on a loop device.
  PATH="$PATH:/usr/sbin:/sbin" command -v mkfs.xfs >/dev/null 2>&1 || missing+=(xfsprogs)
  PATH="$PATH:/usr/sbin:/sbin" command -v mkfs.btrfs >/dev/null 2>&1 || missing+=(btrfs-progs)
  # The browser driver's node links against it; minimal systems lack it.
  has_library libatomic.so.1 || missing+=(libatomic1)
fi
if [ "${1:-}" = torture ]; then
  command -v cc >/dev/null 2>&1 || missing+=(gcc)
  [ -e /usr/include/stdio.h ] || missing+=(libc6-dev)
fi
if [ "${1:-}" = profiles ]; then
  while read -r program name; do
    command -v "$program" >/dev/null 2>&1 || missing+=("$name")
  done <<'END'
stress-ng stress-ng
hackbench rt-tests
dbench dbench
povray povray
openssl openssl
bzip2 bzip2
xz xz-utils
make make
gcc gcc
flex flex
bison bison
bc bc
END
  command -v magick >/dev/null 2>&1 || command -v convert-im6.q16 >/dev/null 2>&1 || missing+=(imagemagick)
  # gcc alone lacks the headers that the kernel's own tools are built with.
  [ -e /usr/include/stdio.h ] || missing+=(libc6-dev)
  compgen -G '/usr/src/linux-source-*.tar.xz' >/dev/null || missing+=(linux-source)
fi
[ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
for tool in "${tools[@]}"; do
  ! is_built "$tool" || continue
  case $tool in
    act) build act github.com/nektos/act ;;
    actionlint) build actionlint github.com/rhysd/actionlint/cmd/actionlint ;;
  esac
done

wanted=$(sed -n 's/^uv==\([0-9.]*\).*/\1/p' .ci/uv.txt)
has_uv() { [ "$(.venv/bin/uv --version 2>/dev/null | cut -d' ' -f2)" = "$wanted" ]; }
# An environment that something else made may lack pip, or its python may be gone.
if ! .venv/bin/python -c '' 2>/dev/null || ! { has_uv || .venv/bin/python -m pip --version >/dev/null 2>&1; }; then
  rm -rf .venv
  python3 -m venv .venv
fi
if ! has_uv; then
  .venv/bin/python -m pip install --quiet --require-hashes --only-binary :all: -r .ci/uv.txt
fi
# Wheels only: nothing that others wrote is built here. Then our own package, which is all that is
# left. Inexact: uv itself lives in the environment that it keeps.
export UV_PROJECT_ENVIRONMENT=.venv
.venv/bin/uv sync --quiet --locked --inexact --compile-bytecode --no-build --no-install-project
.venv/bin/uv sync --quiet --locked --inexact --compile-bytecode
[ "${1:-}" != tests ] || ! packs_no_browser || .ci/browser.sh
case "${1:-}" in tests | profiles) .ci/kernel.sh ;; esac
echo "setup: ready: $(fio --version), $(hyperfine --version), $(.venv/bin/python -V)"
