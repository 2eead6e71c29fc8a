#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	jvmti/helper/build.sh JDK OUT
#
# Compiles the helper classes with a JDK (9 or later) and writes
# agent_helper_bytes.c, which contains them, to OUT.  Every javac gives the same
# bytes.
set -e
cd "$(dirname "$0")"
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
for of in jdk9 jdk8; do
	patch='-source 8 -target 8'
	[ $of = jdk8 ] || patch="-source 9 -target 9 --patch-module java.base=$of"
	# shellcheck disable=SC2086 # words
	"$1/bin/javac" -g:none -nowarn -XDignore.symbol.file -Xlint:-options \
		-Xlint:-removal $patch -d "$classes/$of" \
		"$of/SjkcProbe.java" "$of/SjkcTrace.java" 2>/dev/null
done
{
	printf '/* SPDX-License-Identifier: Apache-2.0 */\n'
	printf '/* The helper classes, made by jvmti/helper/build.sh. */\n'
	printf '#include "jvmti/agent/agent_probes.h"\n'
	for of in helper:jdk9:Probe helper:jdk8:Probe trace:jdk9:Trace trace:jdk8:Trace; do
		jdk=${of#*:}
		jdk=${jdk%:*}
		name=${of%%:*}_$jdk
		class=$classes/$jdk/java/lang/Sjkc${of##*:}.class
		printf '\n/* clang-format off */\nconst uint8_t %s[] = {\n' "$name"
		od -An -v -tx1 -w12 "$class" | sed 's/ \(..\)/0x\1, /g; s/^/\t/; s/ $//'
		printf '};\n/* clang-format on */\nconst size_t %s_len = sizeof(%s);\n' "$name" "$name"
	done
} >"$2"
