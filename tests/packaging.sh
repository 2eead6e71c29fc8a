#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
#	tests/packaging.sh DIRECTORY [PART...]
#
# Checks the .deb and the tarball in DIRECTORY in bare roots: the .deb on Debian
# 12, the tarball on Debian 11 and beside a busybox without a C library.  From
# each root, sjkc attaches to a JVM of this machine and samples it.  Then runs the
# steps of packaging/Dockerfile with a root in place of each image.  PART is one of
# deb, tarball and image; the default is all.  Needs root and a Debian mirror; the
# roots are made once, in $SJKC_ROOT_CACHE (default: /var/tmp/sjkc-roots-UID).
# shellcheck disable=SC2317 # "check_$part" calls the parts
cd "$(dirname "$0")/.." || exit 2
. tests/tap.sh
out=$(realpath "$1")
shift
parts=${*:-deb tarball image}
cache=${SJKC_ROOT_CACHE:-/var/tmp/sjkc-roots-$(id -u)}
scratch=$(mktemp -d /var/tmp/sjkc-packaging.XXXXXX) || exit 2
java_pid=
finish() {
	[ -z "$java_pid" ] || kill "$java_pid" 2>/dev/null
	rm -rf --one-file-system "$scratch"
}
trap finish EXIT
trap 'exit 143' TERM INT HUP

# base SUITE: prints the path of a bare root of that suite, which it makes once.
base() {
	made=$cache/$1
	if [ ! -e "$made/.made" ]; then
		rm -rf "$made"
		mkdir -p "$cache"
		# shellcheck disable=SC2016 # for apt
		mirror=$(apt-get indextargets --format '$(REPO_URI)' \
			'ORIGIN: Debian' | grep -v security | head -n 1)
		debootstrap --variant=minbase "$1" "$made" \
			"${mirror:-http://deb.debian.org/debian}" \
			>"$scratch/debootstrap" 2>&1 ||
			{ tail -n 3 "$scratch/debootstrap" >&2; return 1; }
		touch "$made/.made"
	fi
	echo "$made"
}

# fresh SUITE NAME: a copy of the bare root as $scratch/NAME.
fresh() {
	from=$(base "$1") || return 1
	cp -a --reflink=auto "$from" "$scratch/$2" &&
		cp -L /etc/resolv.conf /etc/hosts "$scratch/$2/etc/"
}

# within ROOT COMMAND...: runs it there with the processes and devices of this
# machine, in a mount namespace of its own, so that nothing stays mounted.
cat >"$scratch/within" <<'END'
unshare --mount --propagation private sh -c '
	root=$1
	shift
	mkdir -p "$root/proc" "$root/sys" "$root/dev"
	for dir in proc sys dev; do
		mount --rbind "/$dir" "$root/$dir" || exit 1
	done
	exec chroot "$root" "$@"' - "$1" \
	env -i PATH=/usr/local/sbin:/usr/sbin:/sbin:/usr/bin:/bin HOME=/root \
	LANG=C.UTF-8 TERM=xterm-256color DEBIAN_FRONTEND=noninteractive \
	sh -c "$2"
END
within() {
	sh "$scratch/within" "$@"
}

# try ROOT PATTERN COMMAND: a fault unless the command's output has the pattern.
try() {
	within "$1" "$3" >"$scratch/said" 2>&1 </dev/null
	grep -q -- "$2" "$scratch/said" && return
	echo "no '$2' in the output of $3:"
	head -n 20 "$scratch/said"
}

# faults_of ROOT SJKC: what does not work from there.
faults_of() {
	try "$1" '^commit ' "$2 --version"
	try "$1" "^ *$java_pid .* Demo" "$2 jps"
	try "$1" 'OpenJDK\|HotSpot' "$2 jcmd $java_pid VM.version"
	try "$1" '"clerk-1"' "$2 jstack $java_pid"
	try "$1" 'clerk-' "$2 ttop -b --iterations 1 --report-interval 1 $java_pid"
	try "$1" "connected\|refused" "$2 mxping -s localhost:1"
	# The screen needs a description of the terminal.
	timeout 60 script -qefc "sh $scratch/within $1 \
		'$2 ttop --iterations 3 $java_pid'" "$scratch/screen" \
		</dev/null >/dev/null 2>&1
	if ! grep -q 'clerk-' "$scratch/screen" ||
	   ! grep -q '1049h' "$scratch/screen"; then
		echo 'no screen of ttop:'
		head -c 500 "$scratch/screen"
	fi
	if ! within "$1" "$2 doctor $java_pid" | grep -q '^works: .*prof'; then
		echo '# prof is not checked: no samples can be taken here' >&2
		return
	fi
	try "$1" 'Demo' "$2 prof -d 2s $java_pid"
}

check_deb() {
	deb=$(echo "$out"/sjkc_*.deb)
	if command -v lintian >/dev/null; then
		tap_result 'the package has no lintian errors' \
			"$(lintian --allow-root --fail-on error "$deb" 2>&1 |
				grep '^E:')"
	else
		tap_skip 'the package has no lintian errors' 'no lintian'
	fi
	if ! why=$(fresh bookworm deb 2>&1); then
		tap_skip 'the package installs on a bare Debian 12' "$why"
		return
	fi
	root=$scratch/deb
	cp "$deb" "$root/tmp/"
	within "$root" "apt-get update -qq &&
		apt-get install -qq --no-install-recommends \
			/tmp/$(basename "$deb")" >"$scratch/apt" 2>&1
	status=$?
	tap_result 'the package installs on a bare Debian 12' \
		"$([ "$status" -eq 0 ] || tail -n 5 "$scratch/apt")"
	tap_result 'the installed package diagnoses a JVM' \
		"$(faults_of "$root" sjkc)"
	# A bare root leaves out manuals when it unpacks; the package has one.
	tap_result 'the package has a manual and completions' "$(
		dpkg-deb -c "$deb" | awk '{ print $6 }' >"$scratch/files"
		for file in man/man1/sjkc.1.gz doc/sjkc/copyright \
			bash-completion/completions/sjkc \
			zsh/vendor-completions/_sjkc \
			fish/vendor_completions.d/sjkc.fish; do
			grep -qx "./usr/share/$file" "$scratch/files" ||
				echo "no $file"
		done)"
	within "$root" 'apt-get purge -qq sjkc && apt-get autoremove -qq' \
		>"$scratch/apt" 2>&1
	tap_result 'a purge leaves no file of the package' \
		"$(find "$root/usr" "$root/etc" -name '*sjkc*')"
}

check_tarball() {
	tarball=$(echo "$out"/sjkc-*-linux-*.tar.gz)
	name=$(basename "$tarball" .tar.gz)
	if why=$(fresh bullseye old 2>&1); then
		tar -xzf "$tarball" -C "$scratch/old/opt"
		tap_result 'the tarball diagnoses a JVM from Debian 11' \
			"$(faults_of "$scratch/old" "/opt/$name/sjkc")"
		# Moved, and started through a link and by a relative path.
		mkdir -p "$scratch/old/srv/a b"
		mv "$scratch/old/opt/$name" "$scratch/old/srv/a b/tools"
		ln -s '/srv/a b/tools/sjkc' "$scratch/old/usr/bin/sjkc"
		tap_result 'the tarball runs wherever it is' "$(
			try "$scratch/old" '^commit ' 'sjkc --version'
			try "$scratch/old" '^commit ' \
				'cd "/srv/a b" && tools/sjkc --version'
			try "$scratch/old" '^commit ' \
				'cd "/srv/a b/tools" && ./sjkc --version')"
	else
		tap_skip 'the tarball diagnoses a JVM from Debian 11' "$why"
	fi
	busybox=$(command -v busybox)
	if [ -z "$busybox" ] || readelf -l "$busybox" | grep -q INTERP; then
		tap_skip 'the tarball diagnoses a JVM from a busybox root' \
			'no static busybox'
		return
	fi
	mkdir -p "$scratch/tiny/bin" "$scratch/tiny/opt" "$scratch/tiny/tmp"
	cp "$busybox" "$scratch/tiny/bin/busybox"
	for tool in sh env; do
		ln -s busybox "$scratch/tiny/bin/$tool"
	done
	mkdir "$scratch/tiny/etc"
	cp -L /etc/hosts "$scratch/tiny/etc/"
	tar -xzf "$tarball" -C "$scratch/tiny/opt"
	tap_result 'the tarball diagnoses a JVM from a busybox root' \
		"$(faults_of "$scratch/tiny" "/opt/$name/sjkc")"
}

# suite_of IMAGE: the Debian suite of an image's root.
suite_of() {
	case $1 in
	debian:12 | debian:12-slim) echo bookworm ;;
	*) return 1 ;;
	esac
}

# image_step INSTRUCTION ARGUMENTS...: carries out one of the Dockerfile's.
# $stage is the root that is being made, $workdir a directory in it.
image_step() {
	instruction=$1
	shift
	case $instruction in
	FROM)
		suite=$(suite_of "$1") || { echo "unknown image $1"; return 1; }
		stage=${3:-final} workdir=/
		fresh "$suite" "$stage"
		;;
	WORKDIR) workdir=$1; mkdir -p "$scratch/$stage$workdir" ;;
	COPY)
		case $1 in
		--from=*)
			# shellcheck disable=SC2086 # a pattern
			cp $scratch/${1#--from=}$2 "$scratch/$stage$3" ;;
		*)
			# What is committed; the local copy may be a worktree.
			git clone -q --no-hardlinks . "$scratch/clone" &&
				cp -a "$scratch/clone/." "$scratch/$stage$2" ;;
		esac
		;;
	RUN) within "$scratch/$stage" "cd $workdir && $*" ;;
	CMD) ;;
	*) echo "unknown instruction $instruction"; return 1 ;;
	esac
}

check_image() {
	if ! why=$(base bookworm 2>&1); then
		tap_skip 'the steps of the Dockerfile make an image' "$why"
		return
	fi
	sed -e '/^#/d' -e ':a' -e '/\\$/{N; s/\\\n//; ta' -e '}' \
		packaging/Dockerfile | grep . >"$scratch/steps"
	while read -r instruction arguments; do
		# shellcheck disable=SC2086 # words
		case $instruction in
		RUN) set -- "$arguments" ;;
		*) set -- $arguments ;;
		esac
		image_step "$instruction" "$@" </dev/null || exit 1
	done <"$scratch/steps" >"$scratch/image" 2>&1
	status=$?
	tap_result 'the steps of the Dockerfile make an image' \
		"$([ "$status" -eq 0 ] || tail -n 30 "$scratch/image")"
	tap_result 'sjkc of the image diagnoses a JVM' \
		"$(faults_of "$scratch/final" sjkc)"
	tap_result 'sjkc of the image prints the commit' \
		"$(try "$scratch/final" "$(git rev-parse --short=12 HEAD)" \
			'sjkc --version')"
}

why=
if [ "$(id -u)" -ne 0 ]; then
	why='not root'
elif ! command -v debootstrap >/dev/null; then
	why='no debootstrap'
elif ! command -v javac >/dev/null; then
	why='no JDK'
fi
if [ -n "$why" ]; then
	for part in $parts; do
		tap_skip "$part" "$why"
	done
	tap_end
fi
javac -d "$scratch/classes" tests/demo/Demo.java || exit 2
env --default-signal=QUIT,INT java -cp "$scratch/classes" Demo 3600 \
	>/dev/null 2>&1 &
java_pid=$!
for part in $parts; do
	"check_$part"
done
tap_end
