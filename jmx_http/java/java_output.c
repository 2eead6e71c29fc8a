/* SPDX-License-Identifier: Apache-2.0 */
#include "jmx_http/java/java_output.h"

#include "jmx_http/java/java_shapes.h"

#include <string.h>

/* Of a table for count keys, as java.util.HashMap computes it. */
#define MAP_LOAD_FACTOR 0x3f400000 /* 0.75 as a float */
#define MAP_BUCKETS_MAX (UINT32_C(1) << 30)

void java_output_release(struct java_output *o)
{
	map64_release(&o->strings);
	map64_release(&o->classes);
}

void java_output_reference(struct java_output *o, uint32_t handle)
{
	text_putc(o->out, TC_REFERENCE);
	java_write_u32(o->out, TC_BASE_HANDLE + handle);
}

/*
 * Writes a reference if the text has a handle; otherwise gives it the next one.
 * hash_bytes() is salted, so texts with colliding hashes cannot be prepared.
 */
static bool output_refer(struct java_output *o, struct map64 *handles,
			 const char *text, size_t len)
{
	uint64_t hash;
	uint32_t handle;

	if (o->has_no_references)
		return false;
	hash = hash_bytes(text, len);
	handle = map64_get(handles, hash);
	if (handle != MAP64_NONE) {
		java_output_reference(o, handle);
		return true;
	}
	map64_add(handles, hash, o->handles++);
	return false;
}

void java_output_string(struct java_output *o, const char *utf8, size_t len)
{
	if (!output_refer(o, &o->strings, utf8, len))
		java_write_string(o->out, utf8, len);
}

bool java_output_modified(struct java_output *o, struct java_bytes s)
{
	o->handles++;
	return java_write_modified(o->out, s);
}

void java_output_text(struct java_output *o, const char *utf8)
{
	if (utf8)
		java_output_string(o, utf8, strlen(utf8));
	else
		java_write_null(o->out);
}

static void output_name(struct java_output *o, const char *name)
{
	size_t len = strlen(name);

	java_write_u16(o->out, (uint16_t)len);
	text_add(o->out, name, len);
}

static void output_fields(struct java_output *o, const struct java_shape *shape)
{
	size_t most = sizeof(shape->fields) / sizeof(*shape->fields);
	size_t count = 0;

	while (count < most && shape->fields[count].name)
		count++;
	java_write_u16(o->out, (uint16_t)count);
	for (size_t i = 0; i < count; i++) {
		const struct java_shape_field *f = &shape->fields[i];

		text_putc(o->out, f->type);
		output_name(o, f->name);
		if (f->signature)
			java_output_text(o, f->signature);
	}
}

void java_output_class(struct java_output *o, const struct java_shape *shape)
{
	for (; shape; shape = shape->super) {
		if (output_refer(o, &o->classes, shape->name,
				 strlen(shape->name)))
			return;
		text_putc(o->out, TC_CLASSDESC);
		output_name(o, shape->name);
		java_write_u64(o->out, shape->suid);
		text_putc(o->out, (char)shape->flags);
		output_fields(o, shape);
		if (o->dialect == JAVA_OF_RMI)
			java_write_null(o->out);
		java_write_end(o->out);
	}
	java_write_null(o->out);
}

uint32_t java_output_object(struct java_output *o,
			    const struct java_shape *shape)
{
	text_putc(o->out, TC_OBJECT);
	java_output_class(o, shape);
	return o->handles++;
}

uint32_t java_output_array(struct java_output *o, const char *class_name,
			   uint32_t count)
{
	const struct java_shape shape = {
		.name = class_name,
		.suid = java_array_suid(class_name),
		.flags = JAVA_SERIALIZABLE,
	};

	text_putc(o->out, TC_ARRAY);
	java_output_class(o, &shape);
	java_write_u32(o->out, count);
	return o->handles++;
}

void java_output_object_name(struct java_output *o, const char *name)
{
	java_output_object(o, &java_shape_object_name);
	java_output_text(o, name);
	java_write_end(o->out);
}

void java_output_strings(struct java_output *o, const char *const *strings,
			 size_t count)
{
	java_output_array(o, "[Ljava.lang.String;", (uint32_t)count);
	for (size_t i = 0; i < count; i++)
		java_output_text(o, strings[i]);
}

/* Collections: java.util.X.writeObject() of JDK 17. */

void java_output_list(struct java_output *o, uint32_t count)
{
	java_output_object(o, &java_shape_array_list);
	java_write_u32(o->out, count);
	java_write_block(o->out, 4);
	java_write_u32(o->out, count);
}

static uint32_t output_buckets(uint32_t count)
{
	uint32_t buckets = 16;

	while (buckets < MAP_BUCKETS_MAX && buckets / 4 * 3 < count)
		buckets *= 2;
	return buckets;
}

void java_output_set(struct java_output *o, uint32_t count)
{
	java_output_object(o, &java_shape_hash_set);
	java_write_block(o->out, 12);
	java_write_u32(o->out, output_buckets(count));
	java_write_u32(o->out, MAP_LOAD_FACTOR);
	java_write_u32(o->out, count);
}

void java_output_map(struct java_output *o, uint32_t count)
{
	uint32_t buckets = output_buckets(count);

	java_output_object(o, &java_shape_linked_hash_map);
	java_write_u32(o->out, MAP_LOAD_FACTOR);
	java_write_u32(o->out, buckets / 4 * 3);
	java_write_block(o->out, 8);
	java_write_u32(o->out, buckets);
	java_write_u32(o->out, count);
}

/* The field of LinkedHashMap follows the annotations of HashMap. */
void java_output_map_end(struct java_output *o)
{
	java_write_end(o->out);
	text_putc(o->out, 0); /* accessOrder */
}

void java_output_sorted_map(struct java_output *o, uint32_t count)
{
	java_output_object(o, &java_shape_tree_map);
	java_write_null(o->out);
	java_write_block(o->out, 4);
	java_write_u32(o->out, count);
}
