/* SPDX-License-Identifier: Apache-2.0 */
#include "core/push/push_resource.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/protobuf.h"
#include "core/formats/otlp_fields.h"
#include "core/process/mappings.h"
#include "core/process/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	CONTEXT_VERSION = 2,
	CONTEXT_MAX = 64 * 1024,
	/* A process may map any number, and each is read while JVMs wait. */
	CONTEXTS_MAX = 4,
};

/* At the start of the mapping. */
struct context_header {
	char signature[8]; /* "OTEL_CTX" */
	uint32_t version, size;
	uint64_t published; /* time in ns; 0 = it is being written */
	uint64_t payload;   /* address of a ProcessContext */
};

static bool context_is_mapping(const struct mapping *m)
{
	return has_any(m->path,
		       "[anon:OTEL_CTX]|[anon_shmem:OTEL_CTX]|/memfd:OTEL_CTX",
		       true);
}

static bool context_read_header(struct memory *m, uint64_t address,
				struct context_header *h)
{
	return memory_read(m, address, h, sizeof(*h)) &&
	       memcmp(h->signature, "OTEL_CTX", sizeof(h->signature)) == 0 &&
	       h->version == CONTEXT_VERSION && h->size &&
	       h->size <= CONTEXT_MAX && h->published;
}

/* Commas and '%' would end a value. */
static void context_add_text(struct text *out, const struct cursor *bytes)
{
	for (size_t i = 0; i < cursor_left(bytes); i++) {
		unsigned char c = bytes->at[i];

		if (c <= ' ' || strchr(",=%", c))
			text_printf(out, "%%%02X", c);
		else
			text_putc(out, (char)c);
	}
}

static void context_add_pair(struct cursor pair, struct text *out)
{
	struct cursor key = cursor_over("", 0), value = cursor_over("", 0);
	struct protobuf_field f, any;

	while (protobuf_next(&pair, &f)) {
		if (f.type != PROTOBUF_BYTES)
			continue;
		if (f.number == KEY_VALUE_KEY)
			key = f.bytes;
		while (f.number == KEY_VALUE_VALUE &&
		       protobuf_next(&f.bytes, &any))
			if (any.number == VALUE_STRING &&
			    any.type == PROTOBUF_BYTES)
				value = any.bytes;
	}
	if (!cursor_left(&key) || !cursor_left(&value))
		return;
	if (out->len)
		text_putc(out, ',');
	context_add_text(out, &key);
	text_putc(out, '=');
	context_add_text(out, &value);
}

/* ProcessContext {1 Resource {1 attributes}}. */
static void context_add_all(struct cursor payload, struct text *out)
{
	struct protobuf_field resource, attribute;

	while (protobuf_next(&payload, &resource)) {
		if (resource.number != 1 || resource.type != PROTOBUF_BYTES)
			continue;
		while (protobuf_next(&resource.bytes, &attribute))
			if (attribute.number == 1 &&
			    attribute.type == PROTOBUF_BYTES)
				context_add_pair(attribute.bytes, out);
	}
}

/* The time is compared after reading: the process may write a new one. */
static bool context_read_at(struct memory *m, uint64_t address,
			    struct text *out)
{
	struct context_header before, after;
	uint8_t *payload;
	bool ok = false;

	if (!context_read_header(m, address, &before))
		return false;
	payload = xmalloc(before.size);
	if (memory_read(m, before.payload, payload, before.size) &&
	    context_read_header(m, address, &after) &&
	    memcmp(&before, &after, sizeof(after)) == 0) {
		context_add_all(cursor_over(payload, before.size), out);
		ok = out->len;
	}
	free(payload);
	return ok;
}

bool push_context_read(const struct jvm *jvm, struct text *out)
{
	struct remote_memory *memory = NULL;
	struct mappings maps = { 0 };
	bool ok = false;
	int left = CONTEXTS_MAX;

	if (mappings_read(&maps, jvm, error_unused()))
		return false;
	for (size_t i = 0; i < maps.count && !ok && left; i++) {
		if (!context_is_mapping(&maps.all[i]))
			continue;
		left--;
		if (!memory)
			memory = remote_memory_open(jvm, NULL, error_unused());
		if (!memory)
			break;
		ok = context_read_at(remote_memory_of(memory),
				     maps.all[i].start, out);
	}
	remote_memory_close(memory);
	mappings_release(&maps);
	return ok;
}
