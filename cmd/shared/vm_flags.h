/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_flags: parses HotSpot's reply to "VM.flags -all".
 */
#ifndef CMD_SHARED_VM_FLAGS_H
#define CMD_SHARED_VM_FLAGS_H

#include "core/base/lines.h"
#include "core/base/text.h"

#include <stdbool.h>

struct vm_flag {
	struct line name, value;
	struct line origin; /* "{product} {ergonomic}"; JDK 8: "{product}" */
	/*
	 * JDK 8 does not print the origin of a value. It marks values that are
	 * not the default by ":=" (Flag::print_on()).
	 */
	bool is_changed;
};

/*
 * Parses a line. The members of f point into it. Returns false when the line
 * has no flag.
 */
bool vm_flag_read(struct line line, struct vm_flag *f);

/* Returns a flag's value in the reply, or an empty line without the flag. */
struct line vm_flag_value(const struct text *flags, const char *name);

/* How a JVM collects garbage. */
struct vm_collector {
	const char *name;
	/*
	 * Histograms walk the heap from the roots, so that they never count
	 * garbage, not even with -all.
	 */
	bool counts_reachable_only;
	bool never_collects;
};

/* Returns the collector that the reply names, or NULL. */
const struct vm_collector *vm_collector_of(const struct text *flags);

#endif
