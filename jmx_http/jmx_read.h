/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jmx_read: reads attributes of many MBeans in few round trips.
 *
 * The description of an MBean is read before its attributes.  MBeans are read
 * in batches: the descriptions of the next batch are requested together with
 * the attributes of the previous one.  An MBean is freed after the callback
 * received it, so the number of MBeans is not limited.
 */
#ifndef JMX_HTTP_JMX_READ_H
#define JMX_HTTP_JMX_READ_H

#include "jmx_http/jmx.h"

#define JMX_READ_BATCH 200 /* MBeans at a time */
#define JMX_READ_LOST  3   /* lost MBeans in a row before reading ends */

/* An MBean and its attributes; valid only during the callback. */
struct jmx_bean {
	const char *name;
	const char *class; /* of its MBeanInfo, foreign; NULL: unknown */
	const void *note;  /* from choose() */
	/* A composite of the chosen attributes; NULL if none was chosen. */
	const struct value *values;
	/* Why the MBean is unreadable, foreign; NULL on success. */
	const char *failure;
	enum error_kind kind;
	/*
	 * The connection failed while the MBean was read: values may have a
	 * VALUE_ERROR for each attribute at which it failed again.
	 */
	bool was_lost;
};

struct jmx_reader {
	/*
	 * Returns the names of the attributes to read, allocated in the arena,
	 * and their number.  *note becomes jmx_bean.note.  NULL and *err end
	 * the reading.
	 */
	const char *const *(*choose)(void *self, const char *object,
				     const struct jmx_info *info,
				     struct arena *a, size_t *count,
				     const void **note, struct error *err);
	/*
	 * Called for each MBean, in the order of jmx_read()'s list.  -1 and
	 * *err end the reading.
	 */
	int (*take)(void *self, const struct jmx_bean *bean, struct error *err);
	void *self;
	/*
	 * As choose(), for an MBean whose description the JVM or an agent
	 * denies, but perhaps not its attributes.  NULL, and a return of NULL:
	 * the MBean is unreadable.
	 */
	const char *const *(*choose_unseen)(void *self, struct arena *a,
					    size_t *count, const void **note);
};

/*
 * Reads the MBeans.  If the connection is lost or a reply times out, the
 * requests of the batch are repeated one at a time.  If the connection is lost
 * again at an MBean, its attributes are read one at a time; an MBean without
 * any is passed on as unreadable.  The reading fails as
 * jmx_run() does if the JVM has exited, or after more than JMX_READ_LOST such
 * MBeans in a row.
 */
int jmx_read(struct jmx *j, const char *const *objects, size_t count,
	     const struct jmx_reader *reader, struct error *err);

#endif
