/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/policy.h"

#include <string.h>

/* Operations of the JVM's own MBeans that change nothing. */
static const struct {
	const char *object, *operation;
} policy_reading[] = {
	{ "java.lang:type=Threading", "dumpAllThreads" },
	{ "java.lang:type=Threading", "findDeadlockedThreads" },
	{ "java.lang:type=Threading", "findMonitorDeadlockedThreads" },
	{ "java.lang:type=Threading", "getThreadAllocatedBytes" },
	{ "java.lang:type=Threading", "getThreadCpuTime" },
	{ "java.lang:type=Threading", "getThreadInfo" },
	{ "java.lang:type=Threading", "getThreadUserTime" },
	{ "java.util.logging:type=Logging", "getLoggerLevel" },
	{ "java.util.logging:type=Logging", "getParentLoggerName" },
	{ "com.sun.management:type=HotSpotDiagnostic", "getVMOption" },
};

static bool policy_text_is(struct policy_text t, const char *wanted)
{
	return t.len == strlen(wanted) && memcmp(t.at, wanted, t.len) == 0;
}

static bool policy_only_reads(const struct policy_call *c)
{
	size_t count = sizeof(policy_reading) / sizeof(*policy_reading);

	for (size_t i = 0; i < count; i++)
		if (policy_text_is(c->object, policy_reading[i].object) &&
		    policy_text_is(c->member, policy_reading[i].operation))
			return true;
	return false;
}

const char *policy_objection(const struct policy_call *c, bool read_only)
{
	if (c->verb == POLICY_BIND)
		return "clients may not change the registry";
	if (!read_only || c->verb == POLICY_READ ||
	    (c->verb == POLICY_INVOKE && policy_only_reads(c)))
		return NULL;
	return "--read-only permits only calls that change nothing";
}
