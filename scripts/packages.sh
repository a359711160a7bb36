#!/usr/bin/env bash
# Installs the Debian packages that are missing; does nothing, and needs no network, when all are there.
#   packages.sh podman    what a root and a rootless Podman want (Debian 12 and 13)
#   packages.sh NAME...   these packages
set -euo pipefail
. "$(dirname "$0")/say.sh"

# runc: crun 1.8 refuses the hybrid cgroup layout. catatonit, uidmap, slirp4netns: rootless. netavark,
# aardvark-dns, iptables: bridges.
podman=(podman runc catatonit uidmap slirp4netns netavark aardvark-dns iptables curl ca-certificates)

[ "${1:?podman, or package names}" = podman ] && set -- "${podman[@]}"
missing=()
for name in "$@"; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null || true)" = installed ] || missing+=("$name")
done
((${#missing[@]})) || exit 0
need_root "$@"
say "installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
