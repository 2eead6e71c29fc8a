# SPDX-License-Identifier: Apache-2.0
# mxdump prints valid JSON for every type, for attributes that fail, for cycles
# and hostile names, and for MBeans that are unregistered while they are read.
# On a terminal, it prints no control sequences.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
target_program=Beans

# Rejects duplicate keys, and constants that are not JSON.
cat >"$scratch/dump.py" <<'END'
import json, sys

def unique(pairs):
    keys = [k for k, _ in pairs]
    assert len(set(keys)) == len(keys), keys
    return dict(pairs)

def refuse(constant):
    raise ValueError(constant)

def load(path):
    d = json.load(open(path), object_pairs_hook=unique,
        parse_constant=refuse, parse_float=str)
    return d, {b["name"]: b for b in d["beans"]}
END
export PYTHONPATH="$scratch"

# dump STATUS [OPTION…]: runs mxdump for the JVM, into $scratch/dump
dump() {
	dump_status=$1
	shift
	ask "$dump_status" mxdump -s "127.0.0.1:$port" -o "$scratch/dump" "$@"
}

every_type() {
	python3 - "$scratch/dump" <<-'END'
		import sys
		from dump import load
		d, beans = load(sys.argv[1])
		t = beans["sjkc.test:type=Types"]
		wanted = {
		    "modelerType": "Beans$Types", "True": True, "Byte": -128,
		    "Char": "ß", "Short": -32768, "Int": -2**31,
		    "LongMin": -2**63, "LongMax": 2**63 - 1, "Float": "0.1",
		    "Double": "0.1", "NaN": "NaN",
		    "PositiveInfinity": "Infinity",
		    "NegativeInfinity": "-Infinity", "Boxed": 42,
		    "String": "text", "Null": None, "Empty": "",
		    "ManyLines": "one\ntwo\n\tthree", "Astral": "😀 ä",
		    "Nul": "a\0b", "Escape": "\x1b]0;title\x07\x9b2J\u202e!",
		    "Formula": "=1+1",
		    "Markup": "</script><img src=x>\"'\\,;",
		    "Long": "x" * 100000, "BigInteger": -2**200,
		    "BigDecimal": "-12345678901234567890.0123456789",
		    "Date": "2009-02-13T23:31:30.123Z",
		    "Name": "sjkc.test:type=Types", "Colour": "GREEN",
		    "Ints": [1, -2, 3], "Longs": [-2**63, 2**63 - 1],
		    "Bytes": [0, -1, 127], "Doubles": ["0.5", "NaN"],
		    "Strings": ["a", None, "b,c"],
		    "Matrix": [[1, 2], [], [3]], "NoStrings": [],
		    "List": ["p", "q"], "Map": {"one": 1, "two": 2},
		    "OddMap": [{"key": 1, "value": "one"},
		        {"key": "two", "value": None}],
		}
		for key, value in wanted.items():
		    assert t[key] == value, (key, t[key])
		assert t["Cycle"][0] == "within" and "$cut" in t["Cycle"][1], t
		p = t["Point"]
		assert p["@class"] == "Beans$Point" and p["x"] == 3, p
		assert "$cut" in t["PointCycle"]["next"]["next"], t
		c = t["CyclicComposite"]
		assert c["n"] == 7 and "$cut" in c["self"], c
		o = beans["sjkc.test:type=Open"]
		assert o["Table"][0] == {"key": "first", "value": {"inner": None,
		    "name": "small", "size": 1}}, o
		assert o["Numbered"] == [{"key": 7, "value": "seven"}], o
	END
}

what_fails() {
	python3 - "$scratch/dump" <<-'END'
		import sys
		from dump import load
		d, beans = load(sys.argv[1])
		assert set(d) == {"beans"}, list(d)
		f = beans["sjkc.test:type=Failing"]
		assert f["Fine"] == 1 and "WriteOnly" not in f, f
		for name in ("Throws", "ThrowsUnchecked", "ThrowsError",
		    "ThrowsHostile", "NotSerializable", "HalfSerializable"):
		    assert set(f[name]) == {"$error"}, (name, f[name])
		assert "its cause" in f["Throws"]["$error"], f
		assert "java.lang.Object" in f["NotSerializable"]["$error"], f
		assert "\x1b[2J\n</script>" in f["ThrowsHostile"]["$error"], f
		odd = beans["sjkc.test:type=Odd"]
		assert odd["modelerType"] == "odd\x1b[0m", odd
		assert odd["twice"] == "of twice" and odd[""] == "of ", odd
		assert odd["$name"] == "of name", odd
		assert odd["$modelerType"] == "of modelerType", odd
		assert odd["\x1b[31mred"] == "of \x1b[31mred", odd
		assert 'sjkc.test:type=Odd,name="a,b:c \\"\\*"' in beans
		assert "sjkc.test:type=Odd,name=\x1b[2J</script>" in beans
	END
}

# The MBean Slow is set to reply immediately.
all_there_is() {
	ask 0 mx -s "127.0.0.1:$port" -b sjkc.test:type=Slow -ms -f Millis \
		-v 1 && dump 0 -q 'sjkc.test:*' && every_type && what_fails
}

# The first Victim that is read unregisters all others.
unregistered_mbeans() {
	python3 - "$scratch/dump" <<-'END'
		import sys
		from dump import load
		d, beans = load(sys.argv[1])
		all = [b for n, b in beans.items() if "type=Victim," in n]
		gone = [b for b in all if "$error" in b]
		left = [b for b in all if "Id" in b]
		assert len(all) == 500 and len(left) == 1, len(left)
		assert len(gone) == 499, len(gone)
		for b in gone:
		    assert "InstanceNotFound" in b["$error"], b
	END
}

# The options of SJK; without -o, into a pipe.
mbeans_that_match() {
	ask 0 mxdump "127.0.0.1:$port" -q 'java.lang:type=Mem*' &&
		python3 - "$scratch/out" <<-'END' &&
			import sys
			from dump import load
			d, beans = load(sys.argv[1])
			(m,) = beans.values()
			assert m["modelerType"] == "sun.management.MemoryImpl", m
			assert m["HeapMemoryUsage"]["used"] > 0, m
		END
	ask 0 mxdump "127.0.0.1:$port" -q 'java.lang:type=Run*' \
		-q 'java.lang:type=Mem*' -q 'java.lang:type=Memory' &&
		python3 - "$scratch/out" <<-'END' &&
			import sys
			from dump import load
			d, beans = load(sys.argv[1])
			assert [b["name"][15:] for b in d["beans"]] == \
				["Memory", "Runtime"], d
		END
	ask 0 mxdump "127.0.0.1:$port" -q 'nobody:*' &&
		said "no MBean matches 'nobody:*'" &&
		[ "$(cat "$scratch/out")" = '{"beans":[]}' ]
}

# has_controls: succeeds and prints a message if the output has control
# characters other than newlines
has_controls() {
	[ -s "$scratch/out" ] || { echo 'nothing was printed'; return 0; }
	LC_ALL=C grep -qP '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' \
		"$scratch/out" && echo "$bean $options prints control characters"
}

# CSV has control characters as data, but not on a terminal.
prints_no_controls() {
	for bean in Types Failing Odd; do
		for options in -mg '-mg --json' -mi '-mi --json'; do
			# shellcheck disable=SC2086 # words
			ask 0 mx -s "127.0.0.1:$port" -all $options \
				-b "sjkc.test:type=$bean,*" || return
			! has_controls || return
		done
		options=--csv
		python3 - "$sjkc" mx -s "127.0.0.1:$port" -all -mg --csv \
			-f /./ -b "sjkc.test:type=$bean,*" <<-'END' |
			import os, pty, sys
			pid, terminal = pty.fork()
			if pid == 0:
			    os.execv(sys.argv[1], sys.argv[1:])
			try:
			    while part := os.read(terminal, 65536):
			        sys.stdout.buffer.write(part)
			except OSError:
			    pass  # it has ended
			if os.waitpid(pid, 0)[1]:
			    print("\a it failed")
		END
			tr -d '\r' >"$scratch/out"
		! has_controls || return
	done
	! LC_ALL=C grep -qP '\x1b' "$scratch/dump"
}

check() {
	opens=java.management/javax.management.openmbean=ALL-UNNAMED
	jmx_target "$1" --add-opens=$opens -- victims=500 &&
		all_there_is && unregistered_mbeans && mbeans_that_match &&
		prints_no_controls && target_end "$pid"
}

for_each_jdk check
