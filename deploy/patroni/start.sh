#!/bin/sh
# Starts Patroni as the user postgres, with the owner's password from the secrets. The standby logs in with the same one.
set -eu
password=$(cat /run/secrets/POSTGRES_PASSWORD)
export PATRONI_SUPERUSER_USERNAME=herald PATRONI_SUPERUSER_PASSWORD="$password"
export PATRONI_REPLICATION_USERNAME=standby PATRONI_REPLICATION_PASSWORD="$password"
export PATRONI_REWIND_USERNAME=herald PATRONI_REWIND_PASSWORD="$password"
chown postgres: /var/lib/postgresql
exec setpriv --reuid=postgres --regid=postgres --init-groups patroni /etc/patroni/patroni.yml
