#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/layers.sh [DIRECTORY]
#
# Checks that files include only what their directory may include, and that
# only cmd/ prints or exits. Prints a TAP line for each directory.
. "$(dirname "$0")/tap.sh"
cd "${1:-$(dirname "$0")/..}" || exit 2

# upward FILES MAY...: includes of the files that begin with none of MAY
upward() {
	files=$1
	shift
	# shellcheck disable=SC2046,SC2086 # patterns and file names of ours
	awk -v may="$*" '
	BEGIN { n = split(may, begin, " ") }
	/^[[:space:]]*#[[:space:]]*include[[:space:]]*"/ {
		split($0, quoted, "\"")
		for (i = 1; i <= n; i++)
			if (index(quoted[2], begin[i]) == 1)
				next
		print FILENAME " may not include " quoted[2]
	}' $(ls $files 2>/dev/null) </dev/null
}

room() {
	tap_result "$1 include nothing that is above them" "$(upward "$@")"
}

# Each directory of core/ may include those before it.
below_it=
for directory in base jvm attach profile formats process elf hotspot unwind mem threads \
	gc push diagnosis; do
	below_it="$below_it core/$directory/"
	# shellcheck disable=SC2086 # a list
	room "core/$directory/*.[ch] core/$directory/*/*.[ch]" $below_it
done
room 'jmx_http/*.[ch] jmx_http/*/*.[ch]' core/ jmx_http/
room 'jmx_http/java/*.[ch]' core/base/ jmx_http/java/ jmx_http/jmx.h \
	jmx_http/value/
room 'jmx_http/net/*.[ch]' core/ jmx_http/net/
room 'jmx_http/http/*.[ch]' core/base/ jmx_http/http/ jmx_http/net/ \
	jmx_http/target.h
room 'bpf/*.[ch] bpf/*/*.[ch]' core/ bpf/ jvmti/client/
# Stack traces are trees below the page and the reports; text has tables.
room 'render/text/*.[ch]' core/ render/text/
room 'render/tree/*.[ch]' core/ render/tree/
for directory in page profile top gc; do
	room "render/$directory/*.[ch]" core/ render/text/ render/tree/ \
		"render/$directory/"
done
room 'render/threads/*.[ch]' core/ render/text/ render/page/ render/threads/
# The agent runs inside the JVM and includes only its own headers.
room 'jvmti/agent/*.[ch]' jvmti/agent/
room 'jvmti/client/*.[ch]' core/ jvmti/
room 'cmd/*.[ch] cmd/*/*.[ch]' cmd/ core/ jmx_http/ bpf/ jvmti/client/ render/

below='core/*/*.c core/*/*/*.c render/*/*.c
	jmx_http/*.c jmx_http/*/*.c bpf/*.c bpf/*/*.c jvmti/*/*.c'
# output_calls FILE...: prints the lines that call a function which prints or exits.
# A comment or literal may name one.
output_calls() {
	token="/[*]|\"([^\"\\\\]|\\\\.)*\"|'([^'\\\\]|\\\\.)*'" awk '
	BEGIN {
		token = ENVIRON["token"]
		call = "(^|[^_[:alnum:]])(v?f?printf|f?puts|f?putc|putchar|" \
			"perror|_?exit)[(]"
	}
	FNR == 1 { commented = 0 }
	{
		rest = $0
		code = ""
		while (rest != "") {
			if (commented) {
				end = index(rest, "*/")
				rest = end ? substr(rest, end + 2) : ""
				commented = !end
			} else if (match(rest, token)) {
				commented = substr(rest, RSTART, 2) == "/*"
				code = code substr(rest, 1, RSTART - 1) " "
				rest = substr(rest, RSTART + RLENGTH)
			} else {
				code = code rest
				rest = ""
			}
		}
		if (code ~ call)
			print FILENAME ":" FNR ":" $0
	}' "$@" 2>&1
}

# shellcheck disable=SC2046,SC2086 # patterns and file names of ours
tap_result 'nothing below cmd/ prints or exits' \
	"$(output_calls $(ls $below 2>/dev/null))"

# shellcheck disable=SC2046 # file names of ours, one word each
tap_result 'every source names its license' "$(grep -L \
	'SPDX-License-Identifier: Apache-2.0' Makefile $(find bpf cmd core jmx_http \
		jvmti packaging render tests \( -name '*.[ch]' -o -name '*.js' -o -name '*.sh' \) \
		! -path 'tests/cli/*' ! -path 'tests/screen/*' | sort) 2>/dev/null)"

# Only core/unwind/arch.h and its implementations depend on an architecture.
tap_result 'core/unwind/*.[ch] include nothing of one architecture' "$(grep -nH \
	'#include "core/unwind/[^"/]*/' core/unwind/*.[ch] 2>/dev/null)"

# shellcheck disable=SC2016 # backquotes of Markdown
tap_result 'every file that ARCHITECTURE.md names exists' "$(
	grep -o '`[a-z_]*/[a-z0-9_/]*\.[a-z.]*`' ARCHITECTURE.md 2>/dev/null |
		tr -d '`' | sort -u | while read -r file; do
		[ -e "$file" ] || echo "$file"
	done)"

# A file system of a target may not respond, so only children open its files: in
# these files, the jobs of the opener (core/jvm/opener.h) and of helper processes.
# The kernel opens the paths of uprobes that the last three build.
in_children='core/jvm/(cgroup|container|jvm_file|jvm_info|jvm_kind|perfdata)\.c
core/elf/(elf_debug|elf_image|target_files)\.c
core/attach/(attach|attach_conditions|attach_openj9|attach_socket)\.c
cmd/(doctor/doctor_checks|snap/snap_logs|shared/(virtual_dump|jfr_recording)|gc/gc_vm_log)\.c
jvmti/client/(client_load|client_probes)\.c
(bpf/gc_probes|bpf/sampling/sampling_native|bpf/sampling/sampling_probe|bpf/sampling/sampling_target_open|jvmti/client/client)\.c'
# target_opens FILE...: prints the functions that call one of the functions that
# open such files, or that have a path which leads there: below a link of the
# process, or the link itself where anything but readlink(2) gets it.
target_opens() {
	awk '
	BEGIN {
		call = "(jvm_open_file|jvm_open_held|elf_debug_open|" \
			"elf_image_open_fd|attach_socket_dir)[(]|" \
			"procfs_open[(][^;]*\"(exe|cwd|root|fd/|map_files)|" \
			"(procfs_(read|identify)|pid_read_identity)[(][^;]*" \
			"\"((cwd|root)/[^.]|fd/|map_files)"
		process = "/(proc/)?(%[a-z]+|[0-9]+)/"
		below = "\"" process "((root|cwd)/[^.]|map_files/|fd/)"
		link = "\"" process "(root|cwd|exe)\""
		opens = "(^|[^_[:alnum:]])(f?open(at2?|dir)?|l?stat(fs|x)?|fstatat|" \
			"f?accessat|access|realpath|chdir|creat|truncate)[(]"
		own = "[a-z]+[(](AT_FDCWD, )?\"(/|/proc/self/[^\"]*)\","
	}
	function judge() {
		gsub(/[ \t]+/, " ", text)
		gsub(/ [(]/, "(", text)
		if (text ~ call || text ~ below)
			print FILENAME ":" first
		else if (text ~ link) {
			gsub(own, "", text)
			if (text ~ opens)
				print FILENAME ":" first
		}
		text = ""
	}
	FNR == 1 { text = "" }
	text == "" { first = FNR }
	{ text = text " " $0 }
	/^}|;$/ && !/^[ \t]/ { judge() }
	' "$@"
}
# shellcheck disable=SC2046 # file names of ours, one word each
tap_result 'only code that runs in children opens files of targets' "$(
	target_opens $(find bpf cmd core jmx_http jvmti/client render -name '*.c' |
		grep -vE "^($(echo "$in_children" | paste -sd '|' -))$" | sort))"

# Other versions format differently.  Without its history, a checkout may have changed
# any file; otherwise, files that fifty commits did not change were checked before.
name='clang-format changes no source; make format applies it'
changed=$(git diff --name-only HEAD~50 2>/dev/null) ||
	changed=$(find bpf cmd core jmx_http jvmti packaging render tests 2>/dev/null)
changed=$(echo "$changed" | grep -E \
	'^(bpf|cmd|core|jmx_http|jvmti|packaging|render|tests)/.*\.[ch]$' |
	while read -r file; do
		[ ! -e "$file" ] || echo "$file"
	done)
if [ -z "$changed" ]; then
	tap_result "$name"
elif [ -e .clang-format ] &&
	clang-format --version 2>/dev/null | grep -q 'version 14\.'; then
	# shellcheck disable=SC2086 # file names of ours, one word each
	tap_result "$name" "$(clang-format --dry-run $changed 2>&1 |
		sed -n 's/:[0-9]*: warning: .*//p')"
else
	tap_skip "$name" 'no clang-format 14'
fi

tap_end
