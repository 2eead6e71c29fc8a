/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/lock_classes.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/hotspot/object_class.h"

#include <stdlib.h>
#include <string.h>

enum {
	CLASSES_MOST = 1 << 10,
	SUPERS_MOST = 32, /* superclasses of a class */
	NAME_MOST = 96,   /* longer names are none of the JDK's below */
};

/* A field that a class of the JDK declares. */
struct known_field {
	enum lock_field at;
	const char *class_name, *field;
};

#define CONCURRENT  "java/util/concurrent/"
#define SYNC        CONCURRENT "locks/AbstractQueuedSynchronizer"
#define LONG_SYNC   CONCURRENT "locks/AbstractQueuedLongSynchronizer"
#define MAP         CONCURRENT "ConcurrentHashMap"
#define STACK_CHUNK "jdk/internal/vm/StackChunk"

/*
 * A queue's node has its thread in waiter since JDK 14, in thread before
 * (JDK-8229442).
 */
/* clang-format off */
static const struct known_field known_fields[] = {
	{ LOCK_OWNER, CONCURRENT "locks/AbstractOwnableSynchronizer",
	  "exclusiveOwnerThread" },
	{ LOCK_TAIL, SYNC, "tail" },
	{ LOCK_TAIL, LONG_SYNC, "tail" },
	{ LOCK_SYNC, SYNC "$ConditionObject", "this$0" },
	{ LOCK_SYNC, LONG_SYNC "$ConditionObject", "this$0" },
	{ LOCK_NODE_THREAD, SYNC "$Node", "waiter" },
	{ LOCK_NODE_THREAD, SYNC "$Node", "thread" },
	{ LOCK_NODE_PREV, SYNC "$Node", "prev" },
	{ LOCK_NODE_THREAD, LONG_SYNC "$Node", "waiter" },
	{ LOCK_NODE_THREAD, LONG_SYNC "$Node", "thread" },
	{ LOCK_NODE_PREV, LONG_SYNC "$Node", "prev" },
	{ LOCK_CONTINUATION, "java/lang/VirtualThread", "cont" },
	{ LOCK_CHUNK, "jdk/internal/vm/Continuation", "tail" },
	{ LOCK_CHUNK_LOCKS, STACK_CHUNK, "lockStackSize" },
	{ LOCK_CHUNK_STACK, STACK_CHUNK, "" },
	{ LOCK_OBJECT_WAITER, "java/lang/VirtualThread", "objectWaiter" },
	{ LOCK_VIEW_MAP, MAP "$CollectionView", "map" },
	{ LOCK_MAP_TABLE, MAP, "table" },
	{ LOCK_ENTRY_KEY, MAP "$Node", "key" },
	{ LOCK_ENTRY_NEXT, MAP "$Node", "next" },
	{ LOCK_TREE_FIRST, MAP "$TreeBin", "first" },
	{ LOCK_REFERENT, "java/lang/ref/Reference", "referent" },
	{ LOCK_CONTAINER_THREADS, CONCURRENT "ThreadPerTaskExecutor",
	  "threads" },
	{ LOCK_CONTAINER_THREADS, "jdk/internal/misc/ThreadFlock", "threads" },
};
/* clang-format on */

enum { KNOWN_FIELDS = sizeof(known_fields) / sizeof(*known_fields) };

/* The offset of a known field in a class that was read. */
struct known_offset {
	uint64_t klass;
	uint32_t offset;
};

struct lock_classes {
	struct memory *memory;
	const struct field_reader *reader;
	struct object_layout layout;
	struct object_classes *names;
	uint32_t super; /* offset in Klass */
	uint32_t reference_bytes;
	struct known_offset offsets[KNOWN_FIELDS];
	struct map64 by_klass;
	/* Each is allocated on its own, so that it keeps its address. */
	struct lock_class **all;
	size_t count, cap;
};

struct lock_classes *lock_classes_open(const struct vm_structs *v,
				       struct memory *memory,
				       const struct field_reader *fields,
				       const struct object_shape *shape,
				       struct error *err)
{
	struct lock_classes *c = xcalloc(1, sizeof(*c));

	c->memory = memory;
	c->reader = fields;
	c->reference_bytes = (uint32_t)object_reference_bytes(shape);
	if (object_layout_read(&c->layout, v, memory, err))
		goto fail;
	if (!metadata_offset(v, "Klass", "_super", &c->super)) {
		fail(err, ERROR_UNAVAILABLE,
		     "this JVM's tables lack superclasses");
		goto fail;
	}
	c->names = object_classes_new(&c->layout, memory);
	return c;
fail:
	free(c);
	return NULL;
}

void lock_classes_close(struct lock_classes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++) {
		free((char *)c->all[i]->name);
		free(c->all[i]);
	}
	free(c->all);
	map64_release(&c->by_klass);
	object_classes_free(c->names);
	free(c);
}

void lock_classes_begin(struct lock_classes *c)
{
	object_classes_begin(c->names);
}

/*
 * Reads the name and the superclass of a class; "" if the name is unreadable,
 * or too long.
 */
static uint64_t classes_read_super(struct lock_classes *c, uint64_t klass,
				   char name[NAME_MOST])
{
	const struct method_layout *l = &c->layout.method;
	uint64_t symbol = 0, super = 0;
	struct memory_range r[] = {
		{ klass + l->klass_name, &symbol, sizeof(symbol), false },
		{ klass + c->super, &super, sizeof(super), false },
	};
	uint16_t len = 0;

	*name = '\0';
	c->memory->read_all(c->memory, r, 2);
	if (!r[0].is_read || !r[1].is_read || symbol < OBJECT_LOWEST ||
	    symbol >> 47)
		return 0;
	if (memory_read(c->memory, symbol + l->symbol_length, &len,
			sizeof(len)) &&
	    len < NAME_MOST &&
	    memory_read(c->memory, symbol + l->symbol_body, name, len))
		name[len] = '\0';
	else
		*name = '\0';
	return super;
}

/* Returns the end of the fields of objects, aligned to words. */
static uint32_t fields_end(const struct lock_classes *c,
			   const struct object_fields *f)
{
	uint32_t end = 0;

	for (size_t i = 0; i < f->count; i++) {
		const struct object_field *field = &f->all[i];
		char type = *field->signature;
		uint32_t bytes = type == 'J'   ? 8
				 : type == 'I' ? 4
				 : type == 'B' || type == 'Z'
					 ? 1
					 : c->reference_bytes;

		if (!field->is_static && field->offset + bytes > end)
			end = field->offset + bytes;
	}
	return object_align(end);
}

static uint32_t known_field_find(const struct lock_classes *c,
				 const struct known_field *k,
				 const struct object_fields *f)
{
	uint32_t offset = 0;

	if (k->at == LOCK_CHUNK_STACK)
		return fields_end(c, f);
	if (k->at == LOCK_OBJECT_WAITER || k->at == LOCK_CHUNK_LOCKS)
		object_fields_find_injected(f, k->field, &offset);
	else
		object_fields_find(f, k->field, NULL, &offset);
	return offset;
}

/* Adds what a superclass, or the class itself, says. */
static void class_add_super(struct lock_classes *c, uint64_t klass,
			    const char *name, struct lock_class *out)
{
	struct object_fields *f = NULL;

	if (strcmp(name, "java/lang/Thread") == 0)
		out->is_thread = true;
	if (strcmp(name, "java/lang/BaseVirtualThread") == 0)
		out->is_virtual_thread = true;
	for (size_t i = 0; i < KNOWN_FIELDS; i++) {
		const struct known_field *k = &known_fields[i];
		struct known_offset *o = &c->offsets[i];

		if (strcmp(name, k->class_name) != 0)
			continue;
		if (o->klass != klass) {
			if (!f) {
				f = xcalloc(1, sizeof(*f));
				object_fields_read(c->reader, klass, f);
			}
			*o = (struct known_offset){ klass,
						    known_field_find(c, k, f) };
		}
		if (o->offset)
			out->fields[k->at] = o->offset;
	}
	free(f);
}

static struct lock_class *class_read(struct lock_classes *c, uint64_t klass,
				     const char *name, size_t len)
{
	struct lock_class *l = xcalloc(1, sizeof(*l));

	l->name = xstrndup(name, len);
	for (int i = 0; i < SUPERS_MOST && klass >= OBJECT_LOWEST; i++) {
		char super_name[NAME_MOST];
		uint64_t super = classes_read_super(c, klass, super_name);

		class_add_super(c, klass, super_name, l);
		klass = super;
	}
	return l;
}

const struct lock_class *lock_classes_get(struct lock_classes *c,
					  const uint64_t header[2])
{
	uint64_t klass = object_layout_klass(&c->layout, header);
	uint32_t at = map64_get(&c->by_klass, klass);
	const char *name;
	size_t len;

	if (!klass || (at == MAP64_NONE && c->count == CLASSES_MOST))
		return NULL;
	name = object_classes_name(c->names, header, &len);
	if (!name)
		return NULL;
	if (at == MAP64_NONE) {
		array_reserve(c->all, c->cap, c->count + 1);
		at = (uint32_t)c->count++;
		c->all[at] = class_read(c, klass, name, len);
		map64_add(&c->by_klass, klass, at);
	}
	/* Another class may have the place of one that was unloaded. */
	if (strlen(c->all[at]->name) != len ||
	    memcmp(c->all[at]->name, name, len) != 0)
		return NULL;
	return c->all[at];
}

const struct lock_class *lock_classes_of(struct lock_classes *c,
					 uint64_t object)
{
	uint64_t header[2];

	return memory_read(c->memory, object, header, sizeof(header))
		       ? lock_classes_get(c, header)
		       : NULL;
}
