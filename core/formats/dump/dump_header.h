/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_header: the line of a thread dump that a thread begins with.
 *
 * A thread's name may hold anything, quotes and line feeds too, and is not
 * escaped.  What follows the name holds no quote: the last one ends the name.
 */
#ifndef CORE_FORMATS_DUMP_DUMP_HEADER_H
#define CORE_FORMATS_DUMP_DUMP_HEADER_H

#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dump_header {
	const char *name; /* borrowed from the text */
	size_t name_len;
	int64_t java_id, os_id;
	bool is_virtual;
	enum thread_state state; /* where the header tells it */
	bool by_jmx;             /* written by Java code, not by the VM */
	bool waits;              /* "waiting on condition" and the like */
	/* Bytes allocated, in steps of this many; 0 = unknown. */
	uint64_t allocated, allocated_step;
};

/*
 * Each reads a header; last_line is where the text's last line begins.  False
 * when the text is no header, or none yet: its name may go on in the next
 * line.
 *
 * By HotSpot, by jhsdb or through JMX:
 *   "NAME" #12 [4711] daemon prio=5 … tid=0x… nid=4711 runnable [0x…]
 *   "NAME" - Thread t@12
 * By Thread.dump_to_file (JDK 21), with a state and a time since JDK 25:
 *   #12 "NAME" virtual RUNNABLE 2026-11-21T08:40:37.790779536Z
 */
bool dump_header_parse(const char *text, size_t len, size_t last_line,
		       struct dump_header *h);
bool dump_header_to_file(const char *text, size_t len, size_t last_line,
			 struct dump_header *h);

/* The thread state of that name; STATE_NONE if there is none. */
enum thread_state dump_state(const char *text, size_t len);

/*
 * Reads the digits that text begins with into *value and gives their number;
 * 0 when there are none or too many.
 */
size_t dump_decimal(const char *text, size_t len, int64_t *value);
size_t dump_hex(const char *text, size_t len, int64_t *value);

#endif
