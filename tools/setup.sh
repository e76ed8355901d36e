#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Install missing packages on Debian 12. On other systems, list the tools
# that are missing.
# usage: setup.sh [build | test | verify]
#   build    what `make run` needs: compiler, libraries, and node for the pages and for SQL
#   test     also what `make test` needs: browsers, test libraries (the default)
#   verify   also what `make verify` needs: clang and its tools, coverage
set -eu

level=${1:-test}
packages="gcc libc6-dev meson ninja-build pkg-config zlib1g-dev libzstd-dev libdeflate-dev
	libmicrohttpd-dev libcurl4-openssl-dev libnghttp2-dev libedit-dev python3 python3-dev"
tools="gcc meson ninja pkg-config python3"
libraries="zlib libzstd libdeflate libmicrohttpd libcurl libnghttp2"
case $level in
build) ;;
test | verify)
	packages="$packages g++ libcmocka-dev curl chromium firefox-esr python3-numpy python3-protobuf"
	packages="$packages python3-torch python3-grpcio python3-yaml slurmctld slurmd slurm-client"
	tools="$tools g++ curl"
	libraries="$libraries cmocka"
	;;
*)
	echo "usage: setup.sh [build | test | verify]" >&2
	exit 2
	;;
esac
if [ "$level" = verify ]; then
	packages="$packages clang clang-format clang-tidy libclang-rt-14-dev gcovr"
	tools="$tools clang clang-format clang-tidy gcovr"
fi
# Other builds of node come with their own npm, which conflicts with Debian's.
command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1 || packages="$packages nodejs npm"

missing_packages() {
	for package in $packages; do
		state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=
		[ "$state" = installed ] || printf ' %s' "$package"
	done
}

missing_tools() {
	for tool in $tools; do
		command -v "$tool" >/dev/null 2>&1 || printf ' %s' "$tool"
	done
	for library in $libraries; do
		pkg-config --exists "$library" 2>/dev/null || printf ' %s (headers)' "$library"
	done
}

is_debian_12() {
	[ -r /etc/os-release ] && command -v dpkg-query >/dev/null 2>&1 &&
		(. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ])
}

install_packages() { # names
	as_root=
	if [ "$(id -u)" -ne 0 ]; then
		if ! command -v sudo >/dev/null 2>&1; then
			echo "setup: not root and no sudo; please install:$*" >&2
			exit 1
		fi
		as_root=sudo
	fi
	echo "setup: installing$*"
	$as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 update
	# shellcheck disable=SC2086 # the names are a list
	$as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get -q -y -o Acquire::Retries=3 -o DPkg::Lock::Timeout=120 \
		install --no-install-recommends $1
}

if is_debian_12; then
	missing=$(missing_packages)
	if [ -z "$missing" ]; then
		echo "setup: all packages are installed"
		exit 0
	fi
	install_packages "$missing"
	echo "setup: done"
else
	missing=$(missing_tools)
	if [ -n "$missing" ]; then
		echo "setup: this is not Debian 12, nothing was installed; missing:$missing" >&2
		echo "setup: Debian 12 calls the packages:" $packages >&2
		exit 1
	fi
	echo "setup: not Debian 12, but all tools are here"
fi
