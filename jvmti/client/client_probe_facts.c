/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about probes of Java methods that need no JVM. */
#include "core/base/clock.h"
#include "jvmti/client/client_probes.h"

#include <string.h>

/*
 * Durations of RetransformClasses, in a JVM with thousands of loaded classes: 1
 * class 25 to 50 ms, 1,000 classes 0.16 to 0.5 s (JDK 17 and 25).
 */
#define PAUSE_BASE_NS  (50 * CLOCK_NS_PER_MS)
#define PAUSE_CLASS_NS (CLOCK_NS_PER_MS / 2)

const char *probe_refusal_text(enum probe_refusal refusal)
{
	static const char *const texts[PROBE_REFUSALS] = {
		[PROBE_IS_NATIVE] = "it is native; use a uprobe on its library",
		[PROBE_IS_ABSTRACT] = "it is abstract; select implementations "
				      "with +CLASS.METHOD",
		[PROBE_IS_INITIALIZER] = "it is a class initializer, which "
					 "runs once",
		[PROBE_IS_USED] = "the probes themselves call it",
		[PROBE_IS_FIXED] = "the JVM does not allow changes of its "
				   "class",
		[PROBE_IS_UNLOADED] = "its class has been unloaded",
		[PROBE_IS_MISSING] = "the class file has no such method",
		[PROBE_CODE_TOO_LARGE] = "its code would exceed 64 KiB",
		[PROBE_POOL_TOO_LARGE] = "its class would have more than "
					 "65,535 constants",
		[PROBE_FRAME_TOO_LARGE] = "its stack frame has too many "
					  "variables",
		[PROBE_CLASS_BAD] = "its class file is unreadable",
		[PROBE_MEMORY_SHORT] = "the agent is out of memory",
		[PROBE_JVM_REFUSED] = "the JVM refused the changed class",
	};

	if (refusal == PROBE_ARMED)
		return NULL;
	return (unsigned)refusal < PROBE_REFUSALS && texts[refusal]
		       ? texts[refusal]
		       : "the agent gives an unknown reason";
}

bool probe_class_is_system(const struct probe_class *c)
{
	static const char *const packages[] = {
		"java.", "javax.", "jdk.", "sun.", "com.sun.",
	};

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++) {
		if (strncmp(c->name, packages[i], strlen(packages[i])) == 0)
			return true;
	}
	return false;
}

int64_t probes_estimate_pause(size_t classes)
{
	if (!classes)
		return 0;
	return clock_after(PAUSE_BASE_NS,
			   (int64_t)(classes - 1) * PAUSE_CLASS_NS);
}

uint64_t probe_counts_quantile(const struct probe_counts *c, double part)
{
	uint64_t all = 0, below = 0;
	double wanted;

	for (size_t i = 0; i < PROBE_BUCKETS; i++)
		all += c->buckets[i];
	wanted = part * (double)all;
	for (size_t i = 0; i < PROBE_BUCKETS; i++) {
		double from = i ? (double)(UINT64_C(1) << (i - 1)) : 0;
		double width = i ? from : 1, ns;

		if (!c->buckets[i])
			continue;
		if ((double)(below + c->buckets[i]) < wanted) {
			below += c->buckets[i];
			continue;
		}
		ns = from +
		     width * (wanted - (double)below) / (double)c->buckets[i];
		return ns < (double)c->max_ns ? (uint64_t)ns : c->max_ns;
	}
	return all ? c->max_ns : 0;
}
