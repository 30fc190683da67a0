#!/bin/sh
# Patroni runs this once, on the first primary, with the owner's address: the database that `set-up migrate` fills.
set -eu
psql "$1" -v ON_ERROR_STOP=1 -c 'create database herald'
