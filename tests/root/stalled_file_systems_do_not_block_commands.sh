# SPDX-License-Identifier: Apache-2.0
# The /tmp and the JDK of a JVM are on a file system that stops replying. Each
# command ends in time, reports the file system once, and serves another JVM.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh

[ -c /dev/fuse ] || { echo 'no FUSE'; exit 77; }

# The served files are those of the JDK; its /tmp is empty.
serve() {
	mkdir -p "$scratch/source/tmp/hsperfdata_root" "$scratch/served" &&
		cp -rL "$1/lib/server" "$1/release" "$scratch/source" || return
	python3 tests/root/lib/stalling_files.py "$scratch/source" \
		"$scratch/served" "$scratch/stall" >"$scratch/serving" 2>&1 &
	server=$!
	target_wait "$scratch/serving" READY || return
	cat >"$scratch/within" <<-END
		mount --bind "$scratch/served/server" "$1/lib/server" &&
			mount --bind "$scratch/served/release" "$1/release" &&
			mount --bind "$scratch/served/tmp" /tmp &&
			exec "\$@"
	END
}

# run STATUSES COMMAND…: runs a command, which must end in time.
run() {
	wanted=$1
	shift
	before=$(date +%s%N)
	timeout -k 1 60 "$sjkc" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
	status=$?
	took=$((($(date +%s%N) - before) / 1000000))
	echo "# $took ms, status $status: $*"
	case " $wanted " in
	*" $status "*) ;;
	*) echo "status $status of: $*"; tail -n 20 "$scratch/out" "$scratch/err"; exit 1 ;;
	esac
	[ "$(grep -c "^.*$stalled: its file system does not respond" \
		"$scratch/err")" -ge 1 ] ||
		{ echo "no message of: $*"; tail -n 20 "$scratch/out" "$scratch/err"; exit 1; }
	# Without the limits of sjkc, a command never ends.
	[ $took -lt 30000 ] || { echo "took $took ms: $*"; exit 1; }
}

# names TEXT…: the output of the last command has each text.
names() {
	for text in "$@"; do
		grep -q -- "$text" "$scratch/out" ||
			{ echo "no $text"; tail -n 20 "$scratch/out" "$scratch/err"; exit 1; }
	done
}

jdk=$(jdks | head -n 1)
jdk=$(readlink -f "$jdk")
serve "$jdk" || { cat "$scratch/serving"; exit 1; }
within="unshare --mount --propagation private sh $scratch/within"
target "$jdk" -- threads=1 && stalled=$pid || exit 1
within=
target "$jdk" -Dtarget.duty=25 -- burners=1 && sound=$pid || exit 1
grep -q ' 00:.*libjvm' "/proc/$stalled/maps" || { echo 'not mapped'; exit 1; }
cat "$scratch/served/server/libjvm.so" >/dev/null
touch "$scratch/stall"

run 0 jps
names "^ *$stalled .*[?] .*Target" "^ *$sound .*Target"
run 0 jps -lv
run 0 jps --json
run 0 jps -fp 'user.dir=*'
for command in jstack 'jcmd VM.version' hh perfmap threads 'threads --virtual' \
	vminfo 'mx -b *:* --info' mxdump mxping 'gc -d 1s' 'gc --log -d 1s' \
	'ttop -b -ri 1s --iterations 1' 'jstat -gc' doctor 'probe Target.burn -d 1s' \
	'probe --jfr Target.burn -d 1s' 'prof -d 1s' 'prof --no-agent -e wall -d 1s' \
	"stcap -o $scratch/dumps.std" "snap --quick -o $scratch/bundle.tar.gz"; do
	set -f
	# shellcheck disable=SC2086 # words
	set -- $command
	set +f
	name=$1
	shift
	run '0 1 3 5 7 8' "$name" -p "$stalled" "$@"
done
run 0 gc --all -d 2s
run '0 7' prof --all -d 2s
names 'Target.burn'
mkdir "$scratch/pushed"
run '0 7' prof --all --interval 2s -d 4s -o "$scratch/pushed/"
