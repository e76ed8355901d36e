#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Links objects into one whose hidden functions are local to it, and archives it.
# usage: link_static.sh ARCHIVE FOLDER OBJECT...
set -eu

archive=$1
folder=$2
shift 2
mkdir -p "$folder"
ld -r -o "$folder/nxprofiler.o" "$@"
objcopy --localize-hidden "$folder/nxprofiler.o"
rm -f "$archive"
ar rcs "$archive" "$folder/nxprofiler.o"
