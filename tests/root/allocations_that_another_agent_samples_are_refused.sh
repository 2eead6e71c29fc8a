# SPDX-License-Identifier: Apache-2.0
# The JVM lets one agent at a time sample allocations: while another agent does,
# -e alloc is refused with that reason, and other events are sampled without it.
# When sjkc ends, other agents can have them.
sjkc=$1
scratch=$2
. tests/jvm/lib/target.sh
. tests/jvm/lib/attach.sh
. tests/root/lib/prof.sh

# Options: "take" the capability, or "give" it back; prints what came of it.
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
	printf("%s: %d\n", options, (int)code);
	fflush(stdout);
	return 0;
}
END

# other take|give TIMES: the other agent, which has succeeded so many times.
other() {
	"$sjkc" jcmd "$pid" JVMTI.agent_load "$scratch/other.so" "$1" \
		>/dev/null || return
	target_wait "$said" "^$1: " || return
	[ "$(grep -c "^$1: 0$" "$said")" -eq "$2" ] || { cat "$said"; return 1; }
}

check() {
	cc -shared -fPIC -I"$1/include" -I"$1/include/linux" \
		-o "$scratch/other.so" "$scratch/other.c" || return
	target "$1" -- burners=1 || return
	other take 1 || return
	prof 8 -e alloc -d 1s "$pid" &&
		has "$prof_err" 'another agent in this JVM has claimed them' &&
		has "$prof_err" 'stop the other agent' &&
		prof 0 -e cpu,alloc -d 1s "$pid" &&
		has "$prof_err" 'allocations are not sampled: another agent' &&
		has "$prof_out" 'Target\.burn' &&
		other give 1 || return
	# The program may allocate too little for a sample.
	"$sjkc" prof -e alloc --alloc-interval 64 -d 1s "$pid" >/dev/null \
		2>"$scratch/err"
	! grep 'another agent' "$scratch/err" || return
	other take 2 && alive "$pid" || return
	target_end "$pid"
}

root_only
for_each_jdk check
