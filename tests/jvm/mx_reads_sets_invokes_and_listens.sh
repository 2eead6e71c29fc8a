# SPDX-License-Identifier: Apache-2.0
# mx does what SJK's mx does, and prints the same; and it prints notifications.
# shellcheck disable=SC2016 # the JSON contains "$error"
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
target_program=Beans

types=sjkc.test:type=Types
settable=sjkc.test:type=Settable
operations=sjkc.test:type=Operations

# mx STATUS ARGUMENT…: runs mx for the JVM
mx() {
	mx_status=$1
	shift
	ask "$mx_status" mx -s "127.0.0.1:$port" "$@"
}

# is: fails unless the standard output equals the standard input of this
# function
is() {
	cat >"$scratch/wanted"
	diff -u "$scratch/wanted" "$scratch/out"
}

gets() {
	mx 0 -b java.lang:type=Memory --get -f HeapMemoryUsage Verbose &&
		sed 's/[0-9][0-9]*/N/' "$scratch/out" >"$scratch/numbers" &&
		mv "$scratch/numbers" "$scratch/out" && is <<-'END' &&
			java.lang:type=Memory
			    HeapMemoryUsage
			        committed: N
			        init:      N
			        max:       N
			        used:      N
			    Verbose false
		END
	mx 0 -b sjkc.test:type=Open -mg -f Items Item.inner.pair.1 \
		Pairs.k2 --max-col-width 12 && is <<-'END' &&
			sjkc.test:type=Open
			    Items
			        inner       |name        |size
			        ------------+------------+------------
			        null        |small       |1
			        {name=sma...|a name of...|109951162...
			    Item.inner.pair.1 2
			    Pairs.k2 20
		END
	mx 0 -b "$types" -mg --quiet -f 'LongM*' Strings ManyLines \
		'/^Min/' && is <<-'END'
			-9223372036854775808
			9223372036854775807
			[a, null, b,c]
			one
			two
			␉three
			-0
		END
}

# Each -f applies to the -b before it; all are read in one connection.
several_beans() {
	mx 0 --get -b sjkc.many:type=Many,id=2 -f Id -b sjkc.test:type=Open \
		-f Item.inner.pair.1 -f Pairs.k2 --json-array --repeat 2 \
		--interval 10ms --add-mbean-name && is <<-'END' &&
			[
			{"MBean":"sjkc.many:type=Many,id=2","Id":2}
			,{"MBean":"sjkc.test:type=Open","Item.inner.pair.1":2,"Pairs.k2":20}
			]
			[
			{"MBean":"sjkc.many:type=Many,id=2","Id":2}
			,{"MBean":"sjkc.test:type=Open","Item.inner.pair.1":2,"Pairs.k2":20}
			]
		END
	mx 0 --get -f Id -b sjkc.many:type=Many,id=1 \
		-b sjkc.many:type=Many,id=3 --quiet --repeat 2 \
		--interval 10ms && printf '1\n3\n1\n3\n' | is
}

several() {
	mx 2 -b 'sjkc.many:*' -mg && said 'matches 3 MBeans' &&
		said '  sjkc.many:type=Many,id=2' && said -all &&
		mx 0 -b 'sjkc.many:*' -mg -all -f Id --json-array \
			--add-mbean-name && is <<-'END' &&
			[
			{"MBean":"sjkc.many:type=Many,id=1","Id":1}
			,{"MBean":"sjkc.many:type=Many,id=2","Id":2}
			,{"MBean":"sjkc.many:type=Many,id=3","Id":3}
			]
		END
	mx 0 -b 'sjkc.*:*' -all -mg --json -f Id && is <<-'END' &&
		{"Id":1}
		{"Id":2}
		{"Id":3}
	END
	mx 0 -b sjkc.test:type=Open --get --csv -f Items,Pairs \
		--add-mbean-name && is <<-'END' &&
		MBean,Attribute,inner,name,size,key,value
		sjkc.test:type=Open,Items,null,small,1,,
		sjkc.test:type=Open,Items,"{name=small, pair=[1, 2]}","a name of more than forty characters, which is cut",1099511627776,,
		sjkc.test:type=Open,Pairs,,,,k1,10
		sjkc.test:type=Open,Pairs,,,,k2,20
	END
	mx 0 -b sjkc.test:type=Open --get --csv -f Items \
		--col-list size,name && is <<-'END' &&
		size,name
		1,small
		1099511627776,"a name of more than forty characters, which is cut"
	END
	mx 3 -b sjkc.nowhere:type=None -mg && said 'has no MBean' &&
		mx 3 -b sjkc.test:type=Opne -mg &&
		said "type=Opne; did you mean 'sjkc.test:type=Open'" &&
		mx 3 -b sjkc.test:type=Open -mg -f Nope && said "'Nope'" &&
		mx 3 -b sjkc.test:type=Open -mg -f Itmes &&
		said "no attribute 'Itmes'; did you mean 'Items'?" &&
		mx 2 -b sjkc.test:type=Failing -mg -f WriteOnly &&
		said 'is write-only'
}

# The error of an attribute is printed in place of its value.  Only errors of
# attributes that were named on the command line change the exit status.
fails() {
	failing=sjkc.test:type=Failing
	mx 0 -b $failing -mg && printed 'Fine 1' &&
		printed 'Throws <javax.management.MBeanException <- java.lang' &&
		printed 'its cause' &&
		printed 'NotSerializable <not serializable: java.lang.Object>' &&
		mx 7 -b $failing -mg -f Fine Throws && printed 'Fine 1' &&
		said '1 of 2 failed' &&
		mx 5 -b $failing -mg -f Throws --json &&
		printed '{"Throws":{"$error":"javax.management.MBeanException'
}

# sets ATTRIBUTE VALUE [SHOWN]: sets the attribute, and fails unless SHOWN is
# read
sets() {
	mx 0 -b $settable --set -f "$1" -v "$2" && printed $settable &&
		mx 0 -b $settable --get --quiet -f "$1" || return
	[ "$(cat "$scratch/out")" = "${3-$2}" ] ||
		{ echo "$1 is $(cat "$scratch/out"), not ${3-$2}"; return 1; }
}

sets_all() {
	sets Flag true && sets Byte -128 && sets Char ß && sets Short 5 &&
		sets Int -7 && sets Long -9223372036854775808 &&
		sets Float 1.5 && sets Double NaN && sets Boxed '' null &&
		sets String 'any text' && sets String '<null>' null &&
		sets Name java.lang:type=Memory &&
		sets Date 2026-11-21T20:19:00.500Z &&
		sets BigInteger -123456789012345678901234567890 &&
		sets BigDecimal -0.0010 && sets Ints 1,-2 '[1, -2]' && sets Doubles '0.5,NaN' '[0.5, NaN]' &&
		sets Strings 'a,b\,c' '[a, b,c]' && sets Ints '' null &&
		mx 2 -b $settable -ms -f Byte -v 128 && said 'too large' &&
		mx 2 -b $settable -ms -f Point -v 1 && said 'as text' &&
		mx 5 -b $settable -ms -f Point -v x &&
		enums "$1" &&
		mx 5 -b $settable -ms -f Refusing -v 3 && said 'not 3' &&
		mx 3 -b $settable -ms -f Nope -v 1 &&
		mx 2 -b java.lang:type=Memory -ms -f HeapMemoryUsage -v 1 &&
		said 'is read-only'
}

# JDK 25 accepts only enums of the JDK from a client (serial.filter.pattern).
enums() {
	sets State NEW && mx 5 -b $settable -ms -f State -v NONE &&
		said NONE || return
	case $("$1/bin/java" -version 2>&1) in
	*'"17.'*) sets Colour GREEN ;;
	*) mx 5 -b $settable -ms -f Colour -v GREEN && said REJECTED ;;
	esac
}

# calls RESULT OPERATION [ARGUMENT…]: fails unless the operation returns RESULT
calls() {
	result=$1
	called=$2
	shift 2
	[ $# -eq 0 ] || set -- -a "$@"
	mx 0 -b $operations --call -op "$called" "$@" || return
	[ "$(sed 1d "$scratch/out")" = "$result" ] ||
		{ echo "$called is $(cat "$scratch/out")"; return 1; }
}

calls_all() {
	calls 7 sum 3 4 && calls -1 sum 3 -4 && calls 7.5 sum 3.5 4 &&
		calls xy sum x y && calls 6 sum 1 2 3 &&
		calls 34 'sum(String,String)' 3 4 &&
		calls 'long 5000000000' type 5000000000 &&
		calls 'int 5' type 5 && calls 'boolean true' type true &&
		calls 'int[] [1, 2]' type 1,2 && calls 'String x' type x &&
		calls "null" text '<null>' && calls "''" text '' &&
		calls 'Long null' only '' && calls '[a, b,c]' texts 'a,b\,c' &&
		calls 1.75 mean 1,2.5 && calls a:b=c nameOf a:b=c &&
		calls '' nothing && calls null nil &&
		mx 2 -b $operations -mc -op sum -a 1 &&
		said 'sum(int, int, int)' &&
		mx 2 -b $operations -mc -op point -a 1 &&
		mx 3 -b $operations -mc -op summ && said "'sum'" &&
		mx 5 -b $operations -mc -op fail -a boom && said boom &&
		mx 5 -b $operations -mc -op unserializable &&
		said 'not serializable' &&
		calls_once && mx 0 -b sjkc.test:type=Open -mc -op find -a x \
			--json && is <<-'END'
			{"inner":null,"name":"x","size":1}
		END
}

# Each command invokes the operation exactly once.
calls_once() {
	calls 1 count && calls 2 count
}

informs() {
	mx 0 -b sjkc.test:type=Ticker -mi && is <<-'END' &&
		sjkc.test:type=Ticker
		Beans$Ticker
		 - Information on the management interface of the MBean
		 (A) Sent : long
		  - Attribute exposed for management
		 (O) send(int p1, String p2) : void
		  - Operation exposed for management
		 (N) javax.management.Notification : sjkc.tick
		  - time passes
	END
	mx 0 -b sjkc.test:type=Operations --info --json &&
		python3 - "$scratch/out" <<-'END'
			import json, sys
			d = json.load(open(sys.argv[1]))
			assert d["schema"] == "sjkc.mxinfo/1", d
			(m,) = d["mbeans"]
			assert m["class"] == "Beans$Operations", m
			sums = [o for o in m["operations"] if o["name"] == "sum"]
			types = sorted([p["type"] for p in o["parameters"]]
			    for o in sums)
			assert types == [["String"] * 2, ["double"] * 2,
			    ["int"] * 2, ["int"] * 3], types
			assert {o["impact"] for o in sums} == {"unknown"}, sums
		END
}

# hears COUNT TEXT: waits up to 60 s until the listener has printed COUNT lines
# with TEXT
hears() {
	for _ in $(seq 600); do
		[ "$(grep -c "$2" "$scratch/heard")" -lt "$1" ] || return 0
		sleep 0.1
	done
	echo "$2 was not printed $1 times:"
	cat "$scratch/heard"
	return 1
}

# The listener prints notifications that another client makes the MBean send.
listens() {
	ticker=sjkc.test:type=Ticker
	: >"$scratch/heard"
	timeout 300 "$sjkc" mx -s "127.0.0.1:$port" -b "$ticker" \
		--notifications --json -d 290s >"$scratch/heard" 2>&1 &
	listener=$!
	for _ in $(seq 600); do
		mx 0 -b "$ticker" -mc -op send -a 1 early || return
		grep -q early "$scratch/heard" && break
		sleep 0.1
	done
	mx 0 -b "$ticker" -mc -op send -a 3 hello &&
		hears 3 hello || return
	interrupt "$listener"
	wait "$listener" || { echo "it ended with $?"; return 1; }
	python3 - "$scratch/heard" <<-'END'
		import json, sys
		d = [json.loads(line) for line in open(sys.argv[1])]
		d = [n for n in d if n["message"] == "hello"]
		assert len(d) == 3, d
		for n in d:
		    assert n["name"] == "sjkc.test:type=Ticker", n
		    assert n["type"] == "sjkc.tick", n
		    assert n["time"] == "2009-02-13T23:31:30.123Z", n
		    assert n["data"] == [n["sequence"]], n
		assert d[2]["sequence"] == d[0]["sequence"] + 2, d
	END
}

# A listener that is stopped for too long reports how many notifications it
# lost.
loses() {
	: >"$scratch/heard"
	timeout 300 "$sjkc" mx -s "127.0.0.1:$port" -b "$ticker" --quiet \
		--notifications >"$scratch/heard" 2>"$scratch/lost" &
	listener=$!
	for _ in $(seq 600); do
		mx 0 -b "$ticker" -mc -op send -a 1 early || return
		grep -q early "$scratch/heard" && break
		sleep 0.1
	done
	children=/proc/$listener/task/$listener/children
	late=$(cat "$children") && late=${late% }
	# The JVM's buffer holds 1,000 notifications.
	kill -STOP "$late" && mx 0 -b "$ticker" -mc -op send -a 5000 many &&
		kill -CONT "$late" && target_wait "$scratch/heard" many &&
		mx 0 -b "$ticker" -mc -op send -a 1 last &&
		target_wait "$scratch/heard" last && interrupt "$listener"
	wait "$listener"
	status=$?
	[ $status -eq 7 ] || { echo "it ended with $status"; return 1; }
	heard=$(grep -c ' many$' "$scratch/heard")
	lost=$(sed -n 's/^sjkc: \([0-9]*\) notifications* were lost: .*/\1/p' \
		"$scratch/lost")
	# While more notifications arrive, the JVM counts some that it delivers
	# as lost.
	[ "$heard" -lt 5000 ] && [ $((heard + lost)) -ge 5000 ] && return
	echo "$heard of 5000 were printed, $lost lost"
	cat "$scratch/lost"
	return 1
}

check() {
	jmx_target "$1" -- many=3 && gets && several && several_beans && fails && sets_all "$1" &&
		calls_all && informs && listens && loses &&
		mx 5 -b sjkc.test:type=Open --notifications -d 1s &&
		target_end "$pid"
}

for_each_jdk check
