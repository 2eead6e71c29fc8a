/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_names.h"

#include <stddef.h>
#include <string.h>

enum gc_kind gc_pause_name_kind(struct line name)
{
	if (line_starts(name, "Young (Mixed)") || line_starts(name, "Mixed"))
		return GC_MIXED;
	if (line_starts(name, "Young"))
		return GC_YOUNG;
	/* JDK 9 and 10: the young collection that starts G1's cycle. */
	if (line_starts(name, "Initial Mark (G1"))
		return GC_YOUNG;
	/* The rest of a cycle of Shenandoah that has to stop the application.
	 */
	if (line_starts(name, "Full") || line_starts(name, "Degenerated"))
		return GC_FULL;
	return GC_CYCLE_PAUSE;
}

const char *gc_pause_name_collector(struct line name)
{
	static const struct {
		const char *word, *collector;
	} words[] = {
		{ "Mark Start", "ZGC" },    { "Mark End", "ZGC" },
		{ "Relocate", "ZGC" },      { "Init ", "Shenandoah" },
		{ "Final ", "Shenandoah" }, { "Degenerated", "Shenandoah" },
		{ "Cleanup", "G1" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (line_starts(name, words[i].word))
			return words[i].collector;
	}
	return memmem(name.text, name.len, "(G1 ", 4) ? "G1" : NULL;
}

const char *gc_collector_name(struct line name)
{
	static const struct {
		const char *name, *collector;
	} names[] = {
		{ "Serial", "Serial" },
		{ "DefNew", "Serial" },
		{ "SerialOld", "Serial" },
		{ "Parallel", "Parallel" },
		{ "ParallelScavenge", "Parallel" },
		{ "ParallelOld", "Parallel" },
		{ "PSMarkSweep", "Parallel" },
		{ "G1", "G1" },
		{ "G1New", "G1" },
		{ "G1Old", "G1" },
		{ "G1Full", "G1" },
		{ "The Z Garbage Collector", "ZGC" },
		{ "Z", "ZGC" },
		{ "ZGC Minor", "ZGC" },
		{ "ZGC Major", "ZGC" },
		{ "Shenandoah", "Shenandoah" },
		{ "Concurrent Mark Sweep", "CMS" },
		{ "ConcurrentMarkSweep", "CMS" },
		{ "ParNew", "CMS" },
		{ "Epsilon", "Epsilon" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (line_is(name, names[i].name))
			return names[i].collector;
	}
	return NULL;
}
