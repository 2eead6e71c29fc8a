# SPDX-License-Identifier: Apache-2.0
# Each command on a real terminal, for a JVM whose threads, class, method, locks,
# MBean, options and arguments have controls of terminals in their names: none of
# them arrives there.
# Only in check-all: more than thirty commands, some of which load an agent.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
jdk=$(jdks | head -n 1)
[ -n "$jdk" ] || { echo 'no JDK'; exit 77; }
target_program=Painted
control=$(printf '\033]52;c;PAINT\a\033[31mPAINT\bPAINT\342\200\256PAINT\302\23331mPAINT')
target "$jdk" "-Dpaint=$control" -- "$control" || exit 1
# A file has the names as they are.
"$sjkc" jstack "$pid" >"$scratch/raw"
grep -q "$(printf '\033\[31mPAINT')" "$scratch/raw" ||
	{ echo 'the file has no controls'; exit 1; }
export pid
cd "$scratch" || exit 1
python3 "$OLDPWD/tests/jvm/lib/terminal.py" "$sjkc" <<-'END'
	1 - jps -lvm
	1 - jstack $pid
	1 - jcmd $pid Thread.print
	1 - jcmd $pid VM.command_line
	1 - jcmd $pid VM.system_properties
	1 - vminfo $pid
	1 - vminfo $pid --sysprops
	0 - doctor $pid
	1 - threads $pid
	1 - threads $pid --json
	1 - ttop $pid --iterations 1 --interval 1s
	1 sblhq ttop $pid
	1 - prof $pid -d 1s
	1 - prof $pid -d 1s -e wall
	0 - prof $pid -d 1s -e lock
	0 - prof $pid -d 1s -o a.collapsed
	1 - flame a.collapsed -o -
	0 - gc $pid -d 1s
	1 - hh $pid
	0 - probe $pid *PAINT*.run -d 1s
	0 - probe $pid *.*PAINT* -d 1s
	1 - mx -p $pid -b x:* --info
	1 - mx -p $pid -b x:* --get
	1 - mx -p $pid -b x:* --get -f Color --csv
	1 - mx -p $pid -b x:* --get --json
	1 - mx -p $pid -b x:* --call --operation paint -a PAINT
	1 - mxdump -p $pid -q x:*
	0 - mxping $pid
	0 - jstat $pid
	0 - stcap $pid -o a.std -t 1s
	0 - ssa -f a.std --print
	0 - jstack PAINT
	0 - jps -v PAINT
END
