#!/usr/bin/env bash
# Builds localhost/fairlead:latest on an engine from bin/fairlead and two files of this machine.
#   image.sh [unix:///SOCKET]     run `make image` instead, which builds the binary first
set -euo pipefail
. "$(dirname "$0")/say.sh"
cd "$(dirname "$0")/.."

engine=${1:-unix:///var/run/docker.sock}
roots=/etc/ssl/certs/ca-certificates.crt
zones=$(go env GOROOT)/lib/time/zoneinfo.zip
context=build/image

[ -x bin/fairlead ] || die "bin/fairlead is not there: make build"
[ -f "$roots" ] || die "$roots is not there: apt-get install ca-certificates"
rm -rf "$context" && mkdir -p "$context"
cp packaging/Containerfile bin/fairlead "$roots" "$zones" "$context"
go run ./integration/image/cmd -engine "$engine" -directory "$context" -tag localhost/fairlead:latest
say "localhost/fairlead:latest is on $engine"
