/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_jfr FILE CHUNKS STACKS [SAMPLES]: writes a recording with CHUNKS
 * different chunks of STACKS deep stack traces each, then the same chunks
 * again, later in time. A chunk lasts a minute. It has 1.7 samples of each
 * stack trace, or SAMPLES samples, most of them of few stack traces. It
 * resembles a recording of async-profiler: all constant pools are in one
 * checkpoint at the end, and the pool of stack traces has most of the bytes.
 * Classes have the four fields that async-profiler's converter expects.
 */
#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/text.h"
#include "tests/bench/workload.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE  68
#define CHUNK_NS     ((uint64_t)60 * 1000000000)
#define START_NS     ((uint64_t)1700000000 * 1000000000)
#define THREADS      64
#define FRAME_KINDS  7
#define PADDED_BYTES 5

enum {
	TYPE_INT = 4,
	TYPE_LONG,
	TYPE_BOOLEAN,
	TYPE_STRING = 20,
	TYPE_CLASS,
	TYPE_THREAD,
	TYPE_FRAME_TYPE,
	TYPE_THREAD_STATE,
	TYPE_STACK_TRACE,
	TYPE_STACK_FRAME,
	TYPE_METHOD,
	TYPE_SYMBOL,
	TYPE_CLASS_LOADER,
	TYPE_PACKAGE,
	TYPE_EXECUTION_SAMPLE = 101,
	TYPE_TIMESTAMP = 200,
};

struct field {
	const char *name;
	int type;
	enum { PLAIN, POOL, ARRAY, TICKS } how;
};

static const struct type {
	int id;
	const char *name, *super;
	bool simple;
	struct field fields[6];
} types[] = {
	{ TYPE_INT, "int", NULL, false, { { 0 } } },
	{ TYPE_LONG, "long", NULL, false, { { 0 } } },
	{ TYPE_BOOLEAN, "boolean", NULL, false, { { 0 } } },
	{ TYPE_STRING, "java.lang.String", NULL, false, { { 0 } } },
	{ TYPE_CLASS,
	  "java.lang.Class",
	  NULL,
	  false,
	  { { "classLoader", TYPE_CLASS_LOADER, POOL },
	    { "name", TYPE_SYMBOL, POOL },
	    { "package", TYPE_PACKAGE, POOL },
	    { "modifiers", TYPE_INT, PLAIN } } },
	{ TYPE_CLASS_LOADER,
	  "jdk.types.ClassLoader",
	  NULL,
	  false,
	  { { "type", TYPE_CLASS, POOL }, { "name", TYPE_SYMBOL, POOL } } },
	{ TYPE_PACKAGE,
	  "jdk.types.Package",
	  NULL,
	  false,
	  { { "name", TYPE_SYMBOL, POOL } } },
	{ TYPE_THREAD,
	  "java.lang.Thread",
	  NULL,
	  false,
	  { { "osName", TYPE_STRING, PLAIN },
	    { "osThreadId", TYPE_LONG, PLAIN },
	    { "javaName", TYPE_STRING, PLAIN },
	    { "javaThreadId", TYPE_LONG, PLAIN } } },
	{ TYPE_FRAME_TYPE,
	  "jdk.types.FrameType",
	  NULL,
	  true,
	  { { "description", TYPE_STRING, PLAIN } } },
	{ TYPE_THREAD_STATE,
	  "jdk.types.ThreadState",
	  NULL,
	  true,
	  { { "name", TYPE_STRING, PLAIN } } },
	{ TYPE_STACK_TRACE,
	  "jdk.types.StackTrace",
	  NULL,
	  false,
	  { { "truncated", TYPE_BOOLEAN, PLAIN },
	    { "frames", TYPE_STACK_FRAME, ARRAY } } },
	{ TYPE_STACK_FRAME,
	  "jdk.types.StackFrame",
	  NULL,
	  false,
	  { { "method", TYPE_METHOD, POOL },
	    { "lineNumber", TYPE_INT, PLAIN },
	    { "bytecodeIndex", TYPE_INT, PLAIN },
	    { "type", TYPE_FRAME_TYPE, POOL } } },
	{ TYPE_METHOD,
	  "jdk.types.Method",
	  NULL,
	  false,
	  { { "type", TYPE_CLASS, POOL },
	    { "name", TYPE_SYMBOL, POOL },
	    { "descriptor", TYPE_SYMBOL, POOL },
	    { "modifiers", TYPE_INT, PLAIN },
	    { "hidden", TYPE_BOOLEAN, PLAIN } } },
	{ TYPE_SYMBOL,
	  "jdk.types.Symbol",
	  NULL,
	  true,
	  { { "string", TYPE_STRING, PLAIN } } },
	{ TYPE_EXECUTION_SAMPLE,
	  "jdk.ExecutionSample",
	  "jdk.jfr.Event",
	  false,
	  { { "startTime", TYPE_LONG, TICKS },
	    { "sampledThread", TYPE_THREAD, POOL },
	    { "stackTrace", TYPE_STACK_TRACE, POOL },
	    { "state", TYPE_THREAD_STATE, POOL } } },
	{ TYPE_TIMESTAMP,
	  "jdk.jfr.Timestamp",
	  "java.lang.annotation.Annotation",
	  false,
	  { { "value", TYPE_STRING, PLAIN } } },
};

#define TYPES (sizeof(types) / sizeof(*types))

static void put_be(struct text *out, uint64_t value, size_t bytes)
{
	while (bytes--)
		text_putc(out, (char)(value >> 8 * bytes));
}

static void set_be64(struct text *t, size_t at, uint64_t value)
{
	for (size_t i = 0; i < 8; i++)
		t->bytes[at + i] = (char)(value >> 8 * (7 - i));
}

static void put_string(struct text *out, const char *bytes, size_t len)
{
	text_putc(out, len ? 3 : 1); /* UTF-8, or the empty string */
	if (len) {
		text_varint(out, len);
		text_add(out, bytes, len);
	}
}

static void put_cstring(struct text *out, const char *string)
{
	put_string(out, string, strlen(string));
}

/* Reserves space for a size, a varint of PADDED_BYTES, that is set later. */
static size_t open_event(struct text *out, uint64_t type)
{
	size_t at = out->len;

	text_add(out, "\0\0\0\0\0", PADDED_BYTES);
	text_varint(out, type);
	return at;
}

static void close_event(struct text *out, size_t at)
{
	uint64_t size = out->len - at;

	for (size_t i = 0; i < PADDED_BYTES; i++)
		out->bytes[at + i] = (char)((size >> 7 * i & 0x7f) |
					    (i + 1 < PADDED_BYTES ? 0x80 : 0));
}

/* Elements of the metadata; their strings are numbers into a table. */
struct elements {
	struct text bytes;
	struct intern strings;
};

static void put_word(struct elements *e, const char *word)
{
	text_varint(&e->bytes, intern_id(&e->strings, word, strlen(word)));
}

static void open_element(struct elements *e, const char *name,
			 size_t attributes)
{
	put_word(e, name);
	text_varint(&e->bytes, attributes);
}

static void put_attribute(struct elements *e, const char *key,
			  const char *value)
{
	put_word(e, key);
	put_word(e, value);
}

static void put_number(struct elements *e, const char *key, int value)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", value);
	put_attribute(e, key, text);
}

static void put_field(struct elements *e, const struct field *f)
{
	bool marked = f->how == POOL || f->how == ARRAY;

	open_element(e, "field", marked ? 3 : 2);
	put_attribute(e, "name", f->name);
	put_number(e, "class", f->type);
	if (f->how == POOL)
		put_attribute(e, "constantPool", "true");
	if (f->how == ARRAY)
		put_attribute(e, "dimension", "1");
	text_varint(&e->bytes, f->how == TICKS);
	if (f->how == TICKS) {
		open_element(e, "annotation", 2);
		put_number(e, "class", TYPE_TIMESTAMP);
		put_attribute(e, "value", "TICKS");
		text_varint(&e->bytes, 0);
	}
}

static void put_type(struct elements *e, const struct type *t)
{
	size_t fields = 0;

	while (fields < 6 && t->fields[fields].name)
		fields++;
	open_element(e, "class", 2 + (t->super != NULL) + t->simple);
	put_number(e, "id", t->id);
	put_attribute(e, "name", t->name);
	if (t->super)
		put_attribute(e, "superType", t->super);
	if (t->simple)
		put_attribute(e, "simpleType", "true");
	text_varint(&e->bytes, fields);
	for (size_t i = 0; i < fields; i++)
		put_field(e, &t->fields[i]);
}

static void put_metadata(struct text *out, uint64_t ticks)
{
	struct elements e = { 0 };
	size_t event = open_event(out, 0);

	open_element(&e, "root", 0);
	text_varint(&e.bytes, 2);
	open_element(&e, "metadata", 0);
	text_varint(&e.bytes, TYPES);
	for (size_t i = 0; i < TYPES; i++)
		put_type(&e, &types[i]);
	open_element(&e, "region", 2);
	put_attribute(&e, "locale", "en_US");
	put_attribute(&e, "gmtOffset", "0");
	text_varint(&e.bytes, 0);

	text_varint(out, ticks);
	text_varint(out, 0); /* duration */
	text_varint(out, 1); /* metadata id */
	text_varint(out, e.strings.count + 1);
	for (uint32_t i = 0; i <= e.strings.count; i++)
		put_string(out, intern_text(&e.strings, i),
			   intern_len(&e.strings, i));
	text_add(out, e.bytes.bytes, e.bytes.len);
	close_event(out, event);
	text_release(&e.bytes);
	intern_release(&e.strings);
}

static void put_sample(struct text *out, struct workload *w, uint64_t ticks,
		       uint64_t stack)
{
	size_t start = out->len;

	text_putc(out, 0); /* size: one byte */
	text_varint(out, TYPE_EXECUTION_SAMPLE);
	text_varint(out, ticks);
	text_varint(out, 1 + workload_random(w, THREADS));
	text_varint(out, stack);
	text_varint(out, 1);
	out->bytes[start] = (char)(out->len - start);
}

/* Returns a stack trace; an eighth of them have half of the samples. */
static size_t choose_hot(struct workload *w, size_t stacks)
{
	uint32_t below = (uint32_t)stacks;

	for (int i = 0; i < 2; i++)
		below = workload_random(w, below) + 1;
	return workload_random(w, below);
}

static void put_samples(struct text *out, struct workload *w, uint64_t ticks,
			size_t stacks, size_t samples)
{
	size_t count = samples ? samples : stacks + stacks / 10 * 7;

	for (size_t i = 0; i < count; i++) {
		size_t stack = i;

		if (samples)
			stack = choose_hot(w, stacks);
		else if (i >= stacks)
			stack = workload_random(w, (uint32_t)stacks);

		put_sample(out, w, ticks + CHUNK_NS / count * i, stack + 1);
	}
}

static void open_pool(struct text *out, int type, size_t count)
{
	text_varint(out, (uint64_t)type);
	text_varint(out, count);
}

static void put_names(struct text *out, int type, const char *const *names,
		      size_t count)
{
	open_pool(out, type, count);
	for (size_t i = 0; i < count; i++) {
		text_varint(out, i);
		put_cstring(out, names[i]);
	}
}

static void put_threads(struct text *out)
{
	open_pool(out, TYPE_THREAD, THREADS);
	for (unsigned i = 1; i <= THREADS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "http-nio-8080-exec-%u", i);
		text_varint(out, i);
		put_cstring(out, name);
		text_varint(out, 4700 + i);
		put_cstring(out, name);
		text_varint(out, 20 + i);
	}
}

static void put_stacks(struct text *out, struct workload *w, size_t first)
{
	open_pool(out, TYPE_STACK_TRACE, w->leaf_count - first);
	for (size_t i = first; i < w->leaf_count; i++) {
		uint16_t methods[WORKLOAD_DEEPEST];
		size_t depth = workload_path(w, w->leaves[i], methods);

		text_varint(out, i - first + 1);
		text_putc(out, 0); /* truncated */
		text_varint(out, depth);
		while (depth-- > 0) {
			bool compiled = methods[depth] % 8 < 6;

			text_varint(out, methods[depth] + 1u);
			text_varint(out, compiled ? 0 : methods[depth] % 900u);
			text_varint(out, compiled ? 0 : methods[depth] % 120u);
			text_varint(out, compiled ? 1 : 0);
		}
	}
}

/* Symbols: the classes from 1 on, then the methods, then one descriptor. */
static void put_symbols(struct text *out)
{
	struct text name = { 0 };
	uint32_t key = 1;

	open_pool(out, TYPE_SYMBOL, WORKLOAD_CLASSES + WORKLOAD_METHODS + 1);
	for (uint32_t i = 0; i < WORKLOAD_CLASSES; i++) {
		text_clear(&name);
		workload_class(&name, i);
		text_varint(out, key++);
		put_string(out, name.bytes, name.len);
	}
	for (uint32_t i = 0; i < WORKLOAD_METHODS; i++) {
		text_clear(&name);
		workload_method(&name, i);
		text_varint(out, key++);
		put_string(out, name.bytes, name.len);
	}
	text_varint(out, key);
	put_cstring(out, "()V");
	text_release(&name);
}

static void put_methods(struct text *out)
{
	uint32_t descriptor = WORKLOAD_CLASSES + WORKLOAD_METHODS + 1;

	open_pool(out, TYPE_METHOD, WORKLOAD_METHODS);
	for (uint32_t i = 0; i < WORKLOAD_METHODS; i++) {
		text_varint(out, i + 1);
		text_varint(out, workload_class_of(i) + 1);
		text_varint(out, WORKLOAD_CLASSES + i + 1);
		text_varint(out, descriptor);
		text_varint(out, 1);
		text_putc(out, 0);
	}
	open_pool(out, TYPE_CLASS, WORKLOAD_CLASSES);
	for (uint32_t i = 0; i < WORKLOAD_CLASSES; i++) {
		text_varint(out, i + 1);
		text_varint(out, 0); /* class loader */
		text_varint(out, i + 1);
		text_varint(out, 0); /* package */
		text_varint(out, 1);
	}
}

static void put_checkpoint(struct text *out, struct workload *w, size_t first,
			   uint64_t ticks)
{
	static const char *const kinds[FRAME_KINDS] = {
		"Interpreted", "JIT compiled", "Inlined",    "Native",
		"C++",         "Kernel",       "C1 compiled"
	};
	static const char *const states[] = { "STATE_DEFAULT", "STATE_RUNNABLE",
					      "STATE_SLEEPING" };
	size_t event = open_event(out, 1);

	text_varint(out, ticks);
	text_varint(out, 0); /* duration */
	text_varint(out, 0); /* distance to the previous checkpoint: none */
	text_putc(out, 0);
	text_varint(out, 7); /* pools */
	put_names(out, TYPE_FRAME_TYPE, kinds, FRAME_KINDS);
	put_names(out, TYPE_THREAD_STATE, states, 3);
	put_threads(out);
	put_stacks(out, w, first);
	put_methods(out);
	put_symbols(out);
	close_event(out, event);
}

static void put_header(struct text *out, uint64_t ticks)
{
	text_add(out, "FLR\0\0\2\0\0", 8);
	put_be(out, 0, 8); /* size, set later, as are the next two */
	put_be(out, 0, 8);
	put_be(out, HEADER_SIZE, 8);
	put_be(out, START_NS, 8);
	put_be(out, CHUNK_NS, 8);
	put_be(out, ticks, 8);
	put_be(out, 1000000000, 8);
	put_be(out, 1, 4);
}

static void make_chunk(struct text *out, struct workload *w, size_t index,
		       size_t stacks, size_t samples)
{
	uint64_t ticks = 1000 + index * CHUNK_NS;
	size_t first = w->leaf_count;

	put_header(out, ticks);
	put_metadata(out, ticks);
	for (size_t i = 0; i < stacks; i++)
		workload_add(w);
	put_samples(out, w, ticks, stacks, samples);
	set_be64(out, 16, out->len);
	put_checkpoint(out, w, first, ticks);
	set_be64(out, 8, out->len);
}

int main(int argc, char **argv)
{
	bool usable = argc == 4 || argc == 5;
	size_t chunks = usable ? strtoul(argv[2], NULL, 10) : 0;
	size_t stacks = usable ? strtoul(argv[3], NULL, 10) : 0;
	size_t samples = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;
	struct text *made;
	struct workload w;
	FILE *file;

	if (!chunks || !stacks) {
		fprintf(stderr,
			"usage: make_jfr FILE CHUNKS STACKS [SAMPLES]\n");
		return 2;
	}
	file = fopen(argv[1], "we");
	if (!file) {
		perror(argv[1]);
		return 1;
	}
	made = xcalloc(chunks, sizeof(*made));
	workload_init(&w, 50);
	for (size_t i = 0; i < chunks; i++)
		make_chunk(&made[i], &w, i, stacks, samples);
	for (size_t i = 0; i < 2 * chunks; i++) {
		struct text *chunk = &made[i % chunks];

		set_be64(chunk, 32, START_NS + i * CHUNK_NS);
		fwrite(chunk->bytes, 1, chunk->len, file);
	}
	fprintf(stderr, "%zu stack traces, %zu different, %zu frames deep\n",
		2 * (w.leaf_count - 1), w.leaf_count - 1,
		w.count / w.leaf_count);
	workload_release(&w);
	return fclose(file) == 0 ? 0 : 1;
}
