# shellcheck shell=bash
# The distribution's archive as this machine has it, with sources, backports and updates, and with
# the keys that apt trusts; nothing of the machine's own lists is changed. To be sourced; sets
#   as_root   the words before a command that needs root
#   own, from options of apt-get: this archive alone; the newer of two versions, where there are two
#   scratch   a directory that goes when the script ends
# `die` must be there.

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  sudo -n true 2>/dev/null || die "root is needed to install packages."
  as_root=(sudo -n)
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/lists/partial" "$scratch/parts"

known_archive() { # URI|CODENAME, nothing where apt has not been asked yet
  # shellcheck disable=SC2016 # apt's own variables
  apt-get indextargets --format '$(REPO_URI)|$(CODENAME)' 'Created-By: Packages' \
    'Identifier: Packages' | grep -E '\|(bookworm|trixie|forky|jammy|noble)$' | sed -n 1p
}
archive=$(known_archive) || "${as_root[@]}" apt-get update -q >/dev/null
[ -n "$archive" ] || archive=$(known_archive) || die "no archive of the distribution is known to apt."
codename=${archive##*|}
suites=$codename components=main from=()
case $codename in
  bookworm) suites="$codename $codename-backports" from=(-t "$codename-backports") ;;
  jammy | noble) suites="$codename $codename-updates" components='main universe' ;;
esac
printf 'Types: deb deb-src\nURIs: %s\nSuites: %s\nComponents: %s\n' \
  "${archive%|*}" "$suites" "$components" >"$scratch/parts/own.sources"
own=(-o "Dir::Etc::SourceList=/dev/null" -o "Dir::Etc::SourceParts=$scratch/parts"
  -o "Dir::State::Lists=$scratch/lists" -o "APT::Sandbox::User=root")
"${as_root[@]}" apt-get "${own[@]}" update -q >/dev/null

# install_own OPTION... PACKAGE...: from this archive.
install_own() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get "${own[@]}" install -y -q \
    --no-install-recommends "$@" >/dev/null
}
