# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by tests that look at running JVMs, from the top of the tree, with
# $scratch set to a folder of their own.  What they start is ended when they
# are, by its pid.
#
#	. tests/jvm/lib/target.sh
#	for jdk in $(jdks); do
#		target "$jdk" -Xrs -- threads=10 || exit 1
#		sjkc … "$pid"
#		target_end "$pid"
#	done

. tests/jvm/lib/jdks.sh

# What all tests share: the classes, once for each JDK.  Not in /tmp, which a
# container has of its own.
target_classes=/var/tmp/sjkc-target-$(id -u)
target_pids=
target_jobs=
target_number=0
: "${scratch:?is to be a folder}"

# target_compile JDK [PROGRAM [JAVAC-OPTION…]]: says where its classes are, those
# of $target_program unless it is told.  Each text of a program, compiled with each
# list of options, has a folder of its own, which appears whole: concurrent tests may both compile, and tests of
# another checkout have what they want, too.
target_compile() {
	compiling_jdk=$1
	program=${2-${target_program-Target}}
	shift
	[ $# -eq 0 ] || shift
	source=tests/jvm/lib/$program.java
	sum=$(cksum <"$source") && how=$(echo "$*" | cksum) || return 1
	compiled=$target_classes/$(basename "$compiling_jdk").$program
	compiled=$compiled.${sum%% *}.${how%% *}
	if [ ! -e "$compiled" ]; then
		[ ! -e "$target_classes" ] || [ -O "$target_classes" ] ||
			{ echo "$target_classes is not ours" >&2; return 1; }
		mkdir -p "$target_classes" && chmod 755 "$target_classes" &&
			fresh=$(mktemp -d "$target_classes/fresh.XXXXXX") &&
			"$compiling_jdk/bin/javac" -J-XX:TieredStopAtLevel=1 \
				-J-XX:+UseSerialGC -nowarn "$@" \
				-d "$fresh" "$source" >&2 &&
			chmod -R a+rX "$fresh" || return 1
		mv -T "$fresh" "$compiled" 2>/dev/null || rm -rf "$fresh"
	fi
	echo "$compiled"
}

# target_wait FILE TEXT: until the file has the text, at most five minutes: a busy machine is no failure.
target_wait() {
	for _ in $(seq 1 3000); do
		grep -q -- "$2" "$1" 2>/dev/null && return
		sleep 0.1
	done
	echo "$1 never had $2:"
	cat "$1"
	return 1
}

# target_split JVM-OPTION… [-- ARGUMENT…]: sets $options and $arguments, which
# are not to hold blanks.
target_split() {
	options='' arguments=''
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	[ $# -eq 0 ] || shift
	arguments=$*
}

# target JDK [JVM-OPTION…] [-- ARGUMENT…]: starts a JVM that runs Target, and
# waits until it says so.  Sets $pid, and $said to the file with its output.
# What $within holds stands before the command: "unshare …" and the like; $pid
# is the JVM all the same.  $target_memory replaces its -Xmx and collector,
# $target_program Target: target_program=Beans has MBeans of all kinds.
target() {
	target_start "$@" && target_ready && target_find
}

# As target_wait, but what has ended says nothing any more.
target_ready() {
	for _ in $(seq 1 3000); do
		! grep -q READY "$said" || return 0
		case $(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' \
			"/proc/$starter/status" 2>/dev/null) in
		'' | Z) grep -q READY "$said" && return; break ;;
		esac
		sleep 0.1
	done
	echo "$starter never said READY:"
	cat "$said"
	return 1
}

# The same without waiting: $pid is right unless $within made it a child.
target_start() {
	home=$1
	shift
	target_split "$@"
	# Which JDK compiles, and for which, is its own affair unless told.
	# shellcheck disable=SC2086 # words
	classes=$(target_compile "${compiler:-$home}" \
		"${target_program-Target}" ${compile_for-}) || return 1
	target_number=$((target_number + 1))
	said=$scratch/said.$target_number
	# A job of a shell without job control has SIGINT and SIGQUIT ignored:
	# a JVM must not start so.
	# shellcheck disable=SC2086 # words
	env --default-signal=QUIT,INT ${within-} "$home/bin/java" \
		${target_memory--Xmx64m -XX:+UseSerialGC} \
		-XX:TieredStopAtLevel=1 -cp "$classes" $options \
		"${target_program-Target}" $arguments \
		</dev/null >"$said" 2>&1 &
	starter=$!
	pid=$starter
	target_pids="$target_pids $starter"
}

# The JVM among the starter and its descendants.
target_find() {
	for _ in $(seq 1 600); do
		for pid in $starter $(target_below "$starter"); do
			grep -q '/libjvm\.so' "/proc/$pid/maps" 2>/dev/null ||
				continue
			case " $target_pids " in
			*" $pid "*) ;;
			*) target_pids="$target_pids $pid" ;;
			esac
			return 0
		done
		sleep 0.1
	done
	echo "$starter runs no JVM"
	return 1
}

# target_below PID: its descendants, four generations.
target_below() {
	below=$1
	for _ in 1 2 3 4; do
		next=
		for parent in $below; do
			next="$next $(cat "/proc/$parent/task"/*/children \
				2>/dev/null)"
		done
		below=$next
		echo "$below"
	done
}

# The same as target as another user, in mount, pid and user namespaces of its
# own with a private /tmp, as in a container.  Its user is 4321 for us, and
# $inner_uid for itself (1: daemon); $tmp_options are those of the private /tmp
# ("ro", "size=4k"); the pid that it has for itself is 1.  With $inner_net set,
# it has a network of its own, which is no more than a loopback interface.
target_contained() {
	within="setpriv --reuid=4321 --regid=4321 --clear-groups
		unshare --user --map-user=${inner_uid-1} --map-group=1 --keep-caps
		--mount --pid --fork --kill-child --mount-proc
		${inner_net:+--net} sh $(target_container)"
	target "$@"
	status=$?
	within=
	return $status
}

# Says where the script is that begins a container.
target_container() {
	mkdir -p "$target_classes" && chmod 755 "$target_classes"
	cat >"$target_classes/$$.sh" <<-END
		mount -t tmpfs -o mode=1777,${tmp_options-rw} tmpfs /tmp || exit 1
		cd /tmp
		${inner_net:+ip link set lo up || exit 1}
		exec setpriv --inh-caps=-all --ambient-caps=-all "\$@"
	END
	chmod 644 "$target_classes/$$.sh"
	echo "$target_classes/$$.sh"
}

# target_stop PID: by a signal, and waits until none of its threads runs any
# more; they handle the signal some time after kill has returned.
target_stop() {
	kill -STOP "$1"
	for _ in $(seq 1 1200); do
		grep -h '^State:' "/proc/$1/task"/*/status 2>/dev/null |
			grep -qv '^State:[[:space:]]*T' || return 0
		sleep 0.05
	done
	echo "$1 does not stop"
	return 1
}

# target_end PID: ends a JVM, however it was started, and waits until it has.
target_end() {
	kill -KILL "$1" 2>/dev/null
	for _ in $(seq 1 600); do
		state=$(sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' \
			"/proc/$1/status" 2>/dev/null)
		case $state in '' | Z) break ;; esac
		sleep 0.1
	done
	wait "$1" 2>/dev/null
	# Killed, it leaves the socket that it was asked on.
	rm -f "/tmp/.java_pid$1"
	return 0
}

target_end_all() {
	for one in $target_jobs; do
		kill -TERM "$one" 2>/dev/null
		wait "$one" 2>/dev/null
	done
	for one in $target_pids; do
		target_end "$one"
	done
	target_pids='' target_jobs=''
	rm -f "$target_classes/$$".*sh
}

trap target_end_all EXIT
trap 'exit 143' TERM INT HUP
