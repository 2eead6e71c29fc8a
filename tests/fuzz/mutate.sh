#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/fuzz/mutate.sh [COUNT [FILE...]]
#
# Reads COUNT (default: 10,000) mutants of recordings with the address
# sanitizer. None may crash, and each loss must be reported.  It is not part of
# `make check`, because it takes minutes.
cd "$(dirname "$0")/../.." || exit 2
count=${1-10000}
[ $# -eq 0 ] || shift
if [ $# -eq 0 ]; then
	set -- tests/data/jfr/ap-lock.jfr
	for file in ../shared/data/own/jfr/ap-busy17-wall.jfr \
		../shared/data/own/jfr/ap-busy17-multi.jfr \
		../shared/data/own/jfr/busy17-default-depth16.jfr \
		../shared/data/own/jfr/busy17-multichunk.jfr; do
		[ ! -e "$file" ] || set -- "$@" "$file"
	done
fi
built=build/cc-address-undefined
make -s CC=cc SANITIZE=address,undefined $built/libsjkc.a &&
	cc -std=c11 -D_GNU_SOURCE -O1 -g -fsanitize=address,undefined \
		-fno-sanitize-recover=all -I. -o $built/mutate_jfr \
		tests/fuzz/mutate_jfr.c $built/libsjkc.a -lz &&
	$built/mutate_jfr "$count" "$@"
