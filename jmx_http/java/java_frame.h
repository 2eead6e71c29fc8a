/* SPDX-License-Identifier: Apache-2.0 */
/*
 * java_frame: a value of a stream that has begun and not ended.
 *
 * Private to the java_stream: java_stream.c goes from step to step, java_tags.c
 * begins values, java_frames.c goes on with them.  What is within one another
 * is a stack of frames, not of calls.
 */
#ifndef JMX_HTTP_JAVA_JAVA_FRAME_H
#define JMX_HTTP_JAVA_JAVA_FRAME_H

#include "core/base/cursor.h"
#include "jmx_http/java/java_stream.h"

/* What may stand where something is read. */
enum wanted {
	WANT_CLASS = 1,
	WANT_STRING = 2,
	WANT_VALUE = 4,
	WANT_BLOCK = 8,
	WANT_END = 16,
	WANT_RESET = 32,
};

/* Where a value that has begun stands; see states, below. */
enum frame_state {
	CLASS_FIELDS,
	CLASS_SIGNATURE,
	PROXY_INTERFACES,
	CLASS_ANNOTATIONS,
	CLASS_SUPER,
	OBJECT_CLASS,
	OBJECT_FIELDS,
	OBJECT_ANNOTATIONS,
	ARRAY_CLASS,
	ARRAY_SIZE,
	ARRAY_ELEMENTS,
	ENUM_CLASS,
	ENUM_NAME,
	CLASS_OBJECT,
	EXCEPTION,
};

/* A value that has begun and not ended. */
struct java_frame {
	enum frame_state state;
	struct java_value *value;
	struct java_class *class; /* that is being read */
	size_t part;              /* of an object */
	size_t at;                /* field or element */
	size_t count;             /* interfaces */
};

/* Says what is wrong with the stream; the first word counts. */
void java_stream_wrong(struct java_stream *s, const char *what);

/* From the stream's arena. */
void *java_stream_zeroed(struct java_stream *s, size_t size);
struct java_value *java_stream_value(struct java_stream *s,
				     enum java_kind kind);
struct java_bytes java_stream_bytes(struct java_stream *s, const void *bytes,
				    size_t len);
void java_stream_list(struct java_stream *s, struct java_list *list,
		      const struct java_value *v);

/* Gives the value the next handle. */
void java_stream_handle(struct java_stream *s, const struct java_value *v);

/* The uppermost frame; there is one. */
struct java_frame *java_frame_top(struct java_stream *s);

/* Begins a value; at JAVA_DEPTH_MAX that is wrong and begins nothing. */
struct java_frame *java_frame_push(struct java_stream *s,
				   enum frame_state state);

/* The value of the uppermost frame is whole. */
void java_frame_finish(struct java_stream *s);

/*
 * Reads a tag and what belongs to it; wanted: of enum wanted.  When the cursor
 * fails, nothing has happened, as with java_frame_step().
 */
void java_tag_read(struct java_stream *s, struct cursor *c, unsigned wanted);

/* Reads what comes next of the uppermost frame. */
void java_frame_step(struct java_stream *s, struct cursor *c);

/* Gives the uppermost frame a value that is whole and part of it. */
void java_frame_take(struct java_stream *s, const struct java_value *v);

#endif
