#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Brings the servers of the scale tests into DIRECTORY: clickhouse-server, influxdb and
# victoria-metrics of Debian 12 (41 MB to fetch, 212 MB unpacked). They are only unpacked: nothing
# is installed, no service is set up or started.
# usage: fetch.sh DIRECTORY     exit 77: they cannot be had here
set -eu

servers="clickhouse-server influxdb victoria-metrics"

give_up() { # reason
	echo "SKIP: $1"
	exit 77
}

is_complete() { # directory
	[ -e "$1/complete" ]
}

directory=$1
is_complete "$directory" && exit 0
all_installed=yes
for program in clickhouse-server influxd victoria-metrics; do
	[ -n "$(PATH=$PATH:/usr/sbin command -v $program)" ] || all_installed=no
done
[ "$all_installed" = no ] || exit 0
command -v apt-get >/dev/null 2>&1 || give_up "no apt-get, so no $servers of Debian 12"

# What is not on this machine yet, with all that it needs.
# shellcheck disable=SC2086 # names are words
packages=$(apt-get -s --no-install-recommends install $servers 2>/dev/null |
	sed -n 's/^Inst \([^ ]*\) \(\[[^]]*\] \)\?(\([^ ]*\) .*/\1=\3/p')
[ -n "$packages" ] || give_up "apt-get does not know $servers (apt-get update helps on Debian 12)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
# shellcheck disable=SC2086
(cd "$work" && apt-get -q -o Acquire::Retries=2 download $packages) >"$work/log" 2>&1 ||
	give_up "apt-get could not fetch $servers"
mkdir -p "$directory"
for package in "$work"/*.deb; do
	dpkg-deb -x "$package" "$directory"
done
touch "$directory/complete"
