#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/kernels.sh SJKC
#
# Boots other kernels in emulated machines without a disk and runs
# kernels/checks.sh there: the programs that the verifier accepts, profiles of a
# JVM, missing rights.  The kernels are Debian packages in the directory
# $KERNELS (linux-image-… or, if that has no kernel, linux-binary-…), or else
# the packages that apt offers here, which are kept in build/kernels.  A kernel
# takes about five minutes; $LIMIT is the time limit of a boot in seconds.
# $TOOLS is the directory of the programs built from tests/root/lib/*.c.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
sjkc=$1
: "${TOOLS:?}" "${LIMIT:=1800}"
scratch=$(mktemp -d) || exit 2
machine=
trap '[ -z "$machine" ] || kill "$machine"; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# fetch: downloads packages into $KERNELS without installing them
fetch() {
	mkdir -p "$KERNELS"
	for meta in linux-image-cloud-amd64 linux-image-6.12-cloud-amd64; do
		package=$(apt-cache depends --important "$meta" 2>/dev/null |
			sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
		[ -n "$package" ] || continue
		[ -n "$(find "$KERNELS" -name "${package}_*.deb")" ] ||
			(cd "$KERNELS" && apt-get download -qq "$package" 2>&1) |
				sed 's/^/# /'
	done
}

# add FILE…: copies files and their libraries into the machine's root
add() {
	{ printf '%s\n' "$@" && ldd "$@" 2>/dev/null |
		grep -o '/[^ :]*\.so[^ :]*'; } | sort -u |
		while read -r file; do
			mkdir -p "$root$(dirname "$file")"
			cp -L "$file" "$root$file"
		done
}

# make_root: creates the memory disk of all machines, $scratch/initrd
make_root() {
	root=$scratch/root
	jlink=$(find -L /usr/lib/jvm -path '*/bin/jlink' | sort | head -n 1)
	[ -n "$jlink" ] || { echo 'no JDK with jlink'; return 1; }
	for folder in bin tools proc sys dev tmp etc classes; do
		mkdir -p "$root/$folder"
	done
	jdk=$(dirname "$(dirname "$jlink")")
	"$jlink" --add-modules java.base --output "$root/jre" &&
		"$jdk/bin/javac" -d "$root/classes" tests/kernels/Busy.java &&
		cp "$(command -v busybox)" "$sjkc" "$root/bin" &&
		cp "$TOOLS/take_samples" "$TOOLS/without_bpf" \
			"$TOOLS/name_kernel" "$(command -v setpriv)" \
			"$(command -v unshare)" "$root/tools" &&
		cp tests/kernels/checks.sh "$root" &&
		install tests/kernels/init.sh "$root/init" || return
	busybox --list | while read -r applet; do
		[ -e "$root/bin/$applet" ] || ln -s busybox "$root/bin/$applet"
	done
	echo root:x:0:0:root:/:/bin/sh >"$root/etc/passwd"
	# shellcheck disable=SC2046 # one word a file
	add $(ldd "$root/bin/sjkc" "$root"/tools/* "$root/jre/bin/java" \
		"$root"/jre/lib/*.so "$root"/jre/lib/server/*.so |
		grep -o '/[^ :]*\.so[^ :]*' | grep -v "^$root" | sort -u)
	(cd "$root" && find . | cpio -o -H newc --quiet >"$scratch/initrd")
}

# boot NAME KERNEL WORDS: runs a machine; its output is in $scratch/tap and
# $scratch/console.  One thread, because several CPUs of an emulator execute
# instructions that the kernel has replaced already.
boot() {
	: >"$scratch/tap"
	timeout -k 5 "$LIMIT" qemu-system-x86_64 -accel tcg,thread=single \
		-cpu max -m 2G -smp 2 -nodefaults -no-reboot -display none \
		-serial "file:$scratch/console" -serial "file:$scratch/tap" \
		-kernel "$2" -initrd "$scratch/initrd" \
		-append "console=ttyS0 quiet panic=-1 no_timer_check $3" \
		>"$scratch/emulator" 2>&1 &
	machine=$!
	wait "$machine"
	machine=
	tr -d '\r' <"$scratch/tap" >"$scratch/lines"
	report "$1"
}

# report NAME: prints the lines of the machine as test results
report() {
	awk -v name="$1" -v n="$tap_number" '/^END$/ { next }
		/^(not )?ok - / { sub(/ok - /, "ok " ++n " - " name ": ") } 1' \
		"$scratch/lines"
	tap_number=$((tap_number + $(grep -c 'ok - ' "$scratch/lines")))
	! grep -q '^not ok - ' "$scratch/lines" || tap_failed=1
	grep -q '^END$' "$scratch/lines" && return
	tap_result "$1: it runs to the end" \
		"$(tail -n 30 "$scratch/emulator" "$scratch/console")"
}

if [ -z "${KERNELS-}" ]; then
	KERNELS=build/kernels
	fetch
fi
make_root >"$scratch/made" 2>&1 || { cat "$scratch/made"; exit 2; }
for package in "$KERNELS"/linux-image-*.deb "$KERNELS"/linux-binary-*.deb; do
	[ -e "$package" ] || continue
	image=$(dpkg-deb -c "$package" | sed -n 's|.* \(\./.*/vmlinuz.*\)|\1|p')
	[ -n "$image" ] || continue
	dpkg-deb --fsys-tarfile "$package" | tar -xO "$image" >"$scratch/kernel"
	name=$(basename "$package" | sed 's/linux-[a-z]*-//; s/-amd64_/, /; s/_.*//')
	boot "$name" "$scratch/kernel" ''
	for mode in integrity confidentiality; do
		boot "$name, lockdown=$mode" "$scratch/kernel" "lockdown=$mode"
	done
done
[ "$tap_number" -gt 0 ] || tap_skip 'other kernels' "no packages in $KERNELS"
tap_end
