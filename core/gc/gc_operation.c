/* SPDX-License-Identifier: Apache-2.0 */
#include "core/gc/gc_operation.h"

#include <string.h>

/* The first prefix that fits decides. */
static const struct {
	const char *prefix;
	enum gc_kind kind;
	const char *collector;
} operations[] = {
	{ "G1CollectForAllocation", GC_YOUNG, "G1" },
	{ "G1TryInitiateConcMark", GC_YOUNG, "G1" },
	{ "G1IncCollectionPause", GC_YOUNG, "G1" },
	{ "G1CollectFull", GC_FULL, "G1" },
	{ "G1Pause", GC_CYCLE_PAUSE, "G1" },
	{ "G1Concurrent", GC_CYCLE_PAUSE, "G1" },
	{ "CGC_Operation", GC_CYCLE_PAUSE, "G1" },
	{ "ParallelGCFailedAllocation", GC_YOUNG, "Parallel" },
	{ "ParallelCollectForAllocation", GC_YOUNG, "Parallel" },
	{ "ParallelGCSystemGC", GC_FULL, "Parallel" },
	{ "ParallelGCCollect", GC_FULL, "Parallel" },
	{ "GenCollectForAllocation", GC_YOUNG, "Serial" },
	{ "SerialCollectForAllocation", GC_YOUNG, "Serial" },
	{ "GenCollectFull", GC_FULL, "Serial" },
	{ "SerialGCCollect", GC_FULL, "Serial" },
	{ "CollectForMetadataAllocation", GC_PAUSE, NULL },
	{ "CMS_", GC_CYCLE_PAUSE, "CMS" },
	{ "ShenandoahSend", GC_OTHER, NULL },
	{ "ShenandoahFull", GC_FULL, "Shenandoah" },
	{ "ShenandoahDegenerated", GC_FULL, "Shenandoah" },
	{ "Shenandoah", GC_CYCLE_PAUSE, "Shenandoah" },
	{ "ZOperation", GC_CYCLE_PAUSE, "ZGC" }, /* JDK 11 */
	{ "ZMark", GC_CYCLE_PAUSE, "ZGC" },
	{ "ZRelocate", GC_CYCLE_PAUSE, "ZGC" },
	{ "XMark", GC_CYCLE_PAUSE, "ZGC" },
	{ "XRelocate", GC_CYCLE_PAUSE, "ZGC" },
};

enum gc_kind gc_operation_kind(const char *operation, const char **collector)
{
	for (size_t i = 0;
	     operation && i < sizeof(operations) / sizeof(*operations); i++) {
		const char *prefix = operations[i].prefix;

		if (strncmp(operation, prefix, strlen(prefix)) != 0)
			continue;
		if (collector)
			*collector = operations[i].collector;
		return operations[i].kind;
	}
	if (collector)
		*collector = NULL;
	return GC_OTHER;
}

enum gc_kind gc_operation_kind_alone(const char *operation, bool has_pauses,
				     const char **collector)
{
	enum gc_kind kind = gc_operation_kind(operation, collector);

	if (!has_pauses ||
	    (kind != GC_YOUNG && kind != GC_FULL && kind != GC_PAUSE))
		return kind;
	if (collector)
		*collector = NULL;
	return GC_OTHER;
}
