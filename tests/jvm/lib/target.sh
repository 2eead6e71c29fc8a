# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# Sourced by tests of live JVMs, in the top directory, with $scratch set to the
# test's own directory.  When the test ends, the processes that it started are
# ended by PID.
#
#	. tests/jvm/lib/target.sh
#	for jdk in $(jdks); do
#		target "$jdk" -Xrs -- threads=10 || exit 1
#		sjkc … "$pid"
#		target_end "$pid"
#	done

. tests/jvm/lib/jdks.sh

# The compiled classes, which all tests share.  They are not in /tmp, because a
# container has its own.
target_classes=/var/tmp/sjkc-target-$(id -u)
target_pids=
target_jobs=
target_number=0
target_await=tests/jvm/lib/await.pl
: "${scratch:?must name a directory}"

# target_compile JDK [PROGRAM [JAVAC-OPTION…]]: compiles a program of this
# directory (default: $target_program, or Target) unless that was done before,
# and prints the directory with its classes.  Without options, all programs are
# compiled together, since starting a compiler takes longer than most programs
# do, except those with a line "// Compiled alone: reason".  The name of the
# directory has hashes of the sources and of the options, so checkouts do not
# disturb each other.
target_compile() {
	compiling_jdk=$1
	program=${2-${target_program-Target}}
	shift
	[ $# -eq 0 ] || shift
	source=tests/jvm/lib/$program.java
	alone='^// Compiled alone:'
	if [ $# -eq 0 ] && ! grep -q "$alone" "$source"; then
		# shellcheck disable=SC2046 # names of ours
		target_compile_once All "" \
			$(grep -L "$alone" tests/jvm/lib/*.java) \
			2>/dev/null && return
	fi
	target_compile_once "$program" "$*" "$source"
}

# target_compile_once NAME OPTIONS SOURCE…: compiles the sources with
# $compiling_jdk, unless that was done or failed before, and prints the directory.
# Tests that run at the same time wait for each other.
target_compile_once() {
	name=$1 options=$2
	shift 2
	sum=$(cat "$@" | cksum) && how=$(echo "$options" | cksum) || return 1
	compiled=$target_classes/${compiling_jdk##*/}.$name
	compiled=$compiled.${sum%% *}.${how%% *}
	# shellcheck disable=SC2086 # words
	[ -e "$compiled" ] || (
		[ ! -e "$target_classes" ] || [ -O "$target_classes" ] ||
			{ echo "$target_classes belongs to another user" >&2; exit 1; }
		mkdir -p "$target_classes" && chmod 755 "$target_classes" || exit
		exec 9>"$compiled.lock"
		flock 9
		[ ! -e "$compiled" ] || exit 0
		[ ! -e "$compiled.failed" ] || [ "$name" != All ] || exit 1
		fresh=$(mktemp -d "$target_classes/fresh.XXXXXX") &&
			"$compiling_jdk/bin/javac" -J-XX:TieredStopAtLevel=1 \
				-J-XX:+UseSerialGC -nowarn $options \
				-d "$fresh" "$@" >&2 && chmod -R a+rX "$fresh" &&
			mv -T "$fresh" "$compiled" && exit 0
		rm -rf "$fresh"
		: >"$compiled.failed"
		exit 1
	) || return 1
	echo "$compiled"
}

# target_wait FILE TEXT [PID]: waits until the file has a line that matches TEXT,
# at most until the process that writes it has exited (await.pl).
target_wait() {
	grep -q -- "$2" "$1" 2>/dev/null && return
	perl $target_await line "$2" "$1" ${3+"$3"} && return
	echo "$1 has no $2:"
	cat "$1"
	return 1
}

# target_split JVM-OPTION… [-- ARGUMENT…]: sets $options and $arguments.  None
# of them may contain a space.
target_split() {
	options='' arguments=''
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		options="$options $1"
		shift
	done
	[ $# -eq 0 ] || shift
	arguments=$*
}

# target JDK [JVM-OPTION…] [-- ARGUMENT…]: starts a JVM that runs Target.java,
# and waits until it prints READY.  Sets $pid, and $said to the file with its
# output. $within is a command that runs java, such as "unshare …"; $pid is the
# JVM even then.  $target_memory replaces the options for the heap and the
# collector. $target_program replaces Target: target_program=Beans has MBeans of
# all kinds.
target() {
	target_start "$@" && target_ready && target_find
}

# target_ready: waits until the target prints READY, and fails as soon as the
# target has exited.
target_ready() {
	AWAIT_LIMIT=${AWAIT_LIMIT:-30} perl $target_await line READY "$said" "$starter" && return
	echo "$starter did not print READY:"
	cat "$said"
	return 1
}

# target_start JDK …: like target, but does not wait.  If $within forks, $pid is
# not the JVM; call target_find then.
target_start() {
	home=$1
	shift
	target_split "$@"
	# By default, the JDK that runs the program compiles it.
	# shellcheck disable=SC2086 # words
	classes=$(target_compile "${compiler:-$home}" \
		"${target_program-Target}" ${compile_for-}) || return 1
	target_number=$((target_number + 1))
	said=$scratch/said.$target_number
	# A shell without job control starts it with SIGINT and SIGQUIT ignored,
	# which a JVM would inherit.
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

# target_find: sets $pid to the JVM among the started process and its
# descendants.
target_find() {
	pid=$starter
	! target_is_jvm || return 0
	for _ in $(seq 1 600); do
		for pid in $starter $(target_below "$starter"); do
			target_is_jvm || continue
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

# target_is_jvm: whether $pid runs a JVM.
target_is_jvm() {
	grep -q '/libjvm\.so' "/proc/$pid/maps" 2>/dev/null
}

# target_below PID: prints the descendants of a process, four generations.
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

# target_contained JDK …: like target, but as in a container: as another user,
# in its own mount, PID and user namespaces, with its own /tmp.  The user is
# 4321 outside and $inner_uid inside (default: 1, daemon).  $tmp_options are the
# mount options of /tmp ("ro", "size=4k").  The JVM's PID inside is 1.  If
# $inner_net is set, it also has its own network with only a loopback interface.
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

# target_container: prints the path of a script that sets up the container and
# runs the command of its arguments.
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

# target_stop PID: sends SIGSTOP and waits until all threads have stopped, which
# they do some time after kill has returned.
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

# target_end PID: kills a JVM, which need not be a child, and waits until it has
# exited.
target_end() {
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null
	[ ! -e "/proc/$1" ] || perl $target_await end "$1"
	# A killed JVM does not remove its attach socket.
	rm -f "/tmp/.java_pid$1"
	# Another process may get the number before the test ends.
	target_left=
	for target_one in $target_pids; do
		[ "$target_one" = "$1" ] || target_left="$target_left $target_one"
	done
	target_pids=$target_left
	return 0
}

# target_end_all: ends all background jobs and targets of the test.
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
