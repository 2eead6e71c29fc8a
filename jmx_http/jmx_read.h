/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_read: attributes of many MBeans, in few round trips.
 *
 * What an MBean has is looked up before it is asked for.  MBeans are read by
 * the hundred, of which the names of the next are looked up while the
 * attributes of the last are had; what has been given is forgotten, so any
 * number will do.
 */
#ifndef JMX_HTTP_JMX_READ_H
#define JMX_HTTP_JMX_READ_H

#include "jmx_http/jmx.h"

#define JMX_READ_BATCH 200 /* MBeans at a time */
#define JMX_READ_LOST  3   /* MBeans in a row; the next one ends it */

/* An MBean as it was read; valid within the call. */
struct jmx_bean {
	const char *name;
	const char *class; /* its MBeanInfo's; NULL when not known; foreign */
	const void *note;  /* what choose() has left */
	/* A composite of what was asked for; NULL when that was nothing. */
	const struct value *values;
	/* Why it could not be read, foreign; NULL when it could. */
	const char *failure;
	enum error_kind kind;
	bool was_lost; /* since the connection was, while it was read */
};

struct jmx_reader {
	/*
	 * Which attributes of an MBean to ask for, in the arena, and how many;
	 * *note is for take().  NULL and *err end the reading.
	 */
	const char *const *(*choose)(void *self, const char *object,
				     const struct jmx_info *info,
				     struct arena *a, size_t *count,
				     const void **note, struct error *err);
	/* Called for each in the order of their names; -1 and *err end it. */
	int (*take)(void *self, const struct jmx_bean *bean, struct error *err);
	void *self;
};

/*
 * Reads them.  When the connection is lost, or an answer does not come in time,
 * what was asked for at once is asked for one by one.  An MBean with which it
 * is lost then is one that could not be read; that with too many in a row, or
 * because the JVM has gone, it fails as jmx_run() does, and the MBeans that
 * were not given remain unread.
 */
int jmx_read(struct jmx *j, const char *const *objects, size_t count,
	     const struct jmx_reader *reader, struct error *err);

#endif
