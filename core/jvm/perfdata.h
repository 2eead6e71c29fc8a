/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfdata: the performance counters of a HotSpot JVM, in a shared file.
 *
 * The file is /tmp/hsperfdata_<user>/<ns pid> in the JVM's root; format 2.0
 * (JDK 5 on). Reading it costs the JVM nothing. The file is not trusted: its
 * owner and mode are checked, it is copied, and every offset is validated.
 */
#ifndef CORE_JVM_PERFDATA_H
#define CORE_JVM_PERFDATA_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata;

enum perfdata_unit { /* values of the file format */
		     PERFDATA_UNIT_NONE = 1,
		     PERFDATA_BYTES = 2,
		     PERFDATA_TICKS = 3,
		     PERFDATA_EVENTS = 4,
		     PERFDATA_STRING = 5,
		     PERFDATA_HERTZ = 6,
};

struct perfdata_counter {
	const char *name; /* NUL-terminated; foreign */
	enum perfdata_unit unit;
	bool is_text;
	int64_t value;    /* of a number */
	const char *text; /* of a text: NUL-terminated, foreign; else NULL */
};

/*
 * Opens a JVM's counters and reads them once. NULL on failure:
 * ERROR_UNAVAILABLE if there are none; ERROR_PERMISSION; ERROR_REFUSED if the
 * file cannot be trusted.
 */
struct perfdata *perfdata_open(const struct jvm *jvm, struct error *err);

/* Counters in the memory of the JVM, in the layout of the file. */
struct perfdata_memory {
	/* Copies bytes of the JVM's memory; false if they are unreadable. */
	bool (*read)(void *self, uint64_t address, void *bytes, size_t len);
	void (*close)(void *self);
	void *self;
	uint64_t address; /* in the JVM */
	size_t len;
};

/* Like perfdata_open(), for such memory, which it takes over even on failure.
 */
struct perfdata *perfdata_open_memory(const struct jvm *jvm,
				      const struct perfdata_memory *memory,
				      struct error *err);

/*
 * After perfdata_open() has failed, and also the memory has none because of
 * *why: sets *err to the JVM option that disables the counters or their file,
 * or the reason why the JVM makes no file. A separate call, because it inspects
 * the JVM again.
 */
void perfdata_explain(const struct jvm *jvm, const struct error *why,
		      struct error *err);

/*
 * Like perfdata_open(), for the bytes of such a file, which are copied. For
 * tests. ERROR_INPUT.
 */
struct perfdata *perfdata_of(const void *bytes, size_t len, struct error *err);

void perfdata_close(struct perfdata *p); /* NULL is allowed */

/*
 * Reads the counters again; earlier results of perfdata_at() and
 * perfdata_text() become invalid. ERROR_NO_TARGET if the file has been removed.
 */
int perfdata_refresh(struct perfdata *p, struct error *err);

/* All counters, in the order of the file. */
size_t perfdata_count(const struct perfdata *p);
struct perfdata_counter perfdata_at(const struct perfdata *p, size_t i);

/* Looks up a counter by name; returns false or NULL if no counter of this
 * type has the name. */
bool perfdata_value(const struct perfdata *p, const char *name, int64_t *value);
const char *perfdata_text(const struct perfdata *p, const char *name);

/*
 * Returns the offset of a counter's value in the file, which the JVM has mapped
 * from its start; 0 if there is no such counter.
 */
size_t perfdata_offset(const struct perfdata *p, const char *name);

/*
 * Copies bytes of the file as they are now. ERROR_UNAVAILABLE if the file has
 * become shorter. It can be read until the JVM ends, even if it was unlinked.
 */
int perfdata_peek(struct perfdata *p, size_t offset, void *bytes, size_t len,
		  struct error *err);

/* The address of the counters in the JVM's own memory; 0 if they have a file.
 */
uint64_t perfdata_address(const struct perfdata *p);

/* The device and inode of the file; false if there is none. */
bool perfdata_inode(const struct perfdata *p, uint64_t *dev, uint64_t *ino);

/* Converts ticks (sun.os.hrt.frequency) to nanoseconds. */
int64_t perfdata_ns(const struct perfdata *p, int64_t ticks);

/* Bytes of counters that did not fit into the file: its "overflow". */
uint32_t perfdata_overflow(const struct perfdata *p);

#endif
