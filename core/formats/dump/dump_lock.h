/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_lock: parses the lines of thread dumps about locks.
 *
 * HotSpot (javaVFrame::print_lock_info_on, JavaThread::print_owned_locks):
 *	- waiting to lock <0x00000000ffd1be00> (a c.D)
 *	- parking to wait for  <0x00000000ffd1be00> (a c.D$Sync)
 *	- <0x00000000ffd1be00> (a c.D$Sync)
 * Thread.dump_to_file since JDK 25, with identity hashes:
 *	- locked <c.D@1f>
 * VisualVM, through JMX:
 *	- waiting to lock <1f> (a c.D) owned by "name" t@12
 */
#ifndef CORE_FORMATS_DUMP_DUMP_LOCK_H
#define CORE_FORMATS_DUMP_DUMP_LOCK_H

#include "core/base/lines.h"
#include "core/profile/thread_tap.h"

#include <stdbool.h>
#include <stdint.h>

struct dump_lock {
	enum tapped_lock_kind kind;
	/* Borrowed from the line. An empty id is unknown. */
	struct line id, class_name;
	int64_t owner_id;       /* 0 = unknown */
	struct line owner_name; /* if the id is unknown; empty = unknown, too */
};

/*
 * Parses a line without the spaces around it, "- locked <0x…> (a c.D)". False
 * if the line does not name a lock, or not one that a thread can wait for.
 */
bool dump_lock_parse(struct line body, struct dump_lock *lock);

/* Splits the text of an object, "c.D@1f", at the '@'; false without one. */
bool dump_lock_object(const char *text, size_t len, struct line *class_name);

#endif
