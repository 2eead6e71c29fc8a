/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/jfr_builder.h"

#include "core/base/alloc.h"
#include "core/formats/reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE 68

void jfr_put_varint(struct text *t, uint64_t value)
{
	for (unsigned i = 0; i < 8 && value >= 0x80; i++, value >>= 7)
		text_putc(t, (char)(value | 0x80));
	text_putc(t, (char)value);
}

void jfr_put_padded(struct text *t, uint64_t value, unsigned width)
{
	for (unsigned i = 1; i < width; i++, value >>= 7)
		text_putc(t, (char)(value | 0x80));
	text_putc(t, (char)(width == 9 ? value : value & 0x7f));
}

void jfr_put_bytes(struct text *t, uint8_t encoding, const char *bytes,
		   size_t len)
{
	text_putc(t, (char)encoding);
	jfr_put_varint(t, len);
	text_add(t, bytes, len);
}

void jfr_put_string(struct text *t, const char *utf8)
{
	jfr_put_bytes(t, 3, utf8, strlen(utf8));
}

static void put_big_endian(struct text *t, uint64_t value, unsigned bytes)
{
	while (bytes--)
		text_putc(t, (char)(value >> 8 * bytes));
}

void jfr_chunk_begin(struct jfr_chunk *c)
{
	*c = (struct jfr_chunk){
		.header = {
			.major = 2,
			.minor = 1,
			.start_ns = INT64_C(1700000000000000000),
			.duration_ns = 1000000000,
			.start_ticks = 5000,
			.ticks_per_second = 1000000000,
			.flags = 1,
		},
	};
	for (size_t i = 0; i < HEADER_SIZE; i++)
		text_putc(&c->bytes, 0);
}

void jfr_event_begin(struct jfr_chunk *c, uint64_t type)
{
	c->event = c->bytes.len;
	jfr_put_padded(&c->bytes, 0, 4);
	jfr_put_varint(&c->bytes, type);
}

void jfr_event_end(struct jfr_chunk *c)
{
	struct text size = { 0 };

	jfr_put_padded(&size, c->bytes.len - c->event, 4);
	memcpy(c->bytes.bytes + c->event, size.bytes, 4);
	text_release(&size);
}

/* ---- metadata ---- */

/* The strings of a metadata event, in their order, and its elements. */
struct metadata {
	struct text strings, elements;
	size_t count;
};

/*
 * Writes a reference to a string.  Equal strings are stored again, which is
 * valid.
 */
static void put_ref(struct metadata *m, const char *string)
{
	jfr_put_string(&m->strings, string);
	jfr_put_varint(&m->elements, m->count++);
}

static void put_pair(struct metadata *m, const char *key, const char *value)
{
	put_ref(m, key);
	put_ref(m, value);
}

static void put_id(struct metadata *m, const char *key, uint64_t id)
{
	struct text number = { 0 };

	text_printf(&number, "%" PRIu64, id);
	put_pair(m, key, number.bytes);
	text_release(&number);
}

static uint64_t annotation_id(const char *unit)
{
	switch (unit[4]) {
	case 's':
		return unit[5] == 't' ? T_TIMESTAMP : T_TIMESPAN;
	default:
		return T_AMOUNT;
	}
}

static void put_field(struct metadata *m, const struct jfr_field_spec *f)
{
	bool pool = f->how && strstr(f->how, "pool");
	bool array = f->how && strstr(f->how, "array");

	put_ref(m, "field");
	jfr_put_varint(&m->elements, 2u + pool + array);
	put_pair(m, "name", f->name);
	put_id(m, "class", f->type);
	if (pool)
		put_pair(m, "constantPool", "true");
	if (array)
		put_pair(m, "dimension", "1");
	jfr_put_varint(&m->elements, f->unit != NULL);
	if (f->unit) {
		put_ref(m, "annotation");
		jfr_put_varint(&m->elements, 2);
		put_id(m, "class", annotation_id(f->unit));
		put_pair(m, "value", strchr(f->unit, '=') + 1);
		jfr_put_varint(&m->elements, 0);
	}
}

static void put_type(struct metadata *m, const struct jfr_type_spec *t)
{
	size_t fields = 0;

	while (fields < 8 && t->fields[fields].name)
		fields++;
	put_ref(m, "class");
	jfr_put_varint(&m->elements, 2u + (t->super != NULL));
	put_id(m, "id", t->id);
	put_pair(m, "name", t->name);
	if (t->super)
		put_pair(m, "superType", t->super);
	jfr_put_varint(&m->elements, fields);
	for (size_t i = 0; i < fields; i++)
		put_field(m, &t->fields[i]);
}

void jfr_metadata(struct jfr_chunk *c, const struct jfr_type_spec *types,
		  size_t count)
{
	struct metadata m = { 0 };

	put_ref(&m, "root");
	jfr_put_varint(&m.elements, 0);
	jfr_put_varint(&m.elements, 2);
	put_ref(&m, "metadata");
	jfr_put_varint(&m.elements, 0);
	jfr_put_varint(&m.elements, count);
	for (size_t i = 0; i < count; i++)
		put_type(&m, &types[i]);
	put_ref(&m, "region");
	jfr_put_varint(&m.elements, 1);
	put_pair(&m, "locale", "en_US");
	jfr_put_varint(&m.elements, 0);
	jfr_event_begin(c, 0);
	c->header.metadata = c->event;
	jfr_put_varint(&c->bytes, 5000); /* start time */
	jfr_put_varint(&c->bytes, 0);    /* duration */
	jfr_put_varint(&c->bytes, 1);    /* id: starts at 1 in every JVM */
	jfr_put_varint(&c->bytes, m.count);
	text_add(&c->bytes, m.strings.bytes, m.strings.len);
	text_add(&c->bytes, m.elements.bytes, m.elements.len);
	jfr_event_end(c);
	text_release(&m.strings);
	text_release(&m.elements);
}

/* ---- checkpoints ---- */

void jfr_checkpoint_begin(struct jfr_chunk *c, uint64_t pools)
{
	uint64_t before = c->header.checkpoint;

	jfr_event_begin(c, 1);
	jfr_put_varint(&c->bytes, 5000);
	jfr_put_varint(&c->bytes, 0);
	jfr_put_varint(&c->bytes, before ? before - c->event : 0);
	text_putc(&c->bytes, 1); /* mask */
	jfr_put_varint(&c->bytes, pools);
}

void jfr_checkpoint_end(struct jfr_chunk *c)
{
	jfr_event_end(c);
	c->header.checkpoint = c->event;
}

void jfr_pool_begin(struct jfr_chunk *c, uint64_t type, uint64_t count)
{
	jfr_put_varint(&c->bytes, type);
	jfr_put_varint(&c->bytes, count);
}

void jfr_chunk_end(struct jfr_chunk *c, struct text *file)
{
	struct jfr_header *h = &c->header;
	struct text head = { 0 };

	h->size = c->bytes.len;
	text_add(&head, "FLR\0", 4);
	put_big_endian(&head, h->major, 2);
	put_big_endian(&head, h->minor, 2);
	put_big_endian(&head, h->size, 8);
	put_big_endian(&head, h->checkpoint, 8);
	put_big_endian(&head, h->metadata, 8);
	put_big_endian(&head, (uint64_t)h->start_ns, 8);
	put_big_endian(&head, (uint64_t)h->duration_ns, 8);
	put_big_endian(&head, (uint64_t)h->start_ticks, 8);
	put_big_endian(&head, (uint64_t)h->ticks_per_second, 8);
	put_big_endian(&head, h->state, 1);
	put_big_endian(&head, 0, 1);
	put_big_endian(&head, h->flags, 2);
	memcpy(c->bytes.bytes, head.bytes, HEADER_SIZE);
	text_add(file, c->bytes.bytes, c->bytes.len);
	text_release(&head);
	text_release(&c->bytes);
}

/* ---- the usual world ---- */

#define EVENT      "jdk.jfr.Event"
#define ANNOTATION "java.lang.annotation.Annotation"
#define START_TIME                                                             \
	{                                                                      \
		"startTime", T_LONG, NULL, "Timestamp=TICKS"                   \
	}
#define STACK_TRACE                                                            \
	{                                                                      \
		"stackTrace", T_STACK_TRACE, "pool", NULL                      \
	}
#define EVENT_THREAD                                                           \
	{                                                                      \
		"eventThread", T_THREAD, "pool", NULL                          \
	}

/* clang-format off */
const struct jfr_type_spec jfr_usual_types[] = {
	{ T_SAMPLE, "jdk.ExecutionSample", EVENT,
	  { START_TIME, { "sampledThread", T_THREAD, "pool", NULL },
	    STACK_TRACE, { "state", T_STATE, "pool", NULL } } },
	{ T_ALLOC, "jdk.ObjectAllocationSample", EVENT,
	  { START_TIME, EVENT_THREAD, STACK_TRACE,
	    { "objectClass", T_CLASS, "pool", NULL },
	    { "weight", T_LONG, NULL, "DataAmount=BYTES" } } },
	{ T_PARK, "jdk.ThreadPark", EVENT,
	  { START_TIME, { "duration", T_LONG, NULL, "Timespan=TICKS" },
	    EVENT_THREAD, STACK_TRACE } },
	{ T_BOOLEAN, "boolean", NULL, { { 0 } } },
	{ T_CHAR, "char", NULL, { { 0 } } },
	{ T_INT, "int", NULL, { { 0 } } },
	{ T_LONG, "long", NULL, { { 0 } } },
	{ T_FLOAT, "float", NULL, { { 0 } } },
	{ T_STRING, "java.lang.String", NULL, { { 0 } } },
	{ T_TIMESTAMP, "jdk.jfr.Timestamp", ANNOTATION, { { 0 } } },
	{ T_TIMESPAN, "jdk.jfr.Timespan", ANNOTATION, { { 0 } } },
	{ T_AMOUNT, "jdk.jfr.DataAmount", ANNOTATION, { { 0 } } },
	{ T_SYMBOL, "jdk.types.Symbol", NULL,
	  { { "string", T_STRING, NULL, NULL } } },
	{ T_CLASS, "java.lang.Class", NULL,
	  { { "classLoader", T_LOADER, "pool", NULL },
	    { "name", T_SYMBOL, "pool", NULL },
	    { "modifiers", T_INT, NULL, NULL },
	    { "hidden", T_BOOLEAN, NULL, NULL } } },
	{ T_LOADER, "jdk.types.ClassLoader", NULL,
	  { { "type", T_CLASS, "pool", NULL },
	    { "name", T_SYMBOL, "pool", NULL } } },
	{ T_METHOD, "jdk.types.Method", NULL,
	  { { "type", T_CLASS, "pool", NULL },
	    { "name", T_SYMBOL, "pool", NULL },
	    { "descriptor", T_SYMBOL, "pool", NULL },
	    { "modifiers", T_INT, NULL, NULL },
	    { "hidden", T_BOOLEAN, NULL, NULL } } },
	{ T_FRAME_TYPE, "jdk.types.FrameType", NULL,
	  { { "description", T_STRING, NULL, NULL } } },
	{ T_STATE, "jdk.types.ThreadState", NULL,
	  { { "name", T_STRING, NULL, NULL } } },
	{ T_FRAME, "jdk.types.StackFrame", NULL,
	  { { "method", T_METHOD, "pool", NULL },
	    { "lineNumber", T_INT, NULL, NULL },
	    { "bytecodeIndex", T_INT, NULL, NULL },
	    { "type", T_FRAME_TYPE, "pool", NULL } } },
	{ T_STACK_TRACE, "jdk.types.StackTrace", NULL,
	  { { "truncated", T_BOOLEAN, NULL, NULL },
	    { "frames", T_FRAME, "array", NULL } } },
	{ T_THREAD, "java.lang.Thread", NULL,
	  { { "osName", T_STRING, NULL, NULL },
	    { "osThreadId", T_LONG, NULL, NULL },
	    { "javaName", T_STRING, NULL, NULL },
	    { "javaThreadId", T_LONG, NULL, NULL },
	    { "virtual", T_BOOLEAN, NULL, NULL } } },
};
/* clang-format on */

const size_t jfr_usual_type_count = sizeof(jfr_usual_types) /
				    sizeof(*jfr_usual_types);

static void put_varints(struct text *t, const uint64_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		jfr_put_varint(t, values[i]);
}

#define VARINTS(t, ...)                                                        \
	put_varints(t, (const uint64_t[]){ __VA_ARGS__ },                      \
		    sizeof((const uint64_t[]){ __VA_ARGS__ }) /                \
			    sizeof(uint64_t))

static void put_symbols(struct jfr_chunk *c)
{
	static const char *const symbols[] = { "p/A", "b", "p/C", "d" };

	jfr_pool_begin(c, T_SYMBOL, 4);
	for (size_t i = 0; i < 4; i++) {
		jfr_put_varint(&c->bytes, 101 + i);
		jfr_put_string(&c->bytes, symbols[i]);
	}
}

/* Writes a pool of structs whose only field is a string. */
static void put_named(struct jfr_chunk *c, uint64_t type,
		      const char *const *names, size_t count)
{
	jfr_pool_begin(c, type, count);
	for (size_t i = 0; i < count; i++) {
		jfr_put_varint(&c->bytes, i);
		jfr_put_string(&c->bytes, names[i]);
	}
}

void jfr_usual_pools(struct jfr_chunk *c)
{
	static const char *const kinds[] = { "Interpreted", "JIT compiled",
					     "Inlined", "Native" };
	static const char *const states[] = {
		"STATE_NEW", "?", "?", "?", "STATE_SLEEPING", "STATE_RUNNABLE"
	};
	struct text *t = &c->bytes;

	jfr_checkpoint_begin(c, 7);
	/* Pools may refer to later pools. */
	jfr_pool_begin(c, T_STACK_TRACE, 2);
	VARINTS(t, STACK_DEEP);
	text_putc(t, 0);
	VARINTS(t, 2, 202, 11, 1, 1, 201, 12, 2, 0);
	VARINTS(t, STACK_FLAT);
	text_putc(t, 0);
	VARINTS(t, 1, 202, 13, 3, 1);
	jfr_pool_begin(c, T_METHOD, 2);
	VARINTS(t, 201, 301, 102, 0, 1);
	text_putc(t, 0);
	VARINTS(t, 202, 302, 104, 0, 1);
	text_putc(t, 0);
	jfr_pool_begin(c, T_CLASS, 2);
	VARINTS(t, 301, 0, 101, 1);
	text_putc(t, 0);
	VARINTS(t, 302, 0, 103, 1);
	text_putc(t, 0);
	put_symbols(c);
	jfr_pool_begin(c, T_THREAD, 1);
	VARINTS(t, THREAD_MAIN);
	jfr_put_string(t, "os-main");
	VARINTS(t, 4711);
	jfr_put_string(t, "main");
	VARINTS(t, 1);
	text_putc(t, 0);
	put_named(c, T_FRAME_TYPE, kinds, 4);
	put_named(c, T_STATE, states, 6);
	jfr_checkpoint_end(c);
}

void jfr_sample(struct jfr_chunk *c, uint64_t ticks, uint64_t stack)
{
	jfr_event_begin(c, T_SAMPLE);
	VARINTS(&c->bytes, ticks, THREAD_MAIN, stack, STATE_KEY);
	jfr_event_end(c);
}

void jfr_alloc(struct jfr_chunk *c, uint64_t stack, uint64_t weight)
{
	jfr_event_begin(c, T_ALLOC);
	VARINTS(&c->bytes, 5000, THREAD_MAIN, stack, 301, weight);
	jfr_event_end(c);
}

void jfr_usual_chunk(struct text *file, size_t count)
{
	struct jfr_chunk c;

	jfr_chunk_begin(&c);
	jfr_metadata(&c, jfr_usual_types, jfr_usual_type_count);
	jfr_usual_pools(&c);
	for (size_t i = 0; i < count; i++)
		jfr_sample(&c, 5000 + i * 1000000,
			   i % 2 ? STACK_FLAT : STACK_DEEP);
	jfr_chunk_end(&c, file);
}

/* ---- reading back ---- */

struct jfr_result jfr_read_back(const void *bytes, size_t len)
{
	/* An exact allocation, so that ASan detects reads beyond the end. */
	uint8_t *copy = xmalloc(len);
	struct jfr_result r = { .profile = profile_new() };

	if (len)
		memcpy(copy, bytes, len);
	r.status = jfr_reader.read(copy, len, r.profile, &r.err);
	free(copy);
	return r;
}

void jfr_forget(struct jfr_result *r)
{
	profile_free(r->profile);
	r->profile = NULL;
}

uint64_t jfr_samples_of(const struct profile *p, const char *event)
{
	for (size_t i = 0; i < p->event_count; i++) {
		if (strcmp(profile_text(p, p->events[i].name), event) == 0)
			return p->events[i].samples;
	}
	return 0;
}

uint64_t jfr_all_samples(const struct profile *p)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < p->event_count; i++)
		samples += p->events[i].samples;
	return samples;
}

static uint64_t remarked(const struct profile *p, const char *what, bool loss)
{
	for (size_t i = 0; i < p->remark_count; i++) {
		if (p->remarks[i].is_loss == loss &&
		    strcmp(p->remarks[i].what, what) == 0)
			return p->remarks[i].count;
	}
	return 0;
}

uint64_t jfr_lost(const struct profile *p, const char *what)
{
	return remarked(p, what, true);
}

uint64_t jfr_noted(const struct profile *p, const char *what)
{
	return remarked(p, what, false);
}

static void put_stack(struct text *out, const struct profile *p, uint32_t stack)
{
	uint32_t path[256];
	size_t depth = 0;

	for (; stack && depth < 256; stack = p->stacks[stack].caller)
		path[depth++] = p->stacks[stack].frame;
	for (size_t i = depth; i-- > 0;) {
		const struct frame *f = &p->frames[path[i]];

		if (f->class_name)
			text_printf(out, "%s%s", profile_text(p, f->class_name),
				    f->method ? "." : "");
		text_printf(out, "%s%s", profile_text(p, f->method),
			    i ? ";" : "");
	}
	if (!depth)
		text_puts(out, "-");
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void jfr_stacks(struct text *out, const struct profile *p, const char *event)
{
	uint64_t *counts = xcalloc(p->stack_count, sizeof(*counts));
	char **lines = xcalloc(p->stack_count, sizeof(*lines));
	size_t count = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct event *e = &p->events[p->cells[i].event];

		if (strcmp(profile_text(p, e->name), event) == 0)
			counts[p->cells[i].stack] += p->cells[i].count;
	}
	for (uint32_t i = 0; i < p->stack_count; i++) {
		struct text line = { 0 };

		if (!counts[i])
			continue;
		put_stack(&line, p, i);
		text_printf(&line, " %" PRIu64 "\n", counts[i]);
		lines[count++] = line.bytes;
	}
	qsort(lines, count, sizeof(*lines), by_text);
	text_puts(out, "");
	for (size_t i = 0; i < count; i++) {
		text_puts(out, lines[i]);
		free(lines[i]);
	}
	free(lines);
	free(counts);
}

struct jfr_result jfr_read_file(struct text *file)
{
	struct jfr_result r = jfr_read_back(file->bytes, file->len);

	text_release(file);
	return r;
}

struct jfr_result jfr_read_chunk(struct jfr_chunk *c)
{
	struct text file = { 0 };

	jfr_chunk_end(c, &file);
	return jfr_read_file(&file);
}

void jfr_check_stacks(const struct jfr_result *r, const char *event,
		      const char *want)
{
	struct text got = { 0 };

	if (r->status)
		fail_msg("%s", r->err.text);
	jfr_stacks(&got, r->profile, event);
	assert_string_equal(got.bytes, want);
	text_release(&got);
}

void jfr_usual_begin(struct jfr_chunk *c)
{
	jfr_chunk_begin(c);
	jfr_metadata(c, jfr_usual_types, jfr_usual_type_count);
}

struct jfr_type_spec *jfr_own_types(size_t more)
{
	size_t size = sizeof(*jfr_usual_types);
	struct jfr_type_spec *types = xcalloc(jfr_usual_type_count + more,
					      size);

	memcpy(types, jfr_usual_types, jfr_usual_type_count * size);
	return types;
}

struct jfr_type_spec *jfr_type_of(struct jfr_type_spec *types, const char *name)
{
	while (strcmp(types->name, name) != 0)
		types++;
	return types;
}
