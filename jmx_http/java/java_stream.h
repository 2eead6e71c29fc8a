/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_stream: reads serialized Java objects as their bytes arrive.
 *
 * Java Object Serialization Specification, chapter 6, protocol version 2; the
 * whole grammar except externalizable objects of protocol version 1, which only
 * their class can read.  RMI messages carry no length: only the stream shows
 * where a message ends.  A step that lacks bytes is undone and repeated when
 * more have arrived.
 *
 * The bytes are not trusted.  The constants below bound their cost; nothing
 * recurses on them.
 */
#ifndef JMX_HTTP_JAVA_JAVA_STREAM_H
#define JMX_HTTP_JAVA_JAVA_STREAM_H

#include "core/base/arena.h"
#include "core/base/cursor.h"
#include "jmx_http/java/java_value.h"

#define JAVA_DEPTH_MAX   256                 /* values within one another */
#define JAVA_SUPERS_MAX  64                  /* classes above one another */
#define JAVA_HANDLES_MAX 1000000             /* objects to refer to */
#define JAVA_BYTES_MAX   ((size_t)64 << 20)  /* of a string or array */
#define JAVA_MEMORY_MAX  ((size_t)144 << 20) /* of all values */

enum java_status {
	JAVA_MORE,    /* there is less than a whole value */
	JAVA_DONE,    /* a value, or block data */
	JAVA_ABORTED, /* the writer failed: the value is its Throwable */
	JAVA_WRONG,   /* no stream, or beyond a bound: see .wrong */
};

struct java_frame;

/* A zeroed struct is the beginning of a stream. */
struct java_stream {
	struct arena arena; /* of the values */
	const char *wrong;  /* what is wrong, and where: bytes from its begin */
	size_t offset;
	size_t memory_max; /* in place of JAVA_MEMORY_MAX, unless 0 */
	/* All classes that were described, in order, as their values. */
	struct java_list classes;

	/* Private from here on. */
	bool has_header;
	struct java_frame *frames;
	size_t depth, frame_cap;
	const struct java_value **handles;
	size_t handle_count, handle_cap;
	const struct java_value *pending; /* read, not yet handed on */
};

/*
 * Reads on to the end of the next value or block data.  bytes are those that
 * follow what was read before; *used says how many of them were read, which
 * are not needed any more.  *value, on JAVA_DONE and JAVA_ABORTED, lives in the
 * arena.  After JAVA_ABORTED and JAVA_WRONG there is nothing more to read.
 */
enum java_status java_stream_read(struct java_stream *s, const void *bytes,
				  size_t len, size_t *used,
				  const struct java_value **value);

/* Reads a big-endian value of a primitive type, a letter as in java_field. */
struct java_value java_read_primitive(struct cursor *c, char type);

/* Frees all values, too.  Zeroed storage is fine. */
void java_stream_release(struct java_stream *s);

#endif
