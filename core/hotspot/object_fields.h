/* SPDX-License-Identifier: Apache-2.0 */
/*
 * object_fields: the fields of Java classes, and the layout of Java objects.
 *
 * Field offsets come from the JVM's classes (InstanceKlass); the layout of
 * object headers follows from them.
 */
#ifndef CORE_HOTSPOT_OBJECT_FIELDS_H
#define CORE_HOTSPOT_OBJECT_FIELDS_H

#include "core/base/error.h"
#include "core/hotspot/vm_structs.h"
#include "core/process/memory.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	OBJECT_WORD = 8,
	OBJECT_LOWEST = 4096, /* all objects have higher addresses */
	OBJECT_FIELDS_MOST = 128,
	OBJECT_FIELD_NAME_MOST = 32,
	OBJECT_OFFSET_MOST = 1024, /* maximum offset of a field */
	OBJECT_HEADER_LEAST = 8,   /* with compact headers (JEP 450) */
	OBJECT_HEADER_NARROW = 12, /* with compressed class pointers */
	OBJECT_HEADER_MOST = 16,
};

/* The next multiple of a word. */
static inline uint32_t object_align(uint32_t offset)
{
	return (offset + OBJECT_WORD - 1) / OBJECT_WORD * OBJECT_WORD;
}

/* A field that a class declares. */
struct object_field {
	uint32_t name_index, signature_index;
	uint32_t offset; /* of a static field: in the class's mirror */
	bool is_static;
	/* The JVM added it (JDK 21 and later). */
	bool is_injected;
	/* "" when unreadable, or too long */
	char name[OBJECT_FIELD_NAME_MOST], signature[OBJECT_FIELD_NAME_MOST];
};

struct object_fields {
	struct object_field all[OBJECT_FIELDS_MOST];
	size_t count;
};

/* Both pointers are borrowed. */
struct field_reader {
	const struct vm_structs *v;
	struct memory *memory;
	uint32_t constants;                  /* of InstanceKlass */
	uint32_t pool_size;                  /* of ConstantPool */
	uint32_t symbol_length, symbol_body; /* of Symbol */
};

/*
 * Reads the offsets that lead to fields, given v and memory.  ERROR_UNAVAILABLE
 * if the JVM does not export them.
 */
int field_reader_init(struct field_reader *r, const struct vm_structs *v,
		      struct memory *memory, struct error *err);

/*
 * Returns the JDK version; 0 for JDK 8, whose HotSpot has another version, and
 * for JVMs without a version.
 */
uint32_t field_reader_jdk(const struct field_reader *r);

/*
 * Returns the InstanceKlass of a class that the JVM lists by name ("Thread"); 0
 * = not loaded, or not listed.
 */
uint64_t field_reader_class(const struct field_reader *r, const char *name);

/*
 * Reads the fields that a class declares, given its InstanceKlass, without
 * those of its superclasses. Returns false if there are none.
 */
bool object_fields_read(const struct field_reader *r, uint64_t class_at,
			struct object_fields *f);

/*
 * Finds a field of objects that the JVM did not inject. signature NULL = any.
 * Returns false, with *out unchanged, if there is none.
 */
bool object_fields_find(const struct object_fields *f, const char *name,
			const char *signature, uint32_t *out);

/* The same for a static field, whose offset is that in the class's mirror. */
bool object_fields_find_static(const struct object_fields *f, const char *name,
			       uint32_t *out);
/* The same for a field that the JVM injected (JDK 21 and later). */
bool object_fields_find_injected(const struct object_fields *f,
				 const char *name, uint32_t *out);

/* The layout of all objects. */
struct object_shape {
	uint32_t header; /* size of an object's header: 8, 12 or 16 bytes */
	uint32_t array_length, array_data;
	uint32_t class_shift; /* shift of the class in a header of 8 bytes */
	/* References in objects have 4 bytes, which must be decoded, or 8. */
	bool is_narrow;
	uint64_t narrow_base;
	uint32_t narrow_shift;
};

/*
 * Finds the layout from the fields of java.lang.Thread and java.lang.String.
 * Returns false if they contradict each other.
 */
bool object_shape_find(struct object_shape *s, const struct field_reader *r,
		       const struct object_fields *thread,
		       const struct object_fields *string);

/* Returns the number of bytes of a reference in an object. */
static inline size_t object_reference_bytes(const struct object_shape *s)
{
	return s->is_narrow ? 4 : OBJECT_WORD;
}

/*
 * Returns the address that a reference of 4 or 8 bytes in an object leads to,
 * as java_reference_decode().
 */
uint64_t object_shape_decode(const struct object_shape *s, uint64_t value);

/*
 * Returns the address that an 8-byte reference leads to, without the color
 * bits of ZGC.  Returns 0 for null and for values that are not references.
 */
uint64_t java_reference_decode(uint64_t value);

#endif
