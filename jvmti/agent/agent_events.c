/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/agent/agent_events.h"

#include "jvmti/agent/agent.h"
#include "jvmti/agent/agent_protocol.h"
#include "jvmti/agent/agent_system.h"

static struct {
	double interval;
	uint64_t begin; /* what a thread remembers from before is not ours */
} events;

/*
 * A nop is what a uprobe is on with the least effort: the kernel need not
 * execute it elsewhere (uprobe_init_insn of x86 knows it).
 */
#define PROBE_BODY(...) __asm__ volatile("nop" : : __VA_ARGS__)

/*
 * What an object is, and who owns a monitor, whoever takes the sample reads
 * from memory: to ask the JVM would have it allocate, or stop all its threads
 * (GetObjectMonitorUsage).
 */
__attribute__((noinline, visibility("default"))) void
sjkc_probe_alloc(uint64_t bytes, uint64_t unused, const void *object)
{
	PROBE_BODY("D"(bytes), "S"(unused), "d"(object));
}

__attribute__((noinline, visibility("default"))) void
sjkc_probe_lock(uint64_t ns, uint64_t began, const void *object,
		const void *jni)
{
	PROBE_BODY("D"(ns), "S"(began), "d"(object), "c"(jni));
}

/*
 * 1 - e^-x for x >= 0: by halving x until the series is short, and squaring
 * e^-x as often; good to 1e-9.
 */
static double one_minus_exp(double x)
{
	double power = 1, sum = 1;
	int halvings = 0;

	if (x > 40)
		return 1;
	while (x > 0.125) {
		x /= 2;
		halvings++;
	}
	/* e^-x - 1, so that nothing is lost where x is small. */
	power = -x;
	sum = power;
	for (int i = 2; i <= 6; i++) {
		power *= -x / i;
		sum += power;
	}
	while (halvings--)
		sum = sum * (2 + sum);
	return -sum;
}

/*
 * HotSpot takes a sample at points that are exponentially distributed over the
 * bytes a thread allocates (threadHeapSampler.cpp, JDK 11 on): an object of s
 * bytes is hit with the probability 1 - e^(-s/interval), so that it stands for
 * s divided by that.  It is the interval and half of s for small objects, and
 * s for those that are many times the interval.
 */
static uint64_t bytes_it_stands_for(int64_t size)
{
	double hit;

	if (size <= 0)
		return 0;
	if (events.interval < 1)
		return (uint64_t)size;
	hit = one_minus_exp((double)size / events.interval);
	return (uint64_t)((double)size / hit + 0.5);
}

void events_begin(uint64_t interval)
{
	events.interval = (double)interval;
	events.begin = system_now();
}

void events_allocated(jvm_table *env, jvm_table *jni, void *thread,
		      void *object, void *class, int64_t size)
{
	(void)env;
	(void)jni;
	(void)thread;
	(void)class;
	if (agent_wants(AGENT_ALLOC))
		sjkc_probe_alloc(bytes_it_stands_for(size), 0, object);
	agent_look_around();
}

/*
 * When a wait began is kept with the Java thread: a virtual one may go on on
 * another of the system's.  Its stack is there when the wait begins: when it is
 * over, a virtual thread that was unmounted (JEP 491, JDK 24) has none yet.
 */
void events_contended(jvm_table *env, jvm_table *jni, void *thread,
		      void *object)
{
	uint64_t now = system_now();

	(void)thread;
	if (agent_wants(AGENT_LOCK) && jvmti_set_local(env, (void *)now) == 0)
		sjkc_probe_lock(0, now, object, jni);
}

void events_entered(jvm_table *env, jvm_table *jni, void *thread, void *object)
{
	uint64_t now = system_now();
	void *began = NULL;

	(void)thread;
	if (!agent_wants(AGENT_LOCK))
		return;
	if (jvmti_get_local(env, &began) == 0 && began) {
		jvmti_set_local(env, NULL);
		if ((uint64_t)began >= events.begin && (uint64_t)began < now)
			sjkc_probe_lock(now - (uint64_t)began, (uint64_t)began,
					object, jni);
	}
	agent_look_around();
}
