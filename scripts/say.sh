# shellcheck shell=bash
# Sourced by the scripts beside it: how they speak, and how they ask a socket whether an engine answers there.

say() { echo "$(basename "$0"): $*" >&2; }
die() { say "$@"; exit 1; }

need_root() { [ "$(id -u)" = 0 ] || die "this needs root; as another user try: sudo env \"PATH=\$PATH\" $0 $*"; }

# answers SOCKET: Docker and Podman both know /_ping.
answers() { curl -fsS --max-time 5 --unix-socket "$1" http://engine/_ping >/dev/null 2>&1; }

# await SOCKET LOG: up to 20 s; a service that does not come up shows its log.
await() {
  local _
  for _ in $(seq 200); do answers "$1" && return; sleep 0.1; done
  tail -n 20 "$2" >&2
  die "nothing answers on $1"
}

# end PIDFILE: stops the service that wrote it and waits for its end.
end() {
  local pid _
  pid=$(cat "$1" 2>/dev/null) || return 0
  rm -f "$1"
  # After a reboot the number may be another process's.
  grep -qs podman "/proc/$pid/cmdline" || return 0
  kill "$pid" 2>/dev/null || return 0
  for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || return 0; sleep 0.1; done
  kill -9 "$pid" 2>/dev/null || true
}
