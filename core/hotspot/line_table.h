/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_table: the source lines of a method's bytecodes.
 *
 * The table follows the bytecodes of a ConstMethod
 * (CompressedLineNumberReadStream in HotSpot's oops/method): pairs of
 * increments of the bci and the line, encoded in one byte if they fit.
 */
#ifndef CORE_HOTSPOT_LINE_TABLE_H
#define CORE_HOTSPOT_LINE_TABLE_H

#include "core/base/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_entry {
	uint16_t bci, line;
};

struct line_table {
	struct line_entry *entries; /* by bci */
	size_t count;
};

/*
 * Reads the table of a method of code_bytes bytes; excluded is explained at
 * unsigned5_read().  Returns false when the table is damaged: bcis outside the
 * method, impossible line numbers, or no end.  line_table_release() must
 * follow.
 */
bool line_table_read(struct line_table *t, struct cursor *c,
		     uint32_t code_bytes, unsigned excluded);
/*
 * Sorts entries that the caller has added; entries with the same bci keep their
 * order.
 */
void line_table_sort(struct line_table *t);
void line_table_release(struct line_table *t); /* zeroed storage is fine */

/*
 * Returns the line of a bci; 0 = unknown. A negative bci is the method's entry,
 * the JVM's SynchronizationEntryBCI, which has the line of bci 0.
 */
uint32_t line_table_line(const struct line_table *t, int32_t bci);

#endif
