#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/kernels.sh SJKC
#
# Boots other kernels than ours in emulated machines without a disk, and has
# kernels/checks.sh run there: which programs they take, what prof says of a JVM,
# what is refused.  The kernels are those of Debian's packages in the folder
# $KERNELS (linux-image-… or, where that is without one, linux-binary-…); without
# it, those that the machine's apt knows, which are kept in build/kernels.
# Some five minutes for each, and a limit of $LIMIT seconds for each boot.
# $TOOLS is the folder of what tests/root/lib/*.c became.
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
sjkc=$1
: "${TOOLS:?}" "${LIMIT:=1800}"
scratch=$(mktemp -d) || exit 2
machine=
trap '[ -z "$machine" ] || kill "$machine"; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM HUP

# fetch: packages into $KERNELS.  They are not installed: nobody is to boot them.
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

# add FILE…: to the machine's root, where they are here, with their libraries.
add() {
	{ printf '%s\n' "$@" && ldd "$@" 2>/dev/null |
		grep -o '/[^ :]*\.so[^ :]*'; } | sort -u |
		while read -r file; do
			mkdir -p "$root$(dirname "$file")"
			cp -L "$file" "$root$file"
		done
}

# make_root: what all machines have in their memory, $scratch/initrd.
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

# boot NAME KERNEL WORDS: what the machine said is in $scratch/tap and
# $scratch/console.  One thread, since CPUs of an emulator that are several see
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

# report NAME: its lines, as ours.
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
