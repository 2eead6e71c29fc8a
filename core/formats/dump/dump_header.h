/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_header: parses the first line of a thread in a thread dump.
 *
 * A thread's name may contain anything, including quotes and newlines, and is
 * not escaped. The text after the name contains no quote, so the last quote
 * ends the name.
 */
#ifndef CORE_FORMATS_DUMP_DUMP_HEADER_H
#define CORE_FORMATS_DUMP_DUMP_HEADER_H

#include "core/base/lines.h"
#include "core/profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "c.D@1f owned by "NAME" Id=12"; an empty object is none. */
struct dump_wait {
	struct line object;
	int64_t owner_id; /* 0 = unknown */
	struct line owner_name;
};

struct dump_header {
	const char *name; /* borrowed from the text */
	size_t name_len;
	int64_t java_id, os_id;
	bool is_virtual;
	enum thread_state state; /* if the header has it */
	bool by_jmx;             /* printed by Java code, not by the VM */
	bool waits;              /* "waiting on condition" or similar */
	bool is_daemon;
	/* By ThreadInfo.toString(): the object that the thread waits for. */
	struct dump_wait wait;
	int64_t cpu_ns, elapsed_ns; /* JDK 11; 0 = unknown */
	/*
	 * Bytes allocated, rounded to allocated_step; a step of 0 means
	 * unknown.
	 */
	uint64_t allocated, allocated_step;
};

/*
 * Each parses a header; last_line is the start of the text's last line. False
 * if the text is not a header, or not yet: its name may continue in the next
 * line.
 *
 * By HotSpot, by jhsdb or through JMX:
 *    "NAME" #12 [4711] daemon prio=5 … tid=0x… nid=4711 runnable [0x…]
 *    "NAME" - Thread t@12
 *    "NAME" daemon prio=5 Id=12 BLOCKED on c.D@1f owned by "NAME" Id=13
 * By Thread.dump_to_file (JDK 21), with a state and a time since JDK 25:
 *    #12 "NAME" virtual RUNNABLE 2026-11-21T08:40:37.790779536Z
 */
bool dump_header_parse(const char *text, size_t len, size_t last_line,
		       struct dump_header *h);
bool dump_header_to_file(const char *text, size_t len, size_t last_line,
			 struct dump_header *h);

/* Parses the text after "on " in the last form, or in a line of IntelliJ. */
struct dump_wait dump_wait_parse(struct line text);

/* Returns the thread state of that name; STATE_NONE if there is none. */
enum thread_state dump_state(const char *text, size_t len);

/*
 * Parse the digits at the start of text into *value; return their number, or 0
 * if there are none or too many.
 */
size_t dump_decimal(const char *text, size_t len, int64_t *value);
size_t dump_hex(const char *text, size_t len, int64_t *value);

/* True for text that jhsdb prints before its dump. */
bool dump_line_is_greeting(struct line line);

#endif
