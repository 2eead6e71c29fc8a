/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/proxy/policy.h"

#include <string.h>

/* Operations of the platform's MBeans that only read. */
static const struct {
	const char *object, *operation;
} reading[] = {
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

static bool is_text(const struct java_value *v)
{
	return v->kind == JAVA_NULL || v->kind == JAVA_STRING;
}

static bool are_credentials(const struct java_value *v)
{
	if (is_text(v))
		return true;
	if (v->kind != JAVA_ARRAY ||
	    !java_bytes_are(v->array.class->name, "[Ljava.lang.String;"))
		return false;
	for (size_t i = 0; i < v->array.elements.count; i++)
		if (!is_text(v->array.elements.at[i]))
			return false;
	return true;
}

/* An ObjectName is written as its text alone (ObjectName.writeObject). */
struct java_bytes policy_object_name(const struct java_value *v)
{
	const struct java_part *part = java_part_of(
		v, "javax.management.ObjectName");

	if (!part || !part->annotations.count)
		return (struct java_bytes){ "", 0 };
	return java_string_of(part->annotations.at[0]);
}

static bool only_reads(const struct request *r)
{
	struct java_bytes object = policy_object_name(
		r->arguments[r->method->object]);
	struct java_bytes operation = java_string_of(
		r->arguments[r->method->member]);

	for (size_t i = 0; i < sizeof(reading) / sizeof(*reading); i++)
		if (java_bytes_are(object, reading[i].object) &&
		    java_bytes_are(operation, reading[i].operation))
			return true;
	return false;
}

const char *policy_objection(const struct request *r, bool read_only)
{
	const struct method *m = r->method;

	if (m->does == METHOD_NAMES)
		return "the registry is not for clients to change";
	if (m->is_login && !are_credentials(r->arguments[0]))
		return "credentials other than a user's name and password "
		       "are not passed on";
	if (!policy_types_fit(r, read_only))
		return "objects of classes that JMX's methods do not take are "
		       "not passed on";
	if (!read_only || m->does == METHOD_READS)
		return NULL;
	if (m->does == METHOD_INVOKES && only_reads(r))
		return NULL;
	return "only what reads is passed on here: --read-only";
}
