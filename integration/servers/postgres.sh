#!/bin/sh
# PostgreSQL with a data directory that is made at the first start and kept for the next.
set -e
bin=/usr/lib/postgresql/15/bin
[ -s /data/PG_VERSION ] || $bin/initdb --no-sync --auth=trust --locale=C --encoding=UTF8 -D /data >/dev/null
exec $bin/postgres -D /data -c config_file=/etc/postgres.conf
