#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/layers.sh [DIRECTORY]
#
# No file includes what is above it, and nothing below cmd/ prints or exits.
# Prints a TAP line for each room.
. "$(dirname "$0")/tap.sh"
cd "${1:-$(dirname "$0")/..}" || exit 2

# includes FILE: what of ours it includes
includes() {
	sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$1"
}

# upward FILES MAY...: each include of the files that begins with none of MAY
upward() {
	files=$1
	shift
	for file in $files; do
		[ -e "$file" ] || continue
		for included in $(includes "$file"); do
			allowed=
			for may in "$@"; do
				case $included in "$may"*) allowed=1 ;; esac
			done
			[ -n "$allowed" ] || echo "$file may not include $included"
		done
	done
}

room() {
	tap_result "$1 include nothing that is above them" "$(upward "$@")"
}

room 'core/base/*.[ch]' core/base/
room 'core/profile/*.[ch]' core/base/ core/profile/
room 'core/jvm/*.[ch]' core/base/ core/jvm/
room 'core/attach/*.[ch]' core/base/ core/jvm/ core/attach/
# A live thread dump is read as one from a file is.
room 'core/threads/*.[ch]' core/base/ core/jvm/ core/attach/ core/threads/ \
	core/profile/dump_ core/profile/profile.h
# A process's memory, its ELF files, what HotSpot has there, whose stacks are
# unwound with both, and the names of what was found: each on those before it.
memory='core/base/ core/jvm/ core/native/mem core/native/map
	core/native/remote_memory.h core/native/raw.h'
elf="$memory core/native/elf/"
hotspot="$elf core/native/hotspot/"
unwind="$hotspot core/native/unwind/"
# shellcheck disable=SC2086 # lists
{
	room 'core/native/*.[ch]' $memory
	room 'core/native/elf/*.[ch]' $elf
	room 'core/native/hotspot/*.[ch]' $hotspot
	room 'core/native/unwind/*.[ch]' $unwind
	room 'core/native/names/*.[ch]' $unwind core/native/names/
}
room 'jmx_http/*.[ch] jmx_http/*/*.[ch]' core/ jmx_http/
room 'jmx_http/java/*.[ch]' core/base/ jmx_http/java/ jmx_http/jmx.h \
	jmx_http/value
room 'jmx_http/rmi/*.[ch]' core/ jmx_http/java/ jmx_http/rmi/ jmx_http/jmx \
	jmx_http/value jmx_http/tls jmx_http/object_name.h
room 'bpf/*.[ch]' core/ bpf/
room 'render/*.[ch] render/*/*.[ch]' core/ render/
# The agent runs inside the JVM: it has nothing of ours but itself.
room 'jvmti/agent*.[ch]' jvmti/agent
room 'jvmti/client*.[ch]' core/ jvmti/
room 'cmd/*.[ch] cmd/*/*.[ch]' cmd/ core/ jmx_http/ bpf/ jvmti/client render/

below='core/*/*.c core/*/*/*.c render/*.c render/*/*.c
	jmx_http/*.c jmx_http/*/*.c bpf/*.c jvmti/*.c'
# shellcheck disable=SC2086 # patterns
tap_result 'nothing below cmd/ prints or exits' "$(grep -nE \
	'(^|[^_[:alnum:]])(v?f?printf|f?puts|f?putc|putchar|perror|_?exit)\(' \
	$below 2>/dev/null)"

tap_result 'every source says its licence' "$(grep -L \
	'SPDX-License-Identifier: Apache-2.0' \
	./Makefile ./*/*.[ch] ./*/*/*.[ch] ./core/*/*/*.[ch] ./*/*.sh ./*/*/*.js 2>/dev/null)"

tap_end
