/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/lock_classes.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/hotspot/object_class.h"

#include <stdlib.h>
#include <string.h>

enum {
	CLASSES_MOST = 1 << 12,
	SUPERS_MOST = 32, /* superclasses of a class */
	NAME_MOST = 96,   /* longer names are none of the JDK's below */
};

struct lock_classes {
	struct memory *memory;
	const struct field_reader *reader;
	struct object_layout layout;
	struct object_classes *names;
	uint32_t super; /* offset in Klass */
	struct map64 by_klass;
	/* Each is allocated on its own, so that it keeps its address. */
	struct lock_class **all;
	size_t count, cap;
};

struct lock_classes *lock_classes_open(const struct vm_structs *v,
				       struct memory *memory,
				       const struct field_reader *fields,
				       struct error *err)
{
	struct lock_classes *c = xcalloc(1, sizeof(*c));

	c->memory = memory;
	c->reader = fields;
	if (object_layout_read(&c->layout, v, memory, err))
		goto fail;
	if (!vm_structs_offset(v, "Klass", "_super", &c->super) ||
	    c->super > METADATA_STRUCT_MOST) {
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

/* Reads the name of a class; "" if it is unreadable, or too long. */
static void classes_read_name(struct lock_classes *c, uint64_t klass,
			      char name[NAME_MOST])
{
	const struct method_layout *l = &c->layout.method;
	uint64_t symbol = memory_u64(c->memory, klass + l->klass_name);
	uint16_t len = 0;

	*name = '\0';
	if (symbol < OBJECT_LOWEST || symbol >> 47 ||
	    !memory_read(c->memory, symbol + l->symbol_length, &len,
			 sizeof(len)) ||
	    len >= NAME_MOST ||
	    !memory_read(c->memory, symbol + l->symbol_body, name, len))
		return;
	name[len] = '\0';
}

/* A field that a class of the JDK declares. */
struct lock_field {
	const char *class_name, *field;
	size_t member; /* offset of a uint32_t in struct lock_class */
};

#define LOCKS "java/util/concurrent/locks/"
#define FIELD(class_name, field, m)                                            \
	{                                                                      \
		LOCKS class_name, field, offsetof(struct lock_class, m)        \
	}

/*
 * A queue's node has its thread in waiter since JDK 14, in thread before
 * (JDK-8229442).
 */
static const struct lock_field lock_fields[] = {
	FIELD("AbstractOwnableSynchronizer", "exclusiveOwnerThread", owner),
	FIELD("AbstractQueuedSynchronizer", "tail", tail),
	FIELD("AbstractQueuedLongSynchronizer", "tail", tail),
	FIELD("AbstractQueuedSynchronizer$ConditionObject", "this$0", sync),
	FIELD("AbstractQueuedLongSynchronizer$ConditionObject", "this$0", sync),
	FIELD("AbstractQueuedSynchronizer$Node", "waiter", node_thread),
	FIELD("AbstractQueuedSynchronizer$Node", "thread", node_thread),
	FIELD("AbstractQueuedSynchronizer$Node", "prev", node_prev),
	FIELD("AbstractQueuedLongSynchronizer$Node", "waiter", node_thread),
	FIELD("AbstractQueuedLongSynchronizer$Node", "thread", node_thread),
	FIELD("AbstractQueuedLongSynchronizer$Node", "prev", node_prev),
};

/* Adds what a superclass, or the class itself, says. */
static void class_add_super(struct lock_classes *c, uint64_t klass,
			    const char *name, struct lock_class *out)
{
	struct object_fields *f = NULL;

	if (strcmp(name, "java/lang/Thread") == 0)
		out->is_thread = true;
	if (strcmp(name, "java/lang/BaseVirtualThread") == 0)
		out->is_virtual_thread = true;
	for (size_t i = 0; i < sizeof(lock_fields) / sizeof(*lock_fields);
	     i++) {
		const struct lock_field *l = &lock_fields[i];

		if (strcmp(name, l->class_name) != 0)
			continue;
		if (!f) {
			f = xcalloc(1, sizeof(*f));
			object_fields_read(c->reader, klass, f);
		}
		object_fields_find(f, l->field, NULL,
				   (uint32_t *)((char *)out + l->member));
	}
	free(f);
}

static struct lock_class *class_read(struct lock_classes *c, uint64_t klass,
				     const char *name, size_t len)
{
	struct lock_class *l = xcalloc(1, sizeof(*l));

	l->name = xstrndup(name, len);
	for (int i = 0; i < SUPERS_MOST && klass >= OBJECT_LOWEST; i++) {
		char super[NAME_MOST];

		classes_read_name(c, klass, super);
		class_add_super(c, klass, super, l);
		klass = memory_u64(c->memory, klass + c->super);
	}
	return l;
}

const struct lock_class *lock_classes_get(struct lock_classes *c,
					  const uint64_t header[2])
{
	uint64_t klass = object_layout_klass(&c->layout, header);
	size_t len;
	const char *name = object_classes_name(c->names, header, &len);
	uint32_t at;

	if (!name)
		return NULL;
	at = map64_get(&c->by_klass, klass);
	if (at == MAP64_NONE) {
		if (c->count == CLASSES_MOST)
			return NULL;
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
