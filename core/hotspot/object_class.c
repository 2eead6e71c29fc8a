/* SPDX-License-Identifier: Apache-2.0 */
#include "core/hotspot/object_class.h"

#include "core/base/alloc.h"
#include "core/base/map64.h"
#include "core/process/memory_strings.h"
#include "core/process/raw.h"

#include <stdlib.h>
#include <string.h>

enum {
	MOST = 1 << 16,   /* maximum number of classes; JVMs with more are
			     unlikely */
	NAME_MOST = 4096, /* bytes of a name */
	LOWEST = 4096,
	SYMBOL_HEAD = 8, /* bytes; checked by metadata_layout */
	FLAGS_MOST = 1 << 14,
	FLAG_BYTES_MOST = 256,
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

/* The layout of the JVM's table of flags. */
struct flag_layout {
	uint64_t flags, count;
	uint32_t size, name, value;
};

static bool flags_find(struct flag_layout *l, const struct vm_structs *v,
		       struct memory *memory)
{
	/* The type had the second name until JDK 9, the fields until JDK 16. */
	static const char *const types[] = { "JVMFlag", "Flag" };
	static const char *const fields[][2] = { { "_name", "_addr" },
						 { "name", "addr" } };
	uint64_t flags, count;

	for (size_t i = 0; i < 4; i++) {
		const char *type = types[i / 2];

		if (!vm_structs_static(v, type, "flags", &flags) ||
		    !vm_structs_static(v, type, "numFlags", &count) ||
		    !vm_structs_size(v, type, &l->size) ||
		    !vm_structs_offset(v, type, fields[i % 2][0], &l->name) ||
		    !vm_structs_offset(v, type, fields[i % 2][1], &l->value))
			continue;
		l->flags = memory_u64(memory, flags);
		l->count = memory_u64(memory, count);
		return l->flags && l->count <= FLAGS_MOST &&
		       l->size <= FLAG_BYTES_MOST &&
		       l->name + sizeof(uint64_t) <= l->size &&
		       l->value + sizeof(uint64_t) <= l->size;
	}
	return false;
}

/*
 * Reads a boolean flag; leaves *value unchanged if this JVM does not have it.
 */
static void flags_read_one(const struct flag_layout *l, const uint8_t *table,
			   const struct memory_strings *names,
			   struct memory *memory, const char *name, bool *value)
{
	for (uint64_t i = 0; i < l->count; i++) {
		const uint8_t *flag = table + i * l->size;
		size_t len;
		const char *text = memory_strings_at(
			names, raw_u64(flag, l->name), &len);
		uint8_t byte;

		if (text && len == strlen(name) &&
		    memcmp(text, name, len) == 0 &&
		    memory_read(memory, raw_u64(flag, l->value), &byte, 1))
			*value = byte != 0;
	}
}

static void flags_read(struct object_layout *o, const struct vm_structs *v,
		       struct memory *memory)
{
	struct memory_strings names = { 0 };
	struct flag_layout l;
	uint64_t *addresses;
	uint8_t *table;
	size_t len;

	if (!flags_find(&l, v, memory))
		return;
	len = (size_t)l.count * l.size;
	table = xcalloc(len + 1, 1);
	addresses = xcalloc((size_t)l.count + 1, sizeof(*addresses));
	if (memory_read(memory, l.flags, table, len)) {
		for (uint64_t i = 0; i < l.count; i++)
			addresses[i] = raw_u64(table + i * l.size, l.name);
		memory_strings_read(&names, memory, addresses, (size_t)l.count);
		flags_read_one(&l, table, &names, memory,
			       "UseCompressedClassPointers", &o->is_narrow);
		flags_read_one(&l, table, &names, memory,
			       "UseCompactObjectHeaders", &o->is_compact);
		memory_strings_release(&names);
	}
	free(addresses);
	free(table);
}

int object_layout_read(struct object_layout *o, const struct vm_structs *v,
		       struct memory *memory, struct error *err)
{
	struct metadata_layout l = { 0 };
	int64_t shift = 0;

	if (metadata_layout_read(&l, v, memory, err))
		return -1;
	*o = (struct object_layout){
		.method = l.method, .is_narrow = true, /* always since JDK 27 */
	};
	flags_read(o, v, memory);
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

/*
 * While the collector moves an object, both lowest bits of its mark word are
 * set, the rest is the new address, and a compact header has no class.
 */
static uint64_t object_klass(const struct object_layout *l,
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
	uint64_t klass = object_klass(&c->layout, header);
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
