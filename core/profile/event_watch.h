/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event_watch: single events of selected types, for callers of readers that
 * need each event instead of samples.
 */
#ifndef CORE_PROFILE_EVENT_WATCH_H
#define CORE_PROFILE_EVENT_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EVENT_WATCH_FIELDS 8

/*
 * Events of one type. A field of a struct is "heapSpace.committedSize". The
 * first NULL ends the fields.
 */
struct event_watch_type {
	const char *event; /* "jdk.GarbageCollection" */
	const char *fields[EVENT_WATCH_FIELDS];
};

struct watched_value {
	bool is_known; /* the event has the field */
	/* Time spans and times in ns, sizes in bytes, others as they are. */
	int64_t number;
	/* Of strings and names; "" for others. Valid during the call. */
	const char *text;
};

struct event_watch {
	const struct event_watch_type *types;
	size_t type_count;
	/*
	 * Gets each event: the index of its type, and a value for each field.
	 * Events come in the order of the file, which is not that of times.
	 */
	void (*seen)(void *self, size_t type,
		     const struct watched_value *values);
	void *self;
};

#endif
