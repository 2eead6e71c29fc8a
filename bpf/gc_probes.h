/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gc_probes: pauses from uprobes in a JVM's libjvm.
 *
 * One probe at the end of a safepoint, when threads run again, gives the
 * stopped time and the time to safepoint exactly. The kernel restores the
 * instructions when the source closes, even if sjkc is killed.
 */
#ifndef BPF_GC_PROBES_H
#define BPF_GC_PROBES_H

#include "core/gc/gc_pause.h"
#include "core/jvm/jvm.h"

struct gc_probes_options {
	bool phases;  /* record the phases of collections and cycles */
	bool no_heap; /* omit the size before, which takes 2 hits in a pause */
	bool last_threads; /* a hit per running thread and safepoint */
	/*
	 * Omit the probes within a pause that tell the collector's time better
	 * than its counters, and the phases of ZGC and Shenandoah: the time of
	 * some collections is absent, and no pause is held until its cycle
	 * ends.
	 */
	bool no_reports;
};

/*
 * Attaches the probes; jvm is borrowed. Without counters, *no_counters has
 * the reason, and the times are estimates; otherwise it is empty.
 * ERROR_UNAVAILABLE names what the JVM or the kernel lacks, ERROR_PERMISSION
 * the missing right.
 */
struct gc_source *gc_probes_open(const struct jvm *jvm,
				 const struct gc_probes_options *o,
				 struct error *no_counters, struct error *err);

#endif
