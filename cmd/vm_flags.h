/* SPDX-License-Identifier: Apache-2.0 */
/*
 * vm_flags: the flags of a HotSpot JVM, as it answers to "VM.flags -all".
 */
#ifndef CMD_VM_FLAGS_H
#define CMD_VM_FLAGS_H

#include "core/base/lines.h"
#include "core/base/text.h"

#include <stdbool.h>

struct vm_flag {
	struct line name, value;
	struct line origin; /* "{product} {ergonomic}"; JDK 8: "{product}" */
	/*
	 * JDK 8 says no more of where a value is from than that it is not the
	 * default: ":=" (Flag::print_on()).
	 */
	bool is_changed;
};

/*
 * Reads a flag from a line, into which it points; false when the line holds
 * none.
 */
bool vm_flag_read(struct line line, struct vm_flag *f);

/* A flag's value in the JVM's answer; an empty line when it has none. */
struct line vm_flag_value(const struct text *flags, const char *name);

/* How a JVM collects garbage. */
struct vm_collector {
	const char *name;
	/*
	 * Its histograms walk the heap from the roots: objects that nobody uses
	 * are not counted, by -all either.
	 */
	bool counts_reachable_only;
	bool never_collects;
};

/* NULL when the answer does not tell. */
const struct vm_collector *vm_collector_of(const struct text *flags);

#endif
