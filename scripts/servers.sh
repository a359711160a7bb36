#!/usr/bin/env bash
# Makes build/servers from Debian packages: the servers that the L4 smokes run in containers, and their clients.
#   build/servers/image   what integration/servers_test.go builds the image from
#   build/servers/root    the same, laid out: the smokes run the clients in it by chroot
# Nothing is configured but what stands here, and no daemon of the packages is started on this machine. Needs root.
set -euo pipefail
. "$(dirname "$0")/say.sh"
cd "$(dirname "$0")/.."

packages=postgresql-15,redis-server,mosquitto,mosquitto-clients,dnsmasq-base,bind9-dnsutils,iperf3,openssh-server
packages+=,openssh-client,openssl,dash,coreutils
# What no server and no client here loads: PostgreSQL's compiler, Perl's scripts, languages, manuals.
unneeded=('/usr/lib/*/libLLVM*' '/usr/lib/*/libz3*' '/usr/lib/postgresql/*/lib/bitcode/*' '/usr/lib/*/perl*'
  '/usr/share/perl*' '/usr/share/locale/*' '/usr/share/i18n/*' '/usr/share/doc/*' '/usr/share/man/*' '/usr/share/info/*')

to=build/servers
made_by=$(cat scripts/servers.sh integration/servers/* | sha256sum | cut -d" " -f1)
[ "$(cat $to/made-by 2>/dev/null || true)" = "$made_by" ] && exit 0
need_root
scripts/packages.sh mmdebstrap openssl
say "laying out $packages"
rm -rf "$to" && mkdir -p "$to/root" "$to/image"
mmdebstrap --quiet --variant=extract --include="$packages" bookworm - |
  mmtarfilter "${unneeded[@]/#/--path-exclude=}" | tar -x -C "$to/root"

# accounts are what the packages' scripts would have made.
cat >"$to/root/etc/passwd" <<'END'
root:x:0:0:root:/root:/bin/sh
sshd:x:101:65534::/run/sshd:/usr/sbin/nologin
mosquitto:x:102:102::/var/lib/mosquitto:/usr/sbin/nologin
redis:x:103:103::/var/lib/redis:/usr/sbin/nologin
postgres:x:104:104::/data:/bin/sh
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
END
cat >"$to/root/etc/group" <<'END'
root:x:0:
mosquitto:x:102:
redis:x:103:
postgres:x:104:
nogroup:x:65534:
END
ln -sf dash "$to/root/bin/sh"
install -d "$to/root/run/sshd" "$to/root/root" "$to/root/dev"
install -d -m 1777 "$to/root/tmp" "$to/root/run/postgresql"
install -d -m 700 -o 104 -g 104 "$to/root/data"
[ -e "$to/root/dev/null" ] || mknod -m 666 "$to/root/dev/null" c 1 3
[ -e "$to/root/dev/urandom" ] || mknod -m 666 "$to/root/dev/urandom" c 1 9
[ -e "$to/root/dev/shm" ] || install -d -m 1777 "$to/root/dev/shm"
install -m 644 integration/servers/*.conf "$to/root/etc/"
install -m 755 integration/servers/postgres.sh "$to/root/"
ssh-keygen -q -t ed25519 -N '' -f "$to/root/etc/ssh/host_key"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=db.test \
  -addext subjectAltName=DNS:db.test -keyout "$to/root/etc/server.key" -out "$to/root/etc/server.crt" 2>/dev/null
chown 104:104 "$to/root/etc/server.key" "$to/root/etc/server.crt"
chmod 600 "$to/root/etc/server.key"

cp integration/servers/Containerfile "$to/image/"
tar -C "$to/root" --exclude=./dev -cf "$to/image/root.tar" .
echo "$made_by" >"$to/made-by"
say "$to: $(du -sh "$to/root" | cut -f1)"
