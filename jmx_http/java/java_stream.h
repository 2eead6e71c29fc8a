/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_stream: parses serialized Java objects as their bytes arrive.
 *
 * Java Object Serialization Specification, chapter 6, protocol version 2: the
 * whole grammar except externalizable objects of protocol version 1, which only
 * their class can read.  RMI messages carry no length, so only the parser finds
 * the end of a message.  A step that lacks bytes is undone, and repeated when
 * more bytes have arrived.
 *
 * The bytes are not trusted.  The constants below bound their cost, and no
 * function recurses on them.
 */
#ifndef JMX_HTTP_JAVA_JAVA_STREAM_H
#define JMX_HTTP_JAVA_JAVA_STREAM_H

#include "core/base/arena.h"
#include "core/base/cursor.h"
#include "jmx_http/java/java_value.h"

#define JAVA_DEPTH_MAX   256                 /* nesting of values */
#define JAVA_SUPERS_MAX  64                  /* depth of a class hierarchy */
#define JAVA_HANDLES_MAX 1000000             /* objects with a handle */
#define JAVA_BYTES_MAX   ((size_t)64 << 20)  /* size of a string or array */
#define JAVA_MEMORY_MAX  ((size_t)144 << 20) /* memory of all values */

enum java_status {
	JAVA_MORE,    /* the value is incomplete */
	JAVA_DONE,    /* a value, or block data */
	JAVA_ABORTED, /* the writer failed: the value is its Throwable */
	JAVA_WRONG,   /* invalid, or beyond a limit: see .wrong */
};

struct java_frame;

/* A zeroed struct is a stream of which nothing was read. */
struct java_stream {
	struct arena arena; /* the memory of the values */
	const char *wrong;  /* the fault, or NULL */
	size_t offset;      /* bytes read; the position of the fault */
	size_t memory_max;  /* replaces JAVA_MEMORY_MAX, unless 0 */
	/* All class descriptors so far, in order. */
	struct java_list classes;

	/* Private from here on. */
	bool has_header;
	struct java_frame *frames;
	size_t depth, frame_cap;
	const struct java_value **handles;
	size_t handle_count, handle_cap;
	const struct java_value *pending; /* complete, not yet returned */
};

/*
 * Parses up to the end of the next value or block data.  bytes continue after
 * the bytes used before; *used is the number of bytes that the caller may
 * discard.  On JAVA_DONE and JAVA_ABORTED, *value is in the arena.  After
 * JAVA_ABORTED and JAVA_WRONG the stream is over.
 */
enum java_status java_stream_read(struct java_stream *s, const void *bytes,
				  size_t len, size_t *used,
				  const struct java_value **value);

/* Reads a big-endian primitive value; type is a letter of java_field. */
struct java_value java_read_primitive(struct cursor *c, char type);

/* Frees all values, too.  Zeroed storage is fine. */
void java_stream_release(struct java_stream *s);

#endif
