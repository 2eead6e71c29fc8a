/* SPDX-License-Identifier: Apache-2.0 */
#include "core/threads/proc_notes.h"

#include "core/base/clock.h"

#include <string.h>

static long long seconds(int64_t ns) { return ns / CLOCK_NS_PER_S; }

static void note_names(const struct proc_facts *f, struct top_sample *out)
{
	if (f->dump_age_ns >= 0 && f->dump_problem)
		source_note_add(out, "names", false,
				"Thread.print, %lld s ago; since: %s",
				seconds(f->dump_age_ns), f->dump_problem);
	else if (f->dump_age_ns >= 0)
		source_note_add(out, "names", false, "Thread.print, %lld s ago",
				seconds(f->dump_age_ns));
	else if (f->no_names)
		source_note_add(out, "names", true,
				"kernel names of 15 bytes: %s", f->no_names);
	else if (f->dump_problem)
		source_note_add(out, "names", true,
				"kernel names of 15 bytes: %s",
				f->dump_problem);
	else
		source_note_add(
			out, "names", true,
			"kernel names of 15 bytes, until the JVM answers");
}

static void note_allocation(const struct proc_facts *f, struct top_sample *out)
{
	if (f->has_alloc && f->alloc_over_ns >= 0)
		source_note_add(
			out, "allocation", false,
			"~ mean over %lld s, from thread dumps, %lld s ago",
			seconds(f->alloc_over_ns), seconds(f->dump_age_ns));
	else if (f->has_alloc)
		source_note_add(
			out, "allocation", false,
			"~ mean over each thread's life, from a thread dump, "
			"%lld s ago",
			seconds(f->dump_age_ns));
	else if (f->dump_age_ns >= 0)
		source_note_add(
			out, "allocation", true,
			"- (this JVM's thread dumps lack it; use --jmx)");
	else
		source_note_add(out, "allocation", true,
				"- (needs a thread dump or JMX)");
}

void proc_notes_add(const struct proc_facts *f, struct top_sample *out)
{
	note_names(f, out);
	note_allocation(f, out);
	source_note_add(out, "contention", true, "- (needs JMX: -c or --jmx)");
	if (f->no_perfdata) {
		source_note_add(out, "gc", true, "- (%s)", f->no_perfdata);
		source_note_add(out, "safepoints", true, "- (%s)",
				f->no_perfdata);
		source_note_add(out, "heap", true, "- (%s)", f->no_perfdata);
	} else if (out->process.heap_used == COUNTER_ABSENT) {
		source_note_add(out, "heap", true, "- (no collection yet)");
	} else {
		source_note_add(out, "heap", false,
				"as of the last collection");
	}
	if (out->process.gc_count && out->process.gc[0].at_most)
		source_note_add(out, "gc", false,
				"at most: this collector does not count its "
				"pauses, all safepoints are shown; exact with "
				"--jmx");
	if (!f->has_schedstat) {
		source_note_add(
			out, "cpu", false,
			"in ticks of 10 ms: this kernel has no schedstat");
		source_note_add(out, "runq", true,
				"- (this kernel has no schedstat)");
	}
}
