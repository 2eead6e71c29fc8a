/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_read: attributes of many MBeans, in few round trips.
 *
 * The description of an MBean is read before its attributes.  MBeans are read
 * in batches: the descriptions of the next batch are requested together with
 * the attributes of the last one.  Nothing is kept after it was handed over, so
 * the number of MBeans is not limited.
 */
#ifndef JMX_HTTP_JMX_READ_H
#define JMX_HTTP_JMX_READ_H

#include "jmx_http/jmx.h"

#define JMX_READ_BATCH 200 /* MBeans at a time */
#define JMX_READ_LOST  3   /* MBeans in a row; the next one ends it */

/* An MBean as it was read; valid within the call. */
struct jmx_bean {
	const char *name;
	const char *class; /* of its MBeanInfo, foreign; NULL: unknown */
	const void *note;  /* from choose() */
	/* A composite of the chosen attributes; NULL when there are none. */
	const struct value *values;
	/* Why it could not be read, foreign; NULL when it could. */
	const char *failure;
	enum error_kind kind;
	bool was_lost; /* the connection was lost while it was read */
};

struct jmx_reader {
	/*
	 * Returns the attributes to read of an MBean, in the arena, and their
	 * number; *note is for take().  NULL and *err end the reading.
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
 * Reads the MBeans.  When the connection is lost or a reply times out, the
 * requests of the batch are repeated one at a time.  An MBean at which the
 * connection is lost again is handed over as unreadable.  Too many of those in
 * a row, or a JVM that has exited, end the reading as in jmx_run().
 */
int jmx_read(struct jmx *j, const char *const *objects, size_t count,
	     const struct jmx_reader *reader, struct error *err);

#endif
