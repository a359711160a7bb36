#!/usr/bin/env bash
# Starts Fairlead in front of three demo apps and says what to try: `make demo`. It takes the first engine that answers
# and installs Podman where there is none. Ctrl-C ends it; DEMO_PORT (8080) and DEMO_ADMIN_PORT (9900) move it.
set -euo pipefail
. "$(dirname "$0")/say.sh"
here=$(dirname "$(realpath "$0")")
cd "$here/.."

port=${DEMO_PORT:-8080}
admin=${DEMO_ADMIN_PORT:-9900}
runtime_dir=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}
config=.demo/fairlead.yaml

# candidates, the asked-for first, as Fairlead's own search has them.
candidates() {
  local url
  for url in "${DOCKER_HOST:-}" "${CONTAINER_HOST:-}"; do
    case "$url" in unix://*) echo "${url#unix://}" ;; esac
  done
  printf '%s\n' /var/run/docker.sock "$runtime_dir/podman/podman.sock" /run/podman/podman.sock
}

find_engine() {
  local socket
  while read -r socket; do
    if answers "$socket"; then echo "$socket"; return; fi
  done < <(candidates)
  return 1
}

install_podman() {
  if command -v podman >/dev/null; then return; fi
  if [ "$(id -u)" = 0 ]; then "$here/packages.sh" podman; else sudo "$here/packages.sh" podman; fi
}

# start_podman prints the socket of a service that it started: root gets the one that works on any machine.
start_podman() {
  if [ "$(id -u)" = 0 ]; then
    "$here/podman-root.sh" start
    "$here/podman-root.sh" socket
    return
  fi
  local directory=$runtime_dir/podman
  mkdir -p "$directory" || die "no $runtime_dir: log in with systemd, or set XDG_RUNTIME_DIR"
  setsid nohup podman system service --time=0 "unix://$directory/podman.sock" >"$directory/service.log" 2>&1 </dev/null &
  await "$directory/podman.sock" "$directory/service.log"
  echo "$directory/podman.sock"
}

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

write_config() {
  mkdir -p .demo
  cat >"$config" <<C
version: 1
listen:
  http: "127.0.0.1:$port"
  admin: "127.0.0.1:$admin"
shutdown: {containers: remove}     # by default they are kept, and adopted by the next run
instance: demo
state: "$PWD/.demo/state"
hosts:
  local: {url: "unix://$1"}
defaults: {idle: 1m, pull: never}
apps:
  hello:                            # starts when the first visitor comes, stops a minute after the last
    image: localhost/fairlead-demo:latest
    port: 8080
    env: {DEMO_NAME: hello}
    route:
      - {host: hello.localhost}
      - {path: /hello, strip: true}
    replicas: {min: 0, max: 1}
    ready: {http: /healthz}
  seats:                            # two visitors to a replica, and each stays on theirs
    image: localhost/fairlead-demo:latest
    port: 8080
    env: {DEMO_NAME: seats}
    route: {path: /seats, strip: true}
    replicas: {min: 0, max: 3}
    sticky: true
    seats: 2
    ready: {http: /healthz}
  late:                             # boots for 5 s: a browser sees the waiting page, curl just waits
    image: localhost/fairlead-demo:latest
    port: 8080
    env: {DEMO_NAME: late, DEMO_BOOT: 5s}
    route: {path: /late, strip: true}
    ready: {http: /healthz}
C
}

# by_hand SOCKET: how somebody removes the hello app's container behind Fairlead's back; with curl where the engine's own
# command is not installed.
by_hand() {
  local engine="" filters="--filter label=fairlead.instance=demo --filter label=fairlead.app=hello"
  case "$1" in
    *docker.sock) if command -v docker >/dev/null; then engine=docker; fi ;;
    *) if command -v podman >/dev/null; then engine="podman --remote --url unix://$1"; fi ;;
  esac
  if [ -n "$engine" ]; then
    echo "$engine rm -f \$($engine ps -q $filters)"
  else
    echo "curl -X DELETE --unix-socket $1 \"http://engine/v1.40/containers/\$(curl -s $2/api/apps/hello | grep -o '[0-9a-f]\{64\}' | head -1)?force=1\""
  fi
}

print_hints() {
  local at=http://127.0.0.1:$port removal
  removal=$(by_hand "$1" "http://127.0.0.1:$admin")
  cat <<H

  Engine: unix://$1      Configuration: $config      Stop: Ctrl-C

  Open in a browser
    http://hello.localhost:$port/    starts on your visit; its echo box is a WebSocket; crash it, and it comes back
    $at/seats/         two private windows share a replica, the third gets another
    $at/late/          boots for 5 s behind the waiting page
    http://127.0.0.1:$admin/          the dashboard: apps, replicas and what happens to them

  Try in another terminal, in this directory
    curl $at/hello/echo     # waits while the container starts
    curl $at/seats/id
    curl -s -o /dev/null -c .demo/jar -H 'Accept: text/html' $at/seats/
    curl -b .demo/jar $at/seats/id     # stays on its replica
    $removal
    curl $at/hello/id       # another replica, and nobody saw an error

    export FAIRLEAD_CONFIG=$config
    bin/fairlead status
    bin/fairlead events --follow

H
}

# main
command -v go >/dev/null || die "go is not in PATH; go.mod names the version to install: https://go.dev/dl"
command -v curl >/dev/null || "$here/packages.sh" curl ca-certificates
for taken in "$port" "$admin"; do
  if port_taken "$taken"; then die "port $taken is taken: DEMO_PORT=8081 DEMO_ADMIN_PORT=9901 make demo"; fi
done
if ! socket=$(find_engine); then
  say "no container engine answers; using Podman"
  install_podman
  socket=$(start_podman)
fi
make --no-print-directory build
make --no-print-directory demo-image ENGINE="unix://$socket"
write_config "$socket"
print_hints "$socket"
# Left by `eval "$(make env)"`; Fairlead would take them for configuration.
unset "${!FAIRLEAD_TEST_@}"
exec bin/fairlead run -c "$config"
