#!/usr/bin/env bash
# A rootful Podman API service with storage, settings and a bridge of its own: it shares nothing with a Podman that
# the machine's owner uses, and it starts containers where the installed defaults cannot.
#   podman-root.sh start | stop | socket
set -euo pipefail
. "$(dirname "$0")/say.sh"

home=${FAIRLEAD_TEST_DIR:-/var/lib/fairlead-test}/podman
socket=/run/fairlead-test/podman.sock

start() {
  need_root start
  if answers "$socket"; then return; fi
  end "$home/service.pid"
  mkdir -p "$home/networks" "$(dirname "$socket")"
  write_settings
  write_network
  rm -f "$socket"
  cd / # the service must not hold on to a folder that may be deleted: then nothing starts any more
  CONTAINERS_CONF="$home/containers.conf" setsid nohup podman --root "$home/root" --runroot "$home/run" \
    --tmpdir "$home/tmp" --storage-driver overlay --log-level=warn system service --time=0 "unix://$socket" \
    >"$home/service.log" 2>&1 </dev/null &
  echo $! >"$home/service.pid"
  await "$socket" "$home/service.log"
  say "rootful Podman answers on $socket"
}

# Podman's own rlimits (1048576 files) are refused where CAP_SYS_RESOURCE is dropped, as in many CI machines: the hard
# limits that we have always work. It lowers its own process limit to pid_max first, so that bounds ours as well.
# File locks: the default, one shared memory segment per user, is wiped by whichever Podman of root starts first.
write_settings() {
  local files procs pids
  files=$(ulimit -Hn) procs=$(ulimit -Hu) pids=$(cat /proc/sys/kernel/pid_max)
  if [ "$files" = unlimited ]; then files=1048576; fi
  if [ "$procs" = unlimited ] || [ "$procs" -gt "$pids" ]; then procs=$pids; fi
  cat >"$home/containers.conf" <<C
[containers]
default_ulimits = ["nofile=$files:$files", "nproc=$procs:$procs"]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
[network]
network_backend = "netavark"
network_config_dir = "$home/networks"
C
}

# Services of root share the bridge podman0 and would hand out the same addresses twice.
write_network() {
  cat >"$home/networks/podman.json" <<C
{
  "name": "podman",
  "id": "fa117ead00000000000000000000000000000000000000000000000000000000",
  "driver": "bridge",
  "network_interface": "fairlead0",
  "created": "2026-01-01T00:00:00Z",
  "subnets": [{"subnet": "10.87.0.0/16", "gateway": "10.87.0.1"}],
  "ipv6_enabled": false,
  "internal": false,
  "dns_enabled": false,
  "ipam_options": {"driver": "host-local"}
}
C
}

# Containers outlive the service, so they go first. This storage holds nothing but what tests made.
stop() {
  need_root stop
  if answers "$socket"; then podman --remote --url "unix://$socket" rm --all --force --time 0 >/dev/null; fi
  end "$home/service.pid"
  rm -f "$socket"
}

case "${1:-}" in
  start) start ;;
  stop) stop ;;
  socket) echo "$socket" ;;
  *) sed -n '2,4p' "$0"; exit 2 ;;
esac
