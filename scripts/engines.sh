#!/usr/bin/env bash
# The engines that the tests run against: Docker as it is, a rootful and a rootless Podman set up here. Needs root.
#   engines.sh start          packages and services; fails when one of them does not answer
#   engines.sh env            prints FAIRLEAD_TEST_DOCKER, FAIRLEAD_TEST_PODMAN, FAIRLEAD_TEST_PODMAN_ROOTLESS
#   engines.sh run COMMAND..  starts, runs the command with that environment, cleans, and exits as the command did
#   engines.sh each COMMAND.. runs the command once for each engine, with DOCKER_HOST and FAIRLEAD_TEST_ENGINE as well
#   engines.sh clean          removes the containers and networks that tests left
#   engines.sh stop           ends the two Podman services and what runs in them
# ENGINES="docker podman rootless" (all by default) is the explicit choice of which there must be.
set -euo pipefail
. "$(dirname "$0")/say.sh"

here=$(dirname "$(realpath "$0")")
engines=${ENGINES:-docker podman rootless}

socket() {
  case "$1" in
    docker) echo /var/run/docker.sock ;;
    podman) "$here/podman-root.sh" socket ;;
    rootless) "$here/podman-rootless.sh" socket ;;
    *) die "no such engine: $1 (docker, podman, rootless)" ;;
  esac
}

variable() {
  case "$1" in
    docker) echo FAIRLEAD_TEST_DOCKER ;;
    podman) echo FAIRLEAD_TEST_PODMAN ;;
    rootless) echo FAIRLEAD_TEST_PODMAN_ROOTLESS ;;
  esac
}

start() {
  need_root start
  "$here/packages.sh" podman
  # A server of the tests' own, on loopback, leads to engines over ssh://; the machine's stays as it is.
  "$here/packages.sh" openssh-server
  # The rootless user's own, which runs containers as units.
  "$here/packages.sh" systemd
  # A browser that really speaks HTTP/3.
  "$here/packages.sh" chromium
  local engine
  for engine in $engines; do
    case "$engine" in
      docker) answers "$(socket docker)" || die "Docker does not answer on $(socket docker): apt-get install docker.io, start dockerd" ;;
      podman) "$here/podman-root.sh" start ;;
      rootless) "$here/podman-rootless.sh" start ;;
      *) die "no such engine: $engine (docker, podman, rootless)" ;;
    esac
  done
}

print_env() {
  local engine path
  for engine in $engines; do
    path=$(socket "$engine")
    answers "$path" || die "$engine does not answer; run: $0 start"
    echo "export $(variable "$engine")=unix://$path"
  done
  # Ryuk's image would come from a registry. The override keeps testcontainers off the default gateway, which it takes
  # for the engine's address when it runs in a container itself.
  echo "export TESTCONTAINERS_RYUK_DISABLED=true"
  echo "export TESTCONTAINERS_HOST_OVERRIDE=127.0.0.1"
}

# Tests name their instances test-*, so that a Fairlead in use on the same engine keeps its containers, and label
# what they make themselves fairlead.test.
clean() {
  local engine path
  for engine in $engines; do
    path=$(socket "$engine") || continue
    answers "$path" || continue
    remove_found "$path" '{"name":["fairlead-test-"]}'
    remove_found "$path" '{"label":["fairlead.test"]}'
    call "$path" POST /networks/prune '{"label":["fairlead.test"]}' >/dev/null || say "networks were left on $engine"
  done
}

# remove_found SOCKET FILTERS: speaks the Docker API, which Podman has too, for there need be no docker command.
remove_found() {
  local id
  for id in $(call "$1" GET '/containers/json?all=1' "$2" | grep -o '"Id":"[0-9a-f]\{64\}"' | cut -d'"' -f4); do
    curl -fsS --max-time 60 --unix-socket "$1" -X DELETE "http://engine/v1.40/containers/$id?force=1&v=1" >/dev/null ||
      say "container $id was left on $1"
  done
}

# call SOCKET METHOD PATH FILTERS
call() {
  curl -fsS --max-time 60 --unix-socket "$1" -X "$2" --url-query "filters=$4" "http://engine/v1.40$3"
}

run() {
  start
  local settings status=0
  settings=$(print_env)
  eval "$settings"
  trap clean EXIT
  "$@" || status=$?
  exit "$status"
}

# each is there because testcontainers speaks to one engine per process. Every engine gets its turn; one failure fails.
each() {
  local settings engine status=0
  settings=$(print_env)
  eval "$settings"
  for engine in $engines; do
    say "$engine: $*"
    DOCKER_HOST=unix://$(socket "$engine") FAIRLEAD_TEST_ENGINE=$engine "$@" || status=$?
  done
  exit "$status"
}

case "${1:-}" in
  start) start ;;
  env) print_env ;;
  run) shift; run "$@" ;;
  each) shift; each "$@" ;;
  clean) clean ;;
  stop) "$here/podman-root.sh" stop; "$here/podman-rootless.sh" stop ;;
  *) sed -n '2,9p' "$0"; exit 2 ;;
esac
