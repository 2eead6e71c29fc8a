/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mem_direct: the counters of direct buffers, from static fields of
 * java.nio.Bits and of Netty.
 *
 * The fields are in the mirrors of the classes, and the values in AtomicLongs.
 * A collector may move these objects meanwhile, so all is read until no
 * collection happened.
 */
#include "core/base/alloc.h"
#include "core/hotspot/java_heap.h"
#include "core/hotspot/object_class.h"
#include "core/mem/accounting.h"

#include <stdlib.h>
#include <string.h>

enum {
	NETTIES = 8, /* copies of Netty with other names, as in gRPC */
	TRIES = 3,
};

/* A value above it is no number of bytes: 128 TB. */
#define BYTES_MOST  (INT64_C(1) << 47)

#define ATOMIC_LONG "java/util/concurrent/atomic/AtomicLong"
#define NETTY       "io/netty/util/internal/PlatformDependent"

struct direct_reader {
	struct accounting *a;
	struct java_heap *heap;
	struct object_layout objects;
	uint64_t atomic; /* Klass* of AtomicLong */
	uint32_t value;  /* offset in an AtomicLong */
	uint32_t mirror; /* offset in a Klass */
	bool is_handle;  /* the mirror is in an OopHandle (JDK 10) */
	/* Klass* of Bits, and of copies of Netty; 0 = there is none. */
	uint64_t bits, netties[NETTIES];
	struct object_fields *f;
};

/* Opens the heap, whose layout follows from two classes. */
static struct java_heap *direct_open_heap(struct accounting *a,
					  struct object_fields *f,
					  struct error *err)
{
	struct object_fields *string = xcalloc(1, sizeof(*string));
	struct java_heap *heap = NULL;
	struct object_shape shape;

	if (object_fields_read(&a->fields,
			       field_reader_class(&a->fields, "Thread"), f) &&
	    object_fields_read(&a->fields,
			       field_reader_class(&a->fields, "String"),
			       string) &&
	    object_shape_find(&shape, &a->fields, f, string))
		heap = java_heap_open(a->v, a->memory, &shape, err);
	else
		fail(err, ERROR_UNAVAILABLE,
		     "this JVM's tables lack the layout of objects");
	free(string);
	return heap;
}

static int direct_open(struct direct_reader *d, struct accounting *a,
		       struct error *err)
{
	uint32_t ignored;

	*d = (struct direct_reader){ .a = a };
	d->f = xcalloc(1, sizeof(*d->f));
	d->heap = direct_open_heap(a, d->f, err);
	if (!d->heap || object_layout_read(&d->objects, a->v, a->memory, err))
		return -1;
	d->is_handle = vm_structs_size(a->v, "OopHandle", &ignored);
	if (!vm_structs_offset(a->v, "Klass", "_java_mirror", &d->mirror))
		return fail(err, ERROR_UNAVAILABLE,
			    "this JVM's tables lack the mirrors of classes");
	class_graph_find(&a->classes, &a->fields, "java/nio/Bits", true,
			 &d->bits, 1);
	class_graph_find(&a->classes, &a->fields, NETTY, false, d->netties,
			 NETTIES);
	/* A JVM without AtomicLong has not counted yet. */
	if (class_graph_find(&a->classes, &a->fields, ATOMIC_LONG, true,
			     &d->atomic, 1) &&
	    (!object_fields_read(&a->fields, d->atomic, d->f) ||
	     !object_fields_find(d->f, "value", "J", &d->value)))
		return fail(err, ERROR_UNAVAILABLE,
			    "the fields of AtomicLong are unreadable");
	return 0;
}

static void direct_close(struct direct_reader *d)
{
	java_heap_close(d->heap);
	free(d->f);
}

static bool direct_find_mirror(struct direct_reader *d, uint64_t klass,
			       uint64_t *mirror)
{
	uint64_t at = klass + d->mirror;

	if (d->is_handle)
		at = memory_u64(d->a->memory, at);
	return at && java_heap_follow(d->heap, at, true, mirror) && *mirror;
}

/* Reads a number of bytes or buffers; false if it cannot be one. */
static bool direct_read_long(struct direct_reader *d, uint64_t at,
			     uint64_t *out)
{
	int64_t value = 0;

	if (!memory_read(d->a->memory, at, &value, sizeof(value)) ||
	    value < 0 || (value > BYTES_MOST && value != INT64_MAX))
		return false;
	*out = (uint64_t)value;
	return true;
}

/*
 * Reads the AtomicLong that a static field refers to; *is_null if it refers to
 * none.
 */
static bool direct_read_atomic(struct direct_reader *d, uint64_t mirror,
			       uint32_t field, uint64_t *out, bool *is_null)
{
	uint64_t object, header[2];

	*is_null = false;
	if (!java_heap_follow(d->heap, mirror + field, false, &object))
		return false;
	*is_null = object == 0;
	return object &&
	       memory_read(d->a->memory, object, header, sizeof(header)) &&
	       object_layout_klass(&d->objects, header) == d->atomic &&
	       direct_read_long(d, object + d->value, out);
}

/* The names were in lower case until JDK 9. */
static const struct bits_field {
	const char *names[2];
	size_t at;
} bits_fields[] = {
	{ { "COUNT", "count" }, offsetof(struct mem_direct, count) },
	{ { "TOTAL_CAPACITY", "totalCapacity" },
	  offsetof(struct mem_direct, capacity) },
	{ { "RESERVED_MEMORY", "reservedMemory" },
	  offsetof(struct mem_direct, reserved) },
};

static bool bits_read(struct direct_reader *d, uint64_t klass,
		      struct mem_direct *out)
{
	uint64_t mirror;
	uint32_t at;
	bool is_null;

	if (!direct_find_mirror(d, klass, &mirror) ||
	    !object_fields_read(&d->a->fields, klass, d->f))
		return false;
	for (size_t i = 0; i < sizeof(bits_fields) / sizeof(*bits_fields);
	     i++) {
		const struct bits_field *b = &bits_fields[i];
		uint64_t *to = (void *)((char *)out + b->at);

		if ((!object_fields_find_static(d->f, b->names[0], &at) &&
		     !object_fields_find_static(d->f, b->names[1], &at)) ||
		    !direct_read_atomic(d, mirror, at, to, &is_null))
			return false;
	}
	if (object_fields_find_static(d->f, "MAX_MEMORY", &at) ||
	    object_fields_find_static(d->f, "maxMemory", &at))
		direct_read_long(d, mirror + at, &out->max);
	return true;
}

static bool netty_read(struct direct_reader *d, uint64_t klass,
		       struct mem_direct *out)
{
	uint64_t mirror, value = 0;
	bool is_null = true;
	uint32_t at;

	if (!direct_find_mirror(d, klass, &mirror) ||
	    !object_fields_read(&d->a->fields, klass, d->f))
		return false;
	/* Netty has no counter if it makes buffers with Cleaners. */
	if (!object_fields_find_static(d->f, "DIRECT_MEMORY_COUNTER", &at))
		return true;
	if (!direct_read_atomic(d, mirror, at, &value, &is_null))
		return is_null;
	out->has_netty = true;
	out->netty += value;
	return true;
}

/* Reads all counters; false if a collection has moved objects meanwhile. */
static bool direct_read_all(struct direct_reader *d, struct mem_direct *out)
{
	uint32_t before, after;

	*out = (struct mem_direct){ 0 };
	if (!java_heap_epoch(d->heap, &before))
		return false;
	if (d->bits ? !bits_read(d, d->bits, out) : !d->a->classes.is_complete)
		return false;
	for (size_t i = 0; i < NETTIES && d->netties[i]; i++) {
		if (!netty_read(d, d->netties[i], out))
			return false;
	}
	return java_heap_epoch(d->heap, &after) && before == after;
}

void account_direct(struct accounting *a)
{
	struct mem_direct *out = &a->out->direct;
	struct direct_reader d;
	struct error err;

	if (!a->has_classes)
		return;
	if (direct_open(&d, a, &err)) {
		account_limit(a,
			      "the counters of direct buffers are unknown: "
			      "%s",
			      err.text);
	} else {
		/* Without the class Bits, there are no direct buffers. */
		for (int i = 0; i < TRIES && !out->is_known; i++)
			out->is_known = direct_read_all(&d, out);
		if (!out->is_known) {
			*out = (struct mem_direct){ 0 };
			account_limit(a, "the counters of direct buffers are "
					 "unreadable");
		}
	}
	direct_close(&d);
}
