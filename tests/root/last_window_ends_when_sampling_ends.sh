# SPDX-License-Identifier: Apache-2.0
# Probes are detached from one JVM after another, for a fifth of a second each.  What a
# JVM allocates meanwhile is not sampled: the profile of each JVM lasts as long as its
# sleeping threads slept.  The options of one JVM are in a file, which prof reports.
sjkc=$1
scratch=$2
. tests/jvm/lib/alone.sh
. tests/jvm/lib/target.sh
. tests/root/lib/prof.sh

jdk=$(jdks | head -n 1)
echo -Dx=y >"$scratch/options"
for from in -Dx=y -Dx=y -Dx=y "-XX:-UsePerfData @$scratch/options"; do
	target "$jdk" "$from" -- threads=5 allocators=1 || exit 1
done
mkdir "$scratch/dir"
prof 0 --all --min-age 0s -e alloc,wall --alloc-interval 16m -d 2s --interval 5m \
	-o "$scratch/dir/" || exit 1
PYTHONPATH=tests/tools python3 - "$scratch"/dir/*.gz <<-'END' || { cat "$prof_err"; exit 1; }
	import gzip, sys, otlp_check
	(path,) = sys.argv[1:]
	request = otlp_check.decode(gzip.open(path).read(), "Request")
	checker = otlp_check.Checker(request)
	slept = []
	for resource in request["resource_profiles"]:
	    for scope in resource["scope_profiles"]:
	        kinds = {checker.value_type(p["sample_type"]): p for p in scope["profiles"]}
	        assert kinds["alloc_space/bytes"]["samples"]
	        wall = kinds["wall/nanoseconds"]
	        slept.append(sum(sample["values"][0] for sample in wall["samples"]
	            if ("thread.name", "idle-#") in map(checker.attribute, sample["attributes"])))
	        assert abs(slept[-1] / 5 - wall["duration"]) < 50_000_000, (slept, wall["duration"])
	assert len(slept) == 4, slept
END
grep -q "PID $pid: some arguments are in an @file" "$prof_err" || { cat "$prof_err"; exit 1; }
