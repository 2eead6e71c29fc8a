# SPDX-License-Identifier: Apache-2.0
# The JVM allows one agent at a time to sample allocations.  While another agent
# does, prof refuses -e alloc with that reason and samples other events.  After
# prof has exited, other agents can sample allocations.  The sampling interval
# that another agent has left in the JVM does not change the weight of samples.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh

# Options: "take" acquires the capability, "give" releases it; prints the
# result.
cat >"$scratch/other.c" <<'END'
#include <jvmti.h>
#include <stdio.h>
#include <string.h>

static jvmtiEnv *env;

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *unused)
{
	jvmtiCapabilities c;
	jvmtiError code;

	(void)unused;
	memset(&c, 0, sizeof(c));
	c.can_generate_sampled_object_alloc_events = 1;
	if (!env && (*vm)->GetEnv(vm, (void **)&env, JVMTI_VERSION_11))
		return 1;
	code = !strcmp(options, "take")
		       ? (*env)->AddCapabilities(env, &c)
		       : (*env)->RelinquishCapabilities(env, &c);
	if (!code && !strcmp(options, "take"))
		code = (*env)->SetHeapSamplingInterval(env, 1024);
	printf("%s: %d\n", options, (int)code);
	fflush(stdout);
	return 0;
}
END

# other take|give TIMES: runs the other agent, which must have succeeded TIMES
# times
other() {
	"$sjkc" jcmd "$pid" JVMTI.agent_load "$scratch/other.so" "$1" \
		>/dev/null || return
	target_wait "$said" "^$1: " || return
	[ "$(grep -c "^$1: 0$" "$said")" -eq "$2" ] || { cat "$said"; return 1; }
}

# allocated: prints the JVM's count of bytes of the allocating thread
allocated() {
	"$sjkc" jstack -e "$pid" | sed -n 's/^"allocator-0".* allocated=\([^ ]*\) .*/\1/p' |
		awk '{ n = $1 + 0
			if ($1 ~ /K$/) n *= 1024
			if ($1 ~ /M$/) n *= 1048576
			if ($1 ~ /G$/) n *= 1073741824
			printf "%.0f\n", n }'
}

# With the interval of 1 KiB of the other agent, weights would be 512 times as
# high.
counts_alike() {
	before=$(allocated)
	prof 0 -e alloc -d 2s --total -o "$scratch/alloc.collapsed" "$pid" ||
		return
	after=$(allocated)
	ours=$(awk '{ n += $NF } END { printf "%.0f\n", n }' \
		"$scratch/alloc.collapsed")
	echo "| $ours bytes sampled, $((after - before)) by the JVM meanwhile"
	[ "$ours" -gt $(((after - before) / 20)) ] &&
		[ "$ours" -lt $(((after - before) * 2)) ] && return
	echo "allocated: $before, then $after; sampled: $ours"
	return 1
}

check() {
	cc -shared -fPIC -I"$1/include" -I"$1/include/linux" \
		-o "$scratch/other.so" "$scratch/other.c" || return
	target "$1" -- burners=1 allocators=1 || return
	other take 1 || return
	prof 8 -e alloc -d 1s "$pid" &&
		has "$prof_err" 'another agent in this JVM has claimed them' &&
		has "$prof_err" 'stop the other agent' &&
		prof 0 -e cpu,alloc -d 1s "$pid" &&
		has "$prof_err" 'allocations are not sampled: another agent' &&
		has "$prof_out" 'Target\.burn' &&
		other give 1 || return
	counts_alike || return
	other take 2 && alive "$pid" || return
	target_end "$pid"
}

root_only
for_each_jdk check
