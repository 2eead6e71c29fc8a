# SPDX-License-Identifier: Apache-2.0
# Every attribute of every MBean of a JVM is read over RMI and over Jolokia.
# Each difference is in a list with its reason.  Setting values, including
# 64-bit integers, and calling operations works as over RMI.
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh

cat >"$scratch/compare.py" <<'END'
import json, re, sys

def load(name):
    beans = json.load(open(name), parse_float=str)["beans"]
    return {b["name"]: b for b in beans}

before, over_http, after = [load(f) for f in sys.argv[1:4]]
TEST = "sjkc.test:type="

# JSON has no tables: Jolokia writes a table within another value as an object.
# Keys of objects are strings.
def plain(v):
    if isinstance(v, list):
        if v and all(isinstance(r, dict) and set(r) == {"key", "value"}
                     for r in v):
            return {str(r["key"]): plain(r["value"]) for r in v}
        return [plain(x) for x in v]
    if isinstance(v, dict):
        return {k: plain(x) for k, x in v.items()}
    return v

# A fraction keeps its digits, but 0.0 becomes the integer 0.
def kind(v):
    return int if isinstance(v, str) and re.match(r"-?[0-9.e+-]+$", v) \
        else type(v)

# Jolokia unwraps the exceptions in which the MBean server wraps those of an
# MBean; 1.x unwraps only some of them.  It reports no causes.
def is_same_error(r, h):
    if not (isinstance(r, dict) and isinstance(h, dict) and
            "$error" in r and "$error" in h):
        return False
    causes = [c.split(": ", 1) for c in r["$error"].split(" <- ")]
    thrown = next((c for c in causes if not c[0].startswith("javax.management.R")
                   and c[0] != "javax.management.MBeanException"), causes[0])
    return thrown[-1] in h["$error"]

# The differences, each with its reason.
EXPLAINED = {
    (TEST + "Failing", "WriteOnly"): "1.x does not list what cannot be read",
    (TEST + "Failing", "NotSerializable"): "Jolokia prints toString()",
    (TEST + "Failing", "HalfSerializable"): "Jolokia prints toString()",
    (TEST + "Types", "Point"): "Jolokia prints toString(): it has no getters",
    (TEST + "Types", "PointCycle"): "Jolokia prints toString()",
    (TEST + "Types", "ClassOf"): "Jolokia reads the getters of the Class",
    (TEST + "Types", "Throwable"): "Jolokia reads getters, RMI reads fields",
    (TEST + "Types", "Cycle"): "1.x overflows its stack",
    (TEST + "Types", "CyclicComposite"): "1.x overflows its stack",
    (TEST + "Types", "Date"): "1.x has no milliseconds",
    (TEST + "Types", "NaN"): "1.x writes null",
    (TEST + "Types", "PositiveInfinity"): "1.x writes null",
    (TEST + "Types", "NegativeInfinity"): "1.x writes null",
    (TEST + "Types", "Doubles"): "1.x writes null for NaN",
    (TEST + "Types", "HalfPair"): "1.x writes ? for half a surrogate pair",
}

assert set(before) == set(over_http), set(before) ^ set(over_http)
compared, changing, differing = 0, 0, set()
for name in before:
    for key in set(before[name]) | set(over_http[name]):
        r = plain(before[name].get(key, "missing"))
        h = plain(over_http[name].get(key, "missing"))
        compared += 1
        if r == h or is_same_error(r, h):
            continue
        if r != plain(after[name].get(key, "missing")) or \
           re.match(r"java\.lang:|java\.nio:|java\.util\.logging:", name):
            changing += 1
            assert kind(r) is kind(h), (name, key, r, h)
            continue
        assert (name, key) in EXPLAINED, (name, key, r, h)
        differing.add((name, key))
assert differing == set(EXPLAINED), set(EXPLAINED) - differing
print(f"{compared} attributes compared, {changing} changed meanwhile,"
      f" {len(differing)} differ and are explained")

t = over_http[TEST + "Types"]
for key, value in {
    "LongMin": -2**63, "LongMax": 2**63 - 1, "Longs": [-2**63, 2**63 - 1],
    "BigInteger": -2**200, "Float": "0.1",
    "BigDecimal": "-12345678901234567890.0123456789",
    "NaN": {"$cut": "NaN or infinite"}, "Nul": "a\0b", "Null": None,
    "Doubles": ["0.5", {"$cut": "NaN or infinite"}],
    "Name": TEST + "Types", "Date": "2009-02-13T23:31:30.000Z"}.items():
    assert t[key] == value, (key, t[key])
END

compare() {
	ask 0 mx -s "$url" -b sjkc.test:type=Slow --set -f Millis -v 1 &&
		ask 0 mxdump -s "127.0.0.1:$rmi_port" -o "$scratch/before" &&
		ask 0 mxdump -s "$url" -o "$scratch/http" &&
		ask 0 mxdump -s "127.0.0.1:$rmi_port" -o "$scratch/after" &&
		python3 "$scratch/compare.py" "$scratch/before" \
			"$scratch/http" "$scratch/after"
}

# sets ATTRIBUTE VALUE [PRINTED]: sets the attribute over each carrier, and
# fails unless both read the new value.
sets() {
	settable=sjkc.test:type=Settable
	ask 0 mx -s "$url" -b $settable --set -f "$1" -v "$2" || return
	for address in "$url" "127.0.0.1:$rmi_port"; do
		ask 0 mx -s "$address" -b $settable --get -f "$1" -q &&
			printed "${3-$2}" || return
	done
}

sets_values() {
	sets Long 9223372036854775807 && sets Long -9223372036854775808 &&
		sets Long 9007199254740993 && sets Int -2147483648 &&
		sets Byte -128 && sets Char ß && sets Flag true &&
		ask 0 mx -s "$url" -b sjkc.test:type=Settable --set -f Double \
			-v NaN || return
	# RMI reads the value that the JVM has; Jolokia 1.x writes null for it.
	ask 0 mx -s "127.0.0.1:$rmi_port" -b sjkc.test:type=Settable --get \
		-f Double -q && printed NaN &&
		sets Double 1e300 1e+300 &&
		sets String '[null]' && sets String '""'
}

# Jolokia 1.x has no notifications.
rejects_notifications() {
	ask 8 mx -s "$url" -b java.lang:type=Memory --notifications -d 1s
}

check() {
	opens=java.management/javax.management.openmbean=ALL-UNNAMED
	rmi_port=$(free_port)
	jmx=-Dcom.sun.management.jmxremote
	jolokia_target "$1" Beans --add-opens=$opens $jmx.port="$rmi_port" \
		$jmx.rmi.port="$rmi_port" $jmx.ssl=false $jmx.host=127.0.0.1 \
		$jmx.authenticate=false -Djava.rmi.server.hostname=127.0.0.1 &&
		compare && sets_values && rejects_notifications
}

for_each_jdk check
