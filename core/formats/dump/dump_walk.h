/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dump_walk: what all dialects whose dumps are one line after the other do.
 */
#ifndef CORE_FORMATS_DUMP_DUMP_WALK_H
#define CORE_FORMATS_DUMP_DUMP_WALK_H

#include "core/base/error.h"
#include "core/formats/dump/dump_lines.h"
#include "core/formats/dump/thread_dump.h"

/* A dialect's reader begins with this. */
struct dump_walk {
	struct thread_dump dump;
	struct dump_lines lines;
};

struct dump_steps {
	void (*line)(struct dump_walk *w, struct line line);
	void (*end)(struct dump_walk *w); /* the input ends */
	const char *nothing; /* the error where there was no thread */
};

/*
 * Takes each line of the input and adds what was found to the profile.  Fails
 * with ERROR_INPUT when that is no thread.  Nothing of *w is left to release.
 */
int dump_walk(struct dump_walk *w, const struct dump_steps *steps,
	      const uint8_t *bytes, size_t len, struct profile *p,
	      struct error *err);

#endif
