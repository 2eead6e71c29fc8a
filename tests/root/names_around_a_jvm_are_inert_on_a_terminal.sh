# SPDX-License-Identifier: Apache-2.0
# Each command on a real terminal, for a JVM whose pod, container, user, jar, JDK,
# library, debug file, native thread, arguments and environment have controls of
# terminals in their names, and for files with such names: none of them arrives there.
# Only in check-all: more than forty commands
sjkc=$(realpath "$1")
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
control=$(printf '\033[31mPAINT\033]52;c;PAINT\a\bPAINT\342\200\256PAINT\302\23331mPAINT')
# A line break, too, where a name may have one.
breaking=$(printf '%s\nPAINT' "$control")

groups=
leave() {
	target_end_all
	for group in $groups; do
		for _ in $(seq 50); do
			! rmdir "$group" 2>/dev/null || break
			sleep 0.1
		done
	done
}
trap leave EXIT
uid=6f9c1c6e-0b5f-4ae8-9f0e-3f7c1a2b3c4d
id=$(printf 'd%063d' $$)
for top in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/*; do
	[ -w "$top/cgroup.procs" ] && mkdir "$top/sjkc-${scratch##*/}" 2>/dev/null || continue
	groups=$top/sjkc-${scratch##*/}
	break
done
top=$groups
if [ -n "$top" ]; then
	for group in kubepods "kubepods/pod$uid" "kubepods/pod$uid/$id"; do
		mkdir "$top/$group" || exit 1
		groups="$top/$group $groups"
	done
	mount -t tmpfs tmpfs /var/log && mkdir /var/log/containers &&
		ln -s "/var/log/pods/prod${control}_shop${control}_$uid/web$control/0.log" \
			"/var/log/containers/shop${control}_prod${control}_web$control-$id.log" ||
		exit 1
fi
printf '%s:x:4321:4321::/:/bin/sh\n' "$control" >"$scratch/passwd"
mount --bind "$scratch/passwd" /etc/passwd || exit 1
chmod 755 "$scratch"
FILES=$scratch/$breaking
painted_jdk=$scratch/$control
export FILES
mkdir "$FILES" "$painted_jdk" && chmod 777 "$FILES" && mount --bind "$jdk" "$painted_jdk" || exit 1

# A library with this name and a debug file of this name, without symbols, which burns
# CPU in a thread of this name.
cat >"$scratch/burn.c" <<-'END'
	#include <pthread.h>
	#include <stdlib.h>
	#include <sys/prctl.h>
	static volatile double sum;
	static void *burn(void *unused)
	{
		prctl(PR_SET_NAME, "\033[31mPAINT\aPAINT");
		for (;;)
			sum += 1;
		return unused;
	}
	int Agent_OnLoad(void *vm, char *options, void *reserved)
	{
		pthread_t thread;
		return pthread_create(&thread, NULL, burn, vm);
	}
END
touch "$scratch/$control.debug"
gcc -shared -fPIC -s -o "$FILES/lib.so" "$scratch/burn.c" -lpthread &&
	objcopy --add-gnu-debuglink="$scratch/$control.debug" "$FILES/lib.so" \
		"$scratch/$control.so" || exit 1
classes=$(target_compile "$jdk" Painted) || exit 1
"$jdk/bin/jar" cfe "$scratch/$control.jar" Painted -C "$classes" . || exit 1
chmod 644 "$scratch"/*.so "$scratch"/*.jar
cat >"$scratch/enter" <<-'END'
	[ ! -e "$1/cgroup.procs" ] || echo $$ >"$1/cgroup.procs" || exit 1
	shift
	exec setpriv --reuid=4321 --regid=4321 --clear-groups "$@"
END
target "$jdk" || exit 1
other=$pid
said=$scratch/said
cd "$FILES" || exit 1
env --default-signal=QUIT,INT JDK_JAVA_OPTIONS="-Dpaint.jdk=$control" \
	JAVA_TOOL_OPTIONS="-Dpaint=$control" OTEL_SERVICE_NAME="$control" \
	OTEL_RESOURCE_ATTRIBUTES="paint=$control" HOME="$breaking" \
	sh "$scratch/enter" "$top/kubepods/pod$uid/$id" "$painted_jdk/bin/java" -Xmx64m \
	-XX:+UseSerialGC "-agentpath:$scratch/$control.so" -jar "$scratch/$control.jar" \
	"$control" </dev/null >"$said" 2>&1 &
pid=$!
starter=$pid target_pids="$target_pids $pid"
cd "$OLDPWD" || exit 1
target_ready || exit 1

cp tests/data/jfr/ap-lock.jfr "$FILES/a.jfr" && cp tests/data/gc/jdk17-g1.log "$FILES/a.log" &&
	cp tests/data/dumps/jstack-waits-jdk17.txt "$FILES/a.txt" &&
	cp tests/data/std/busy17.std "$FILES/a.std" || exit 1
head -c 5000 "$FILES/a.jfr" >"$FILES/cut.jfr"
"$sjkc" flame "$FILES/a.jfr" -o "$FILES/a.collapsed" --event lock >/dev/null 2>&1
"$sjkc" hh "$pid" >"$FILES/a.histo"
echo 'no recording' >"$FILES/bad"
ln -s "$FILES/a.jfr" "$scratch/$control.jfr"
export NODE_NAME="$breaking" pid other control breaking scratch
python3 tests/jvm/lib/terminal.py "$sjkc" <<-'END'
	4 - jps -lvm
	1 - jps
	1 - jps --json
	1 - jps --csv
	4 - vminfo $pid
	2 - vminfo $pid --sysprops
	1 - vminfo $pid --json
	4 - doctor $pid
	1 - doctor --json $pid
	1 - jcmd $pid VM.command_line
	1 - jcmd $pid VM.dynlibs
	1 - jcmd -l
	1 - jstack $pid
	1 - threads $pid
	1 - threads $pid -o $FILES/none/t.html
	1 - threads $FILES/a.txt
	1 - threads $FILES/bad
	1 - threads $FILES/a.txt $FILES/missing
	2 - ttop $pid --iterations 2 --report-interval 1s --record $FILES/r.jsonl
	1 - ttop --replay $FILES/r.jsonl -b
	1 - ttop --replay $FILES/r.jsonl --screen 150x20
	1 q ttop --replay $FILES/r.jsonl
	3 sblhq ttop $pid
	2 - prof $pid -d 1s
	2 - prof $pid -d 1s --no-agent --threads
	1 - prof $pid -d 1s -e wall --threads
	0 - prof $pid -d 1s -e alloc -v
	1 - prof $pid -d 1s -o $FILES/p.html
	1 - prof $pid -d 1s -o $FILES/p.jfr -v
	1 - prof $pid -d 1s -o $FILES/none/p.html
	2 - prof $pid -d 1s -o -
	1 - prof $pid -d 1s -e $scratch/$control.so:paint_paint
	1 - prof $pid -d 1s --probability 50 --push file:$FILES --interval 1s -v
	1 - prof --all -d 1s --push file:$FILES --interval 1s -v
	1 - prof -d 1s -v -- $FILES/bad
	1 - prof -i $FILES/a.jfr $FILES/cut.jfr
	1 - gc $pid -d 1s
	1 - gc $pid -d 1s -v --log
	2 - gc $pid $other -d 2s --source counters
	1 - gc -i $FILES/a.log
	1 - gc -i $FILES/a.log -o $FILES/g.html -v
	1 - gc -i $FILES/bad
	0 - hh $pid -n 3
	1 - hh -i $FILES/bad
	1 - hh --diff $FILES/a.histo $pid --watch 1s --iterations 1
	1 - hh --diff $FILES/missing $pid
	1 - probe $pid *PAINT*.run -d 1s
	1 - probe $pid *PAINT*.run -d 1s -o $FILES/probe.html --above 0s
	1 - flame $FILES/a.jfr -o $FILES/f.html -v
	1 - flame $FILES/cut.jfr
	1 - flame $FILES/bad
	1 - flame $FILES/missing
	1 - flame $FILES
	1 - flame $FILES/a.jfr -o $FILES/none/f.html
	1 - flame --list-events $FILES/a.jfr $FILES/bad
	1 - diff $FILES/a.jfr $FILES/a.jfr
	1 - diff $FILES/bad $FILES/a.jfr
	1 - jfr2json $FILES/bad
	1 - jfr2json -i $FILES/cut.jfr -o $FILES/j.json
	0 - ssa -f $FILES/a.std --print
	1 - ssa -f $FILES/bad --print
	1 - prfi $FILES/bad -o $FILES/prfi.out
	1 - stcap $pid -o $FILES/s.std -t 1s
	1 - stcpy -i $FILES/bad -o $FILES/c.std
	1 - dexp -f $FILES/bad --export-all
	1 - perfmap $pid -o $FILES/none/p.map
	1 - mx -p $pid -b java.lang:type=Runtime --get
	1 - mxdump -p $pid -q java.lang:type=Runtime
	1 - mxping $pid
	1 - mxping $control:99999
	1 - mx -s $control:1 -b x:* --get
	1 - mx -u http://$control/ -b x:* --get
	1 - mxprx --kubectl $control:1 -b 1
	1 - mxprx -p $pid -b 1 --tls-cert $FILES/missing
	1 - jps $breaking
	1 - $breaking
	1 - ttop --$control
	1 - pod/$control
	1 - vminfo pod/$control
	1 - vminfo $breaking
END
