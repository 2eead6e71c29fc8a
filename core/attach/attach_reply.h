/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach_reply: all of a reply, taken off the JVM's hands before anything is
 * done with it.
 *
 * The JVM may hold all its threads until its reply has been read (JDK 24 on,
 * unless asked not to).  So it is read into memory, and what is too large for
 * that into a file that has no name.
 */
#ifndef CORE_ATTACH_ATTACH_REPLY_H
#define CORE_ATTACH_ATTACH_REPLY_H

#include "core/attach/attach.h"
#include "core/base/error.h"
#include "core/base/text.h"

#include <stddef.h>
#include <stdint.h>

#define ATTACH_REPLY_MEMORY ((uint64_t)64 << 20)
#define ATTACH_REPLY_LIMIT  ((uint64_t)4 << 30)

struct attach_reply {
	struct text memory;
	uint64_t memory_limit, limit; /* bytes; 0 = those above */
	int file;                     /* -1 = none */
	uint64_t filed;               /* bytes in it */
};

void attach_reply_init(struct attach_reply *r);
void attach_reply_release(struct attach_reply *r);

/* Keeps bytes.  ERROR_REFUSED beyond the limit, ERROR_OUTPUT without room. */
int attach_reply_add(struct attach_reply *r, const void *bytes, size_t len,
		     struct error *err);

/* Gives all that was kept to a sink, in order. */
int attach_reply_give(struct attach_reply *r, attach_sink_fn *sink, void *self,
		      struct error *err);

#endif
