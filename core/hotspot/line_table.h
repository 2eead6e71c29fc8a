/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line_table: which line of its source a bytecode of a method is from.
 *
 * As it stands behind the bytecodes of a ConstMethod
 * (CompressedLineNumberReadStream of HotSpot's oops/method): pairs of what to
 * add to the bci and to the line, in one byte where they fit.
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
 * Reads a table to its end, of a method of code_bytes bytes; excluded is that
 * of unsigned5.  False when it is none: bcis outside the method, lines that no
 * class file can have, no end.  line_table_release() is due.
 */
bool line_table_read(struct line_table *t, struct cursor *c,
		     uint32_t code_bytes, unsigned excluded);
/* Puts entries from elsewhere in order; those of one bci stay as they are. */
void line_table_sort(struct line_table *t);
void line_table_release(struct line_table *t); /* zeroed storage is fine */

/*
 * The line of a bci, 0 = not known.  One below 0 stands for the method's entry,
 * the JVM's SynchronizationEntryBCI, whose line is that of bci 0.
 */
uint32_t line_table_line(const struct line_table *t, int32_t bci);

#endif
