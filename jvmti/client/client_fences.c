/* SPDX-License-Identifier: Apache-2.0 */
#include "jvmti/client/client_fences.h"

#include "core/jvm/jdk_version.h"

#include <stddef.h>
#include <string.h>

#define ALLOC_FEATURE 11  /* JEP 331 */
#define SAFE_PROBES   111 /* update of JDK 8 */

/*
 * HotSpot bugs that can crash the JVM when an agent enables CompiledMethodLoad
 * and DynamicCodeGenerated, replays them by GenerateEvents, or looks up the
 * name of a jmethodID (GetMethodName, GetMethodDeclaringClass,
 * GetClassSignature).  The sjkc agent does this to report names.  If a bug is
 * not fixed, the agent uses none of these functions; SampledObjectAlloc and
 * MonitorContendedEnter do not need them.
 *
 * fixed is the first feature release with the fix; backports are the first
 * updates of older release lines with the fix.  A release line without an entry
 * was never fixed.
 */
static const struct bug {
	const char *number;
	unsigned since; /* first affected feature release */
	unsigned fixed;
	struct {
		unsigned feature, update;
	} backports[4];
} bugs[] = {
	/*
	 * CompiledMethodLoad is posted later, from a queue, and the method's
	 * code or class may be unloaded before.  Fixed in 8u352 (JDK-8289478).
	 * For 11 this is an upper bound: 13u got the fix in January 2021 for
	 * parity with 11u. JDK-8268364 excludes earlier updates of 11 anyway.
	 */
	{ "JDK-8173361", 8, 14, { { 8, 352 }, { 11, 27 } } },
	/* The same in 8u only: the backport missed the sweeper. */
	{ "JDK-8305165", 8, 9, { { 8, 382 } } },
	/* The same if the code becomes a zombie before it is queued. */
	{ "JDK-8245877", 14, 18, { { 17, 8 } } },
	/*
	 * A jmethodID is cleared only when its class is purged.  With a
	 * collector that unloads classes concurrently, that is some time after
	 * the class was unloaded.  In JDK 8 only CMS does so, and 8u has no
	 * fix.
	 */
	{ "JDK-8268364", 8, 18, { { 17, 14 }, { 11, 27 } } },
	/* A jmethodID outlives its method when the class is redefined. */
	{ "JDK-8313816", 9, 22, { { 21, 3 }, { 17, 11 }, { 11, 23 } } },
};

#define BUGS      (sizeof(bugs) / sizeof(*bugs))
#define BACKPORTS (sizeof(bugs->backports) / sizeof(*bugs->backports))

/*
 * Returns the update of the version's release line that has the fix; 0 = none.
 */
static unsigned bug_fixing_update(const struct bug *b, unsigned feature)
{
	for (size_t i = 0; i < BACKPORTS; i++) {
		if (b->backports[i].feature == feature)
			return b->backports[i].update;
	}
	return 0;
}

/* Oracle's JDK has its own updates, with other backports. */
static bool version_is_oracles(const struct jvm_info *about)
{
	if (about->vm_name)
		return strncmp(about->vm_name, "Java HotSpot(TM)", 16) == 0;
	return about->vm_vendor && strstr(about->vm_vendor, "Oracle");
}

static bool version_has_bug(const struct bug *b, const struct jdk_version *v,
			    bool is_oracle)
{
	unsigned update = bug_fixing_update(b, v->feature);

	if (v->feature < b->since || v->feature > b->fixed)
		return false;
	if (v->feature == b->fixed)
		return v->is_early;
	return is_oracle || !update || v->update < update ||
	       (v->update == update && v->is_early);
}

static void bug_add_fix(struct text *why, unsigned feature, unsigned update,
			bool is_oracle)
{
	if (is_oracle)
		text_puts(why, "; no Oracle update is known to have the fix");
	else if (!update)
		text_printf(why, "; not fixed in JDK %u", feature);
	else
		text_printf(why, "; fixed in %u%s%u", feature,
			    feature == 8 ? "u" : ".0.", update);
}

bool agent_names_are_safe(const struct jvm_info *about, struct text *why)
{
	struct jdk_version v = jdk_version_of(about->version);
	bool is_oracle = version_is_oracles(about), is_unfixed = false;
	unsigned last = 0, count = 0;

	if (!v.feature) {
		text_puts(why, "the JDK's version is unknown, and some "
			       "versions crash");
		return false;
	}
	for (size_t i = 0; i < BUGS; i++) {
		unsigned update = bug_fixing_update(&bugs[i], v.feature);

		if (!version_has_bug(&bugs[i], &v, is_oracle))
			continue;
		if (count++ == 0)
			text_printf(why, "it can crash JDK %s (",
				    about->version);
		else
			text_puts(why, ", ");
		text_puts(why, bugs[i].number);
		is_unfixed |= !update;
		if (update > last)
			last = update;
	}
	if (!count)
		return true;
	bug_add_fix(why, v.feature, is_unfixed ? 0 : last, is_oracle);
	text_puts(why, ")");
	return false;
}

bool agent_has_alloc(const struct jvm_info *about, struct text *why)
{
	struct jdk_version v = jdk_version_of(about->version);

	if (!v.feature || v.feature >= ALLOC_FEATURE)
		return true;
	text_printf(why,
		    "allocation sampling requires JDK %d or later (JEP 331); "
		    "this is JDK %u",
		    ALLOC_FEATURE, v.feature);
	return false;
}

/*
 * JDK-8136590 and others: retransformation together with garbage collection
 * crashed 8u25 with many classes, and 8u111 no longer.  The bugs of names do
 * not matter: the agent looks up only methods of classes that it holds, or on
 * the stack, and keeps no jmethodID.
 */
bool agent_probes_are_safe(const struct jvm_info *about, struct text *why)
{
	struct jdk_version v = jdk_version_of(about->version);

	if (v.feature != 8 || v.update >= SAFE_PROBES)
		return true;
	text_printf(why, "it can crash JDK %s (JDK-8136590; fixed in 8u%d)",
		    about->version, SAFE_PROBES);
	return false;
}
