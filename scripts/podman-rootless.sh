#!/usr/bin/env bash
# A rootless Podman API service for a user of its own, made by root on a Debian that need not run systemd, logind or
# dbus. Root may use the user's socket.
#   podman-rootless.sh start | stop | socket
#   podman-rootless.sh as COMMAND...    runs it as that user, with the environment that Podman wants
set -euo pipefail
. "$(dirname "$0")/say.sh"

user=${FAIRLEAD_TEST_USER:-fairlead-test}

uid() { id -u "$user"; }
group() { id -gn "$user"; }
home() { getent passwd "$user" | cut -d: -f6; }
rundir() { echo "/run/user/$(uid)"; }
socket() { echo "$(rundir)/podman/podman.sock"; }

start() {
  need_root start
  # useradd writes /etc/subuid and /etc/subgid itself where uidmap is installed.
  id "$user" >/dev/null 2>&1 || useradd --create-home --shell /bin/bash "$user"
  if answers "$(socket)"; then return; fi
  end "$(rundir)/podman/service.pid"
  map_ids
  make_rundir
  open_tun
  write_settings
  rm -f "$(socket)"
  setsid nohup "$0" as podman --log-level=warn system service --time=0 "unix://$(socket)" \
    >"$(rundir)/podman/service.log" 2>&1 </dev/null &
  echo $! >"$(rundir)/podman/service.pid"
  await "$(socket)" "$(rundir)/podman/service.log"
  say "rootless Podman answers on $(socket)"
}

map_ids() {
  local file first
  for file in /etc/subuid /etc/subgid; do
    if grep -qs "^$user:" "$file"; then continue; fi
    first=$(awk -F: 'BEGIN { m = 100000 } { if ($2 + $3 > m) m = $2 + $3 } END { print m }' "$file" 2>/dev/null || echo 100000)
    echo "$user:$first:65536" >>"$file"
  done
}

# logind makes it at a login, and here nobody logs in.
make_rundir() {
  mkdir -p /run/user
  install -d -m 0700 -o "$user" -g "$(group)" "$(rundir)" "$(rundir)/podman"
}

# slirp4netns opens it as the user; udev makes it 0666, but without udev it is missing or root's.
open_tun() {
  if [ ! -c /dev/net/tun ]; then mkdir -p /dev/net && mknod /dev/net/tun c 10 200; fi
  chmod 0666 /dev/net/tun
}

# runc and cgroupfs: crun 1.8 refuses hybrid cgroups. Files: there may be no journal.
write_settings() {
  local directory
  directory=$(home)/.config/containers
  install -d -o "$user" -g "$(group)" "$(home)/.config" "$directory"
  cat >"$directory/containers.conf" <<C
[containers]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
C
  printf '[storage]\ndriver = "overlay"\n' >"$directory/storage.conf"
  chown "$user:" "$directory"/*.conf
}

# setpriv and not su: it becomes the command, so that the pid file names podman and a signal reaches it.
as() {
  cd "$(home)"
  exec setpriv --reuid "$(uid)" --regid "$(id -g "$user")" --init-groups env -i HOME="$(home)" USER="$user" \
    LOGNAME="$user" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    XDG_RUNTIME_DIR="$(rundir)" "$@"
}

# The pause process keeps the user namespace open after the service.
stop() {
  need_root stop
  id "$user" >/dev/null 2>&1 || return 0
  local pause
  if answers "$(socket)"; then podman --remote --url "unix://$(socket)" rm --all --force --time 0 >/dev/null; fi
  end "$(rundir)/podman/service.pid"
  rm -f "$(socket)"
  pause=$(cat "$(rundir)/libpod/tmp/pause.pid" 2>/dev/null) || return 0
  kill -9 "$pause" 2>/dev/null || true
  rm -f "$(rundir)/libpod/tmp/pause.pid"
}

case "${1:-}" in
  start) start ;;
  stop) stop ;;
  socket) socket ;;
  as) shift; as "$@" ;;
  *) sed -n '2,5p' "$0"; exit 2 ;;
esac
