/* SPDX-License-Identifier: Apache-2.0 */
/*
 * perfdata: the counters that a HotSpot JVM keeps in a shared file.
 *
 * /tmp/hsperfdata_<user>/<ns pid>, as the JVM sees it; format 2.0 (JDK 5 on).
 * Reading costs the JVM nothing.  The file is the target's: it is checked for
 * its owner and mode, copied, and every offset in it is doubted.
 */
#ifndef CORE_JVM_PERFDATA_H
#define CORE_JVM_PERFDATA_H

#include "core/base/error.h"
#include "core/jvm/jvm.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perfdata;

enum perfdata_unit { /* as the file numbers them */
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
	int64_t value;    /* when it is no text */
	const char *text; /* NUL-terminated, foreign; else NULL */
};

/*
 * Opens a JVM's counters and reads them once.  NULL on failure:
 * ERROR_UNAVAILABLE when it shows none; ERROR_PERMISSION; ERROR_REFUSED when
 * the file is not to be trusted.
 */
struct perfdata *perfdata_open(const struct jvm *jvm, struct error *err);

/*
 * Puts, after perfdata_open() has failed with *err, why there are no counters
 * where an option of the JVM is the reason; else leaves *err as it is.  Apart
 * from it, since it looks at the JVM anew.
 */
void perfdata_explain(const struct jvm *jvm, struct error *err);

/* perfdata_open() from the bytes of such a file, which are copied; ERROR_INPUT.
 */
struct perfdata *perfdata_of(const void *bytes, size_t len, struct error *err);

void perfdata_close(struct perfdata *p); /* NULL is fine */

/*
 * Reads the counters anew; what perfdata_at() and perfdata_text() gave before
 * is no longer valid.  ERROR_NO_TARGET when the file has gone.
 */
int perfdata_refresh(struct perfdata *p, struct error *err);

/* All counters, in the file's order. */
size_t perfdata_count(const struct perfdata *p);
struct perfdata_counter perfdata_at(const struct perfdata *p, size_t i);

/* A counter by its name; false, or NULL, when there is none of that kind. */
bool perfdata_value(const struct perfdata *p, const char *name, int64_t *value);
const char *perfdata_text(const struct perfdata *p, const char *name);

/* Ticks (of sun.os.hrt.frequency) as nanoseconds. */
int64_t perfdata_ns(const struct perfdata *p, int64_t ticks);

/* Counters that the JVM had no room for: "overflow" in bytes. */
uint32_t perfdata_overflow(const struct perfdata *p);

#endif
