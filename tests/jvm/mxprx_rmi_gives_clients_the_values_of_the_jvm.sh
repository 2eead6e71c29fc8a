# SPDX-License-Identifier: Apache-2.0
#
# A Java client reads each attribute and calls each method of a JVM over RMI and,
# through mxprx --rmi, over the Jolokia agent of the same JVM.  Each difference is
# in a list with the reason.
# shellcheck disable=SC2154 # variables of the libraries
sjkc=$(realpath "$1") scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/jvm/lib/jmx.sh
. tests/jvm/lib/jolokia.sh
. tests/jvm/lib/proxy.sh

cat >"$scratch/explain.py" <<'END_OF_PYTHON'
import re, sys

INFO = "1.x lists neither write-only attributes, notifications nor isX getters"
TYPES = "Jolokia names no open types; integers become Long, keys String"
TEXT = "Jolokia prints toString()"
GETTERS = "Jolokia reads getters, RMI reads fields"
LOST = "Jolokia 1.x writes null for numbers that are not finite"
DEEP = "Jolokia 1.x overflows its stack"
NONE = "Jolokia cannot express the call"

# Of "MBean<tab>attribute" or "call<tab>name".  '?' marks differences that not
# every JDK and every run has.
EXPLAINED = {
    r"\?java\.lang:.*GarbageCollector.*\tLastGcInfo":
        "the collector's name is in the name of the type",
    r"\?java\.lang:type=OperatingSystem\t.*Load": "the load changes",
    r"\?java\.lang:type=Threading\tCurrentThread.*":
        "the thread belongs to the connector or to the agent",
    r"sjkc\.test:type=Odd.*\t": "1.x cannot read an attribute named ''",
    r"sjkc\.test:type=Failing\tThrowsError": "Jolokia knows no causes",
    r"sjkc\.test:type=Failing\t(Not|Half)Serializable": TEXT,
    r"sjkc\.test:type=Open\t(Item|Items|ItemList|Table|Numbered)": TYPES,
    r"sjkc\.test:type=(Settable|Types)\tColour": TEXT,
    r"sjkc\.test:type=Types\t(Map|OddMap)": TYPES,
    r"sjkc\.test:type=Types\t(Positive|Negative)Infinity": LOST,
    r"sjkc\.test:type=Types\tHalfPair": "1.x writes ? for half a pair",
    r"sjkc\.test:type=Types\t(ClassOf|Throwable)": GETTERS,
    r"sjkc\.test:type=Types\t(Cycle|CyclicComposite)": DEEP,
    r"sjkc\.test:type=Types\tPoint(Cycle)?": TEXT,
    r"call\tgetMBeanInfo .*": INFO,
    r"call\tisInstanceOf NotificationEmitter .*": INFO,
    r"call\tsetAttribute Int class java\.lang\.String":
        "Jolokia converts text",
    r"call\tqueryNames QueryExp": NONE,
    r"call\tcreateMBean.*": NONE,
    r"call\tunregisterMBean": NONE,
    r"call\t(add|remove)NotificationListener MBean.*": NONE,
}

found, counts = set(), {}
for line in open(sys.argv[1]):
    outcome, what, name, *values = line.rstrip("\n").split("\t")
    counts[outcome] = counts.get(outcome, 0) + 1
    assert outcome in ("equal", "changing", "differs"), line
    if outcome != "differs":
        continue
    rule = next((r for r in EXPLAINED if re.fullmatch(
        r.replace(r"\?", "", 1), what + "\t" + name)), None)
    assert rule, line
    if EXPLAINED[rule] is NONE:
        assert values[1].startswith(
            "throws java.lang.UnsupportedOperationException"), line
    found.add(rule)
unused = {r for r in EXPLAINED if not r.startswith(r"\?")} - found
assert not unused, unused
assert counts["equal"] > 500, counts
print("|", counts)
END_OF_PYTHON

check() {
	opens=java.management/javax.management.openmbean=ALL-UNNAMED
	rmi_port=$(free_port)
	jmx=-Dcom.sun.management.jmxremote
	jolokia_target "$1" Beans --add-opens=$opens $jmx.port="$rmi_port" \
		$jmx.rmi.port="$rmi_port" $jmx.ssl=false $jmx.host=127.0.0.1 \
		$jmx.authenticate=false -Djava.rmi.server.hostname=127.0.0.1 &&
		ask 0 mx -s "$url" -b sjkc.test:type=Slow --set -f Millis -v 1 &&
		proxy -u "$url" -b 0 --rmi &&
		client=$(target_compile "$1" CompareJmx) || return
	timeout 900 "$1/bin/java" -Xmx128m -XX:+UseSerialGC \
		-XX:TieredStopAtLevel=1 -XX:-UsePerfData -cp "$client" \
		CompareJmx "127.0.0.1:$rmi_port" "127.0.0.1:$proxy_port" \
		>"$scratch/compared" 2>"$scratch/failed" ||
		{ cat "$scratch/failed" "$proxy_said"; return 1; }
	python3 "$scratch/explain.py" "$scratch/compared" && proxy_end TERM
}

for_each_jdk check
