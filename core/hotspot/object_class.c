/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/object_class.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/hotspot/vm_flags.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST = 1 << 16,   /* maximum number of classes; JVMs with more are
			     unlikely */
	NAME_MOST = 4096, /* bytes of a name */
	LOWEST = 4096,
	SYMBOL_HEAD = 8, /* bytes; checked by metadata_layout */
};

struct known_class {
	uint64_t klass, symbol;
	uint32_t mark; /* symbol_mark() of the symbol */
	uint32_t batch;
	char *name; /* NULL = unreadable */
	size_t len;
};

struct object_classes {
	struct memory *memory;
	struct object_layout layout;
	struct map64 by_klass; /* index */
	struct known_class *all;
	size_t count, cap;
	uint32_t batch;
};

int object_layout_read(struct object_layout *o, const struct vm_structs *v,
		       struct memory *memory, struct error *err)
{
	const struct vm_flag flags[] = {
		{ "UseCompressedClassPointers", &o->is_narrow },
		{ "UseCompactObjectHeaders", &o->is_compact },
	};
	struct metadata_layout l = { 0 };
	int64_t shift = 0;

	if (metadata_layout_read(&l, v, memory, err))
		return -1;
	*o = (struct object_layout){
		.method = l.method, .is_narrow = true, /* always since JDK 27 */
	};
	vm_flags_read(v, memory, flags, sizeof(flags) / sizeof(*flags));
	if (!o->is_narrow)
		return 0;
	if (!class_encoding_read(v, memory, &o->base, &o->shift))
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM does not export the encoding of classes");
	if (o->is_compact &&
	    (!vm_structs_constant(v, "markWord::klass_shift", &shift) ||
	     shift < 32 || shift > 63))
		return fail(err, ERROR_UNAVAILABLE,
			    "the JVM does not export the layout of compact "
			    "headers");
	o->mark_shift = (uint32_t)shift;
	return 0;
}

struct object_classes *object_classes_new(const struct object_layout *layout,
					  struct memory *memory)
{
	struct object_classes *c = xcalloc(1, sizeof(*c));

	c->layout = *layout;
	c->memory = memory;
	return c;
}

void object_classes_free(struct object_classes *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->count; i++)
		free(c->all[i].name);
	map64_release(&c->by_klass);
	free(c->all);
	free(c);
}

void object_classes_begin(struct object_classes *c) { c->batch++; }

uint64_t object_layout_klass(const struct object_layout *l,
			     const uint64_t header[2])
{
	uint64_t narrow = (uint32_t)header[1];

	if (!l->is_narrow)
		return header[1];
	if (l->is_compact)
		narrow = (header[0] & 3) == 3 ? 0 : header[0] >> l->mark_shift;
	return narrow ? l->base + (narrow << l->shift) : 0;
}

/*
 * Returns true for a possible class name, which has none of these characters
 * (JVMS 4.2.1).
 */
static bool class_name_is_valid(const char *name, size_t len)
{
	bool is_array = len && *name == '[';

	for (size_t i = 0; i < len; i++) {
		if (name[i] == '\0' || name[i] == '.' ||
		    (name[i] == ';' && !(is_array && i == len - 1)) ||
		    (name[i] == '[' && !is_array))
			return false;
	}
	return len > 0;
}

/* Checks or reads the name of a class; false when it is gone or unreadable. */
static bool class_check(struct object_classes *c, struct known_class *k)
{
	const struct method_layout *l = &c->layout.method;
	uint8_t head[SYMBOL_HEAD];
	uint64_t symbol = 0;
	uint32_t mark;

	if (k->klass < LOWEST || k->klass > UINT64_MAX >> 1 ||
	    !memory_read(c->memory, k->klass + l->klass_name, &symbol,
			 sizeof(symbol)) ||
	    symbol < LOWEST || symbol > UINT64_MAX >> 1 ||
	    !memory_read(c->memory, symbol, head, sizeof(head)))
		return false;
	mark = symbol_mark(l, head);
	if (k->name && symbol == k->symbol && mark == k->mark)
		return true;
	free(k->name);
	k->name = NULL;
	k->symbol = symbol;
	k->mark = mark;
	k->len = mark & UINT16_MAX;
	if (!k->len || k->len > NAME_MOST)
		return false;
	k->name = xmalloc(k->len);
	return memory_read(c->memory, symbol + l->symbol_body, k->name,
			   k->len) &&
	       class_name_is_valid(k->name, k->len);
}

static struct known_class *classes_find(struct object_classes *c,
					uint64_t klass)
{
	uint32_t at = map64_get(&c->by_klass, klass);

	if (at != MAP64_NONE)
		return &c->all[at];
	if (c->count == MOST)
		return NULL;
	array_reserve(c->all, c->cap, c->count + 1);
	map64_add(&c->by_klass, klass, (uint32_t)c->count);
	c->all[c->count] = (struct known_class){ .klass = klass,
						 .batch = c->batch - 1 };
	return &c->all[c->count++];
}

const char *object_classes_name(struct object_classes *c,
				const uint64_t header[2], size_t *len)
{
	uint64_t klass = object_layout_klass(&c->layout, header);
	struct known_class *k = klass ? classes_find(c, klass) : NULL;

	if (!k)
		return NULL;
	if (k->batch != c->batch && !class_check(c, k)) {
		free(k->name);
		k->name = NULL;
	}
	k->batch = c->batch;
	*len = k->len;
	return k->name;
}
