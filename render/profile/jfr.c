/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes profiles as recordings of JDK Flight Recorder, version 2.1.
 *
 * A chunk is a header, the metadata (the types of all values), a checkpoint
 * (pools of threads, stack traces, methods, …) and events. Each chunk has all
 * pools, because constants belong to their chunk. A cell becomes as many events
 * as it has samples, which share its weight.
 *
 * Events jdk.ActiveSetting {id of an event type, "sjkc", name of the event}
 * record which event a type of the JDK stands for.
 */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/intern.h"
#include "render/tree/trace_tree.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE  68
#define CHUNK_BYTES  ((size_t)32 << 20) /* of events */
#define TICKS_PER_S  UINT64_C(1000000000)
#define NAME_LONGEST 64 /* of an event in a setting */
#define EVENT_SUPER  "jdk.jfr.Event"
#define ANNOTATION   "java.lang.annotation.Annotation"

/* Ids of types; events follow. */
enum {
	TYPE_METADATA,
	TYPE_CHECKPOINT,
	TYPE_BOOLEAN,
	TYPE_INT,
	TYPE_LONG,
	TYPE_STRING,
	TYPE_TIMESTAMP,
	TYPE_TIMESPAN,
	TYPE_AMOUNT,
	TYPE_SYMBOL,
	TYPE_CLASS,
	TYPE_METHOD,
	TYPE_FRAME_TYPE,
	TYPE_STATE,
	TYPE_FRAME,
	TYPE_STACK_TRACE,
	TYPE_THREAD,
	TYPE_EVENTS
};

struct jfr_field {
	const char *name; /* NULL ends the fields */
	uint32_t type;
	bool in_pool, is_array;
	uint32_t annotation; /* type of an annotation, or 0 */
	const char *unit;    /* its value, or NULL */
};

struct jfr_type {
	uint32_t id;
	const char *name, *super; /* super may be NULL */
	struct jfr_field fields[6];
};

/* How an event of the profile is written. */
struct jfr_event {
	const char *name; /* of its type */
	char own[128];    /* the name, if it is made */
	enum unit unit;   /* UNIT_NS: has a duration; UNIT_BYTES: a size */
	const char *size; /* name of the field of the size or count, or NULL */
	const char *class_field; /* name of the field of the class, or NULL */
	bool is_sample;          /* jdk.ExecutionSample */
	bool has_state;          /* of the thread */
	bool is_period;          /* the size is a time */
};

struct jfr_writer {
	const struct profile *profile;
	uint32_t *view_of;        /* by event: not 0 if it is written */
	struct jfr_event *events; /* by event */
	uint8_t *stacks;          /* by stack trace: used */
	uint8_t *frames;          /* by frame: used */
	bool has_stacks;
	struct intern classes; /* symbols of classes, with slashes */
	uint32_t *class_of;    /* by string: id of the class, or 0 */
	struct intern strings; /* of the metadata */
	struct text elements;  /* of the metadata */
	struct text body;      /* metadata and checkpoint */
	size_t checkpoint;     /* where it begins in the body */
	struct text chunk;     /* events */
	struct output *out;
	struct jfr_result result;
};

/* clang-format off */
static const struct jfr_type types[] = {
	{ TYPE_BOOLEAN, "boolean", NULL, { { 0 } } },
	{ TYPE_INT, "int", NULL, { { 0 } } },
	{ TYPE_LONG, "long", NULL, { { 0 } } },
	{ TYPE_STRING, "java.lang.String", NULL, { { 0 } } },
	{ TYPE_TIMESTAMP, "jdk.jfr.Timestamp", ANNOTATION,
	  { { .name = "value", TYPE_STRING } } },
	{ TYPE_TIMESPAN, "jdk.jfr.Timespan", ANNOTATION,
	  { { .name = "value", TYPE_STRING } } },
	{ TYPE_AMOUNT, "jdk.jfr.DataAmount", ANNOTATION,
	  { { .name = "value", TYPE_STRING } } },
	{ TYPE_SYMBOL, "jdk.types.Symbol", NULL,
	  { { .name = "string", TYPE_STRING } } },
	{ TYPE_CLASS, "java.lang.Class", NULL,
	  { { .name = "name", TYPE_SYMBOL, .in_pool = true },
	    { .name = "modifiers", TYPE_INT } } },
	{ TYPE_METHOD, "jdk.types.Method", NULL,
	  { { .name = "type", TYPE_CLASS, .in_pool = true },
	    { .name = "name", TYPE_SYMBOL, .in_pool = true },
	    { .name = "descriptor", TYPE_SYMBOL, .in_pool = true },
	    { .name = "modifiers", TYPE_INT },
	    { .name = "hidden", TYPE_BOOLEAN } } },
	{ TYPE_FRAME_TYPE, "jdk.types.FrameType", NULL,
	  { { .name = "description", TYPE_STRING } } },
	{ TYPE_STATE, "jdk.types.ThreadState", NULL,
	  { { .name = "name", TYPE_STRING } } },
	{ TYPE_FRAME, "jdk.types.StackFrame", NULL,
	  { { .name = "method", TYPE_METHOD, .in_pool = true },
	    { .name = "lineNumber", TYPE_INT },
	    { .name = "bytecodeIndex", TYPE_INT },
	    { .name = "type", TYPE_FRAME_TYPE, .in_pool = true } } },
	{ TYPE_STACK_TRACE, "jdk.types.StackTrace", NULL,
	  { { .name = "truncated", TYPE_BOOLEAN },
	    { .name = "frames", TYPE_FRAME, .is_array = true } } },
	{ TYPE_THREAD, "java.lang.Thread", NULL,
	  { { .name = "osName", TYPE_STRING },
	    { .name = "osThreadId", TYPE_LONG },
	    { .name = "javaName", TYPE_STRING },
	    { .name = "javaThreadId", TYPE_LONG },
	    { .name = "virtual", TYPE_BOOLEAN } } },
};

static const char *const kinds[FRAME_KINDS] = {
	[FRAME_INTERPRETED] = "Interpreted", [FRAME_C1] = "C1 compiled",
	[FRAME_JIT] = "JIT compiled", [FRAME_INLINED] = "Inlined",
	[FRAME_NATIVE] = "Native", [FRAME_CPP] = "C++",
	[FRAME_KERNEL] = "Kernel", [FRAME_JAVA] = "JIT compiled",
	[FRAME_CLASS] = "Native", [FRAME_SYNTHETIC] = "Native",
};
/* clang-format on */

/* ---- values ---- */

/* JFR's varint: the ninth byte has 8 bits. */
static void put_varint(struct text *t, uint64_t value)
{
	for (int i = 0; i < 8 && value >= 0x80; i++) {
		text_putc(t, (char)(0x80 | (value & 0x7f)));
		value >>= 7;
	}
	text_putc(t, (char)value);
}

/* A varint of five bytes, for sizes that are known later. */
static void put_padded(char *at, uint64_t value)
{
	for (int i = 0; i < 4; i++, value >>= 7)
		at[i] = (char)(0x80 | (value & 0x7f));
	at[4] = (char)(value & 0x7f);
}

static void put_string(struct text *t, const char *s, size_t len)
{
	text_putc(t, 3); /* UTF-8 */
	put_varint(t, len);
	text_add(t, s, len);
}

static void put_big_endian(struct text *t, uint64_t value, unsigned bytes)
{
	while (bytes--)
		text_putc(t, (char)(value >> 8 * bytes));
}

/* ---- metadata ---- */

static void put_ref(struct jfr_writer *w, const char *s)
{
	uint32_t id = intern_id(&w->strings, s, strlen(s));

	put_varint(&w->elements, id);
}

static void put_attribute(struct jfr_writer *w, const char *key,
			  const char *value)
{
	put_ref(w, key);
	put_ref(w, value);
}

static void put_number(struct jfr_writer *w, const char *key, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, value);
	put_attribute(w, key, text);
}

static void put_field(struct jfr_writer *w, const struct jfr_field *f)
{
	put_ref(w, "field");
	put_varint(&w->elements, 2u + f->in_pool + f->is_array);
	put_attribute(w, "name", f->name);
	put_number(w, "class", f->type);
	if (f->in_pool)
		put_attribute(w, "constantPool", "true");
	if (f->is_array)
		put_attribute(w, "dimension", "1");
	put_varint(&w->elements, f->annotation != 0);
	if (!f->annotation)
		return;
	put_ref(w, "annotation");
	put_varint(&w->elements, 1u + (f->unit != NULL));
	put_number(w, "class", f->annotation);
	if (f->unit)
		put_attribute(w, "value", f->unit);
	put_varint(&w->elements, 0);
}

static void put_type(struct jfr_writer *w, const struct jfr_type *t)
{
	size_t fields = 0;
	bool is_simple;

	while (fields < 6 && t->fields[fields].name)
		fields++;
	/* The JDK replaces a value of such a type by its only field. */
	is_simple = fields == 1 && !t->super;
	put_ref(w, "class");
	put_varint(&w->elements, 2u + (t->super != NULL) + is_simple);
	put_number(w, "id", t->id);
	put_attribute(w, "name", t->name);
	if (t->super)
		put_attribute(w, "superType", t->super);
	if (is_simple)
		put_attribute(w, "simpleType", "true");
	put_varint(&w->elements, fields);
	for (size_t i = 0; i < fields; i++)
		put_field(w, &t->fields[i]);
}

/* Writes the type of an event; the order of fields is that of put_event(). */
static void put_event_type(struct jfr_writer *w, uint32_t event)
{
	const struct jfr_event *e = &w->events[event];
	struct jfr_type t = {
		TYPE_EVENTS + event, e->name, EVENT_SUPER, { { 0 } }
	};
	size_t n = 0;

	t.fields[n++] = (struct jfr_field){
		"startTime", TYPE_LONG, false, false, TYPE_TIMESTAMP, "TICKS"
	};
	if (e->unit == UNIT_NS)
		t.fields[n++] = (struct jfr_field){ "duration",    TYPE_LONG,
						    false,         false,
						    TYPE_TIMESPAN, "TICKS" };
	t.fields[n++] = (struct jfr_field){ e->is_sample ? "sampledThread"
							 : "eventThread",
					    TYPE_THREAD,
					    true,
					    false,
					    0,
					    NULL };
	t.fields[n++] = (struct jfr_field){
		"stackTrace", TYPE_STACK_TRACE, true, false, 0, NULL
	};
	if (e->has_state)
		t.fields[n++] = (struct jfr_field){ "state", TYPE_STATE, true,
						    false,   0,          NULL };
	if (e->class_field)
		t.fields[n++] = (struct jfr_field){
			e->class_field, TYPE_CLASS, true, false, 0, NULL
		};
	if (e->size)
		t.fields[n++] = (struct jfr_field){ e->size,
						    TYPE_LONG,
						    false,
						    false,
						    e->is_period ? TYPE_TIMESPAN
						    : e->unit == UNIT_BYTES
							    ? TYPE_AMOUNT
							    : 0,
						    e->is_period ? "TICKS"
						    : e->unit == UNIT_BYTES
							    ? "BYTES"
							    : NULL };
	put_type(w, &t);
}

static uint32_t setting_type(const struct jfr_writer *w)
{
	return TYPE_EVENTS + (uint32_t)w->profile->event_count;
}

/* The order of the fields is that of put_setting(). */
static void put_setting_type(struct jfr_writer *w)
{
	put_type(w, &(struct jfr_type){ setting_type(w),
					"jdk.ActiveSetting",
					EVENT_SUPER,
					{ { "startTime", TYPE_LONG, false,
					    false, TYPE_TIMESTAMP, "TICKS" },
					  { .name = "id", TYPE_LONG },
					  { .name = "name", TYPE_STRING },
					  { .name = "value", TYPE_STRING } } });
}

static void put_metadata(struct jfr_writer *w)
{
	size_t count = sizeof(types) / sizeof(*types), events = 1;
	char *size;

	for (uint32_t i = 0; i < w->profile->event_count; i++)
		events += w->view_of[i] != 0;
	put_ref(w, "root");
	put_varint(&w->elements, 0);
	put_varint(&w->elements, 2);
	put_ref(w, "metadata");
	put_varint(&w->elements, 0);
	put_varint(&w->elements, count + events);
	for (size_t i = 0; i < count; i++)
		put_type(w, &types[i]);
	for (uint32_t i = 0; i < w->profile->event_count; i++)
		if (w->view_of[i])
			put_event_type(w, i);
	put_setting_type(w);
	put_ref(w, "region");
	put_varint(&w->elements, 2);
	put_attribute(w, "locale", "en_US");
	put_attribute(w, "gmtOffset", "0");
	put_varint(&w->elements, 0);

	text_add(&w->body, "\0\0\0\0\0", 5); /* the size */
	put_varint(&w->body, TYPE_METADATA);
	put_varint(&w->body, 0); /* start */
	put_varint(&w->body, 0); /* duration */
	put_varint(&w->body, 1); /* id of the metadata */
	/* Strings count from 0, the empty one. */
	put_varint(&w->body, w->strings.count + 1);
	for (uint32_t id = 0; id <= w->strings.count; id++)
		put_string(&w->body, intern_text(&w->strings, id),
			   intern_len(&w->strings, id));
	text_add(&w->body, w->elements.bytes, w->elements.len);
	size = w->body.bytes;
	put_padded(size, w->body.len);
}

/* ---- pools ---- */

/* Symbols: 1 + a string of the profile; then the classes, with slashes. */
static uint64_t symbol_of_string(uint32_t string)
{
	return (uint64_t)string + 1;
}

static uint64_t symbol_of_class(const struct jfr_writer *w, uint32_t class_id)
{
	return w->profile->strings.count + 2 + class_id;
}

/* The id of a class; native functions belong to a class without a name. */
static uint32_t jfr_class(struct jfr_writer *w, uint32_t string)
{
	const char *name = profile_text(w->profile, string);
	struct text slashed = { 0 };

	if (w->class_of[string])
		return w->class_of[string];
	text_puts(&slashed, name);
	for (size_t i = 0; i < slashed.len; i++)
		if (slashed.bytes[i] == '.')
			slashed.bytes[i] = '/';
	/* 1 is the class without a name. */
	w->class_of[string] = 1 + intern_id(&w->classes, slashed.bytes,
					    slashed.len);
	text_release(&slashed);
	return w->class_of[string];
}

/* Returns the descriptor's symbol, the last one. */
static uint64_t symbol_of_descriptor(const struct jfr_writer *w)
{
	return symbol_of_class(w, (uint32_t)w->classes.count + 1);
}

static void pool_begin(struct jfr_writer *w, uint32_t type, uint64_t count)
{
	put_varint(&w->body, type);
	put_varint(&w->body, count);
}

static void put_symbol(struct jfr_writer *w, uint64_t id, const char *s,
		       size_t len)
{
	put_varint(&w->body, id);
	put_string(&w->body, s, len);
}

static void put_symbols(struct jfr_writer *w)
{
	const struct intern *strings = &w->profile->strings;

	pool_begin(w, TYPE_SYMBOL,
		   strings->count + 1 + w->classes.count + 1 + 1);
	for (uint32_t id = 0; id <= strings->count; id++)
		put_symbol(w, symbol_of_string(id), intern_text(strings, id),
			   intern_len(strings, id));
	for (uint32_t id = 0; id <= w->classes.count; id++)
		put_symbol(w, symbol_of_class(w, id),
			   intern_text(&w->classes, id),
			   intern_len(&w->classes, id));
	put_symbol(w, symbol_of_descriptor(w), "()V", 3);
}

static void put_classes(struct jfr_writer *w)
{
	pool_begin(w, TYPE_CLASS, w->classes.count + 1);
	for (uint32_t id = 0; id <= w->classes.count; id++) {
		put_varint(&w->body, id + (uint64_t)1);
		put_varint(&w->body, symbol_of_class(w, id));
		put_varint(&w->body, 0);
	}
}

/* A method for each frame: frames that differ in lines repeat it. */
static void put_methods(struct jfr_writer *w)
{
	const struct profile *p = w->profile;
	uint64_t count = 0;

	for (uint32_t id = 1; id < p->frame_count; id++)
		count += w->frames[id];
	pool_begin(w, TYPE_METHOD, count);
	for (uint32_t id = 1; id < p->frame_count; id++) {
		if (!w->frames[id])
			continue;
		put_varint(&w->body, id);
		put_varint(&w->body, jfr_class(w, p->frames[id].class_name));
		put_varint(&w->body, symbol_of_string(p->frames[id].method));
		put_varint(&w->body, symbol_of_descriptor(w));
		put_varint(&w->body, 0);
		put_varint(&w->body, 0);
	}
}

static void put_stack(struct jfr_writer *w, uint32_t stack)
{
	const struct profile *p = w->profile;
	size_t depth = 0;
	bool is_cut;

	for (uint32_t s = stack; s && depth <= w->result.depth;
	     s = p->stacks[s].caller)
		depth++;
	is_cut = depth > w->result.depth;
	w->result.cut += is_cut;
	depth -= is_cut;
	put_varint(&w->body, stack);
	text_putc(&w->body, (char)is_cut);
	put_varint(&w->body, depth);
	for (; depth; depth--, stack = p->stacks[stack].caller) {
		const struct frame *f = &p->frames[p->stacks[stack].frame];

		put_varint(&w->body, p->stacks[stack].frame);
		put_varint(&w->body, f->line);
		put_varint(&w->body, 0);
		/* A native frame is a C function to readers that know C++. */
		put_varint(&w->body, f->kind == FRAME_NATIVE && f->class_name
					     ? FRAME_JIT + (uint64_t)1
					     : f->kind + (uint64_t)1);
	}
}

static void put_stacks(struct jfr_writer *w)
{
	const struct profile *p = w->profile;
	uint64_t count = 0;

	for (uint32_t id = 1; id < p->stack_count; id++)
		count += w->stacks[id];
	pool_begin(w, TYPE_STACK_TRACE, count);
	for (uint32_t id = 1; id < p->stack_count; id++)
		if (w->stacks[id])
			put_stack(w, id);
}

static void put_threads(struct jfr_writer *w)
{
	const struct profile *p = w->profile;

	pool_begin(w, TYPE_THREAD, p->thread_count - 1);
	for (uint32_t id = 1; id < p->thread_count; id++) {
		const struct thread *t = &p->threads[id];
		const char *name = profile_text(p, t->name);
		size_t len = intern_len(&p->strings, t->name);

		put_varint(&w->body, id);
		put_string(&w->body, name, len);
		put_varint(&w->body, (uint64_t)t->os_id);
		put_string(&w->body, name, len);
		put_varint(&w->body, (uint64_t)t->java_id);
		text_putc(&w->body, t->is_virtual);
	}
}

/* Pools of texts: kinds of frames and states of threads. */
static void put_words(struct jfr_writer *w, uint32_t type,
		      const char *const *words, size_t count)
{
	pool_begin(w, type, count);
	for (size_t i = 0; i < count; i++) {
		put_varint(&w->body, i + 1);
		put_string(&w->body, words[i], strlen(words[i]));
	}
}

static void put_checkpoint(struct jfr_writer *w)
{
	static const char *const states[THREAD_STATES] = {
		[STATE_NONE] = "STATE_DEFAULT",
		[STATE_NEW] = "STATE_NEW",
		[STATE_RUNNABLE] = "STATE_RUNNABLE",
		[STATE_BLOCKED] = "STATE_BLOCKED_ON_MONITOR_ENTER",
		[STATE_WAITING] = "STATE_PARKED",
		[STATE_TIMED_WAITING] = "STATE_PARKED_TIMED",
		[STATE_TERMINATED] = "STATE_TERMINATED",
	};

	const struct profile *p = w->profile;

	w->checkpoint = w->body.len;
	text_add(&w->body, "\0\0\0\0\0", 5); /* the size */
	put_varint(&w->body, TYPE_CHECKPOINT);
	put_varint(&w->body, 0); /* start */
	put_varint(&w->body, 0); /* duration */
	put_varint(&w->body, 0); /* no previous checkpoint */
	text_putc(&w->body, 1);
	/* The JDK rejects an empty pool. */
	put_varint(&w->body, 4u + (p->thread_count > 1) + w->has_stacks * 2u);
	put_words(w, TYPE_FRAME_TYPE, kinds, FRAME_KINDS);
	put_words(w, TYPE_STATE, states, THREAD_STATES);
	if (p->thread_count > 1)
		put_threads(w);
	put_symbols(w);
	put_classes(w);
	if (w->has_stacks) {
		put_methods(w);
		put_stacks(w);
	}
	put_padded(w->body.bytes + w->checkpoint, w->body.len - w->checkpoint);
}

/* ---- events ---- */

/* Writes a chunk with the events so far. */
static void jfr_flush(struct jfr_writer *w)
{
	const struct profile *p = w->profile;
	struct text h = { 0 };
	int64_t start = p->bucket_ns ? p->earliest_ns : 1;
	/* Times may be anywhere: an unsigned difference cannot overflow. */
	uint64_t duration = p->bucket_ns
				    ? (uint64_t)p->latest_ns - (uint64_t)start
				    : 1;

	text_add(&h, "FLR\0", 4);
	put_big_endian(&h, 2, 2);
	put_big_endian(&h, 1, 2);
	put_big_endian(&h, HEADER_SIZE + w->body.len + w->chunk.len, 8);
	put_big_endian(&h, HEADER_SIZE + w->checkpoint, 8);
	put_big_endian(&h, HEADER_SIZE, 8);
	put_big_endian(&h, (uint64_t)start, 8);
	put_big_endian(&h, duration ? duration : 1, 8);
	put_big_endian(&h, 0, 8); /* ticks at the start */
	put_big_endian(&h, TICKS_PER_S, 8);
	put_big_endian(&h, 1, 4); /* compressed integers */
	output_write(w->out, h.bytes, h.len);
	output_write(w->out, w->body.bytes, w->body.len);
	output_write(w->out, w->chunk.bytes, w->chunk.len);
	text_clear(&w->chunk);
	text_release(&h);
}

static uint64_t jfr_ticks(const struct jfr_writer *w, const struct cell *c)
{
	const struct profile *p = w->profile;
	int64_t time;

	if (!c->bucket)
		return 0;
	time = (p->bucket_first + c->bucket - 1) * p->bucket_ns;
	return time > p->earliest_ns ? (uint64_t)time - (uint64_t)p->earliest_ns
				     : 0;
}

/* Sets the size of the event that begins at start: two bytes. */
static void put_size(struct text *t, size_t start)
{
	size_t len = t->len - start;

	t->bytes[start] = (char)(0x80 | (len & 0x7f));
	t->bytes[start + 1] = (char)(len >> 7);
}

/* Writes one event of a cell, with this part of its weight. */
static void put_event(struct jfr_writer *w, const struct cell *c,
		      uint64_t weight)
{
	const struct jfr_event *e = &w->events[c->event];
	uint32_t stack = e->class_field ? profile_calls(w->profile, c->stack)
					: c->stack;
	size_t start = w->chunk.len;
	struct text *t = &w->chunk;

	text_add(t, "\0\0", 2); /* the size */
	put_varint(t, TYPE_EVENTS + c->event);
	put_varint(t, jfr_ticks(w, c));
	if (e->unit == UNIT_NS)
		put_varint(t, weight);
	put_varint(t, c->thread);
	put_varint(t, stack);
	/* The pool has no entry 0; the JDK's samples always have a state. */
	if (e->has_state)
		put_varint(t, c->state || e->is_sample ? c->state + (uint64_t)1
						       : 0);
	if (e->class_field)
		put_varint(t, stack != c->stack
				      ? w->class_of[profile_leaf_class(
						w->profile, c->stack)]
				      : 0);
	if (e->size)
		put_varint(t, weight);
	put_size(t, start);
}

/* Writes the name of an event of the profile as a setting of its type. */
static void put_setting(struct jfr_writer *w, uint32_t event)
{
	const struct profile *p = w->profile;
	uint32_t name = p->events[event].name;
	size_t start = w->chunk.len, len = intern_len(&p->strings, name);
	struct text *t = &w->chunk;

	if (len > NAME_LONGEST)
		return;
	text_add(t, "\0\0", 2); /* the size */
	put_varint(t, setting_type(w));
	put_varint(t, 0); /* ticks */
	put_varint(t, TYPE_EVENTS + event);
	put_string(t, "sjkc", 4);
	put_string(t, profile_text(p, name), len);
	put_size(t, start);
}

static void put_events(struct jfr_writer *w)
{
	const struct profile *p = w->profile;
	uint64_t written = 0;

	for (uint32_t i = 0; i < p->event_count; i++) {
		if (w->view_of[i])
			put_setting(w, i);
	}
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint64_t n = c->count ? c->count : 1;

		if (!w->view_of[c->event])
			continue;
		if (n > JFR_EVENTS - written) {
			w->result.dropped += n - (JFR_EVENTS - written);
			n = JFR_EVENTS - written;
		}
		for (uint64_t k = 0; k < n; k++) {
			put_event(w, c, c->weight / n + (k < c->weight % n));
			if (w->chunk.len >= CHUNK_BYTES)
				jfr_flush(w);
		}
		written += n;
	}
	jfr_flush(w);
}

/* ---- the mapping ---- */

/* Names the type of an event; the JDK accepts names of Java classes only. */
static void jfr_name_type(struct jfr_event *e, const char *name)
{
	snprintf(e->own, sizeof(e->own), "%s%s",
		 strchr(name, '.') ? "" : "sjkc.", name);
	for (char *at = e->own; *at; at++) {
		bool starts = at == e->own || at[-1] == '.';

		if (!is_letter(*at) && (starts || !is_digit(*at)) &&
		    (*at != '.' || starts))
			*at = '_';
	}
	e->name = e->own;
}

/* Decides how an event is written, by its name and unit. */
static void jfr_describe(struct jfr_writer *w, uint32_t event)
{
	static const struct {
		const char *name, *type, *size, *class_field;
		bool is_sample;
	} known[] = {
		{ "jdk.ExecutionSample", NULL, NULL, NULL, true },
		{ "cpu", "jdk.ExecutionSample", NULL, NULL, true },
		{ "cpu-clock", "jdk.ExecutionSample", NULL, NULL, true },
		{ "task-clock", "jdk.ExecutionSample", NULL, NULL, true },
		/* A sample's weight depends on the previous sample. */
		{ "jdk.ObjectAllocationSample", "jdk.ObjectAllocationInNewTLAB",
		  "tlabSize", "objectClass", false },
		{ "alloc", "jdk.ObjectAllocationInNewTLAB", "tlabSize",
		  "objectClass", false },
		{ "jdk.ObjectAllocationInNewTLAB", NULL, "tlabSize",
		  "objectClass", false },
		{ "jdk.ObjectAllocationOutsideTLAB", NULL, "allocationSize",
		  "objectClass", false },
		{ "jdk.JavaMonitorEnter", NULL, NULL, "monitorClass", false },
		{ "lock", "jdk.JavaMonitorEnter", NULL, "monitorClass", false },
		{ "jdk.JavaMonitorWait", NULL, NULL, "monitorClass", false },
		{ "jdk.ThreadPark", NULL, NULL, "parkedClass", false },
		{ "profiler.WallClockSample", NULL, "samples", NULL, false },
		{ "jdk.CPUTimeSample", NULL, "samplingPeriod", NULL, false },
	};
	const struct event *source = &w->profile->events[event];
	struct jfr_event *e = &w->events[event];
	const char *name = profile_text(w->profile, source->name);

	e->name = name;
	e->unit = source->unit;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(name, known[i].name) != 0)
			continue;
		e->name = known[i].type ? known[i].type : name;
		e->size = known[i].size;
		e->class_field = known[i].class_field;
		e->is_sample = known[i].is_sample;
		e->is_period = strcmp(name, "jdk.CPUTimeSample") == 0;
		e->has_state = e->is_sample ||
			       strcmp(name, "profiler.WallClockSample") == 0;
		if (e->is_sample || e->is_period)
			e->unit = UNIT_SAMPLES;
		return;
	}
	jfr_name_type(e, name);
	e->has_state = true;
	if (e->unit == UNIT_BYTES)
		e->size = "size";
	else if (e->unit == UNIT_COUNT || source->weight != source->samples)
		e->size = e->unit == UNIT_NS ? NULL : "weight";
}

/* Marks the frames of all marked stack traces, each caller only once. */
static void jfr_mark_frames(struct jfr_writer *w)
{
	const struct profile *p = w->profile;
	uint8_t *used = array_new(p->stack_count, sizeof(*used));

	/* A callee's id is greater than its caller's. */
	for (uint32_t id = (uint32_t)p->stack_count; id-- > 1;) {
		if (!used[id] && !w->stacks[id])
			continue;
		used[p->stacks[id].caller] = 1;
		w->frames[p->stacks[id].frame] = 1;
	}
	free(used);
}

/* Sets the depth at which all stack traces have at most JFR_FRAMES frames. */
static void jfr_limit_depth(struct jfr_writer *w)
{
	const struct profile *p = w->profile;
	uint32_t *depths = array_new(p->stack_count, sizeof(*depths));
	uint64_t traces_at[JFR_DEPTH + 1] = { 0 };

	for (uint32_t id = 1; id < p->stack_count; id++) {
		depths[id] = depths[p->stacks[id].caller] + 1;
		if (w->stacks[id])
			traces_at[depths[id] < JFR_DEPTH ? depths[id]
							 : JFR_DEPTH]++;
	}
	w->result.depth = depth_limit(traces_at, JFR_DEPTH, JFR_FRAMES);
	free(depths);
}

/* Marks the stack traces and frames of the events, and names their classes. */
static void jfr_mark(struct jfr_writer *w)
{
	const struct profile *p = w->profile;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];
		uint32_t stack = c->stack;

		if (!w->view_of[c->event] || !stack)
			continue;
		if (w->events[c->event].class_field)
			stack = profile_calls(p, stack);
		if (stack != c->stack)
			jfr_class(w, profile_leaf_class(p, c->stack));
		w->stacks[stack] = 1;
		w->has_stacks = true;
	}
	jfr_mark_frames(w);
	for (uint32_t id = 1; id < p->frame_count; id++)
		if (w->frames[id])
			jfr_class(w, p->frames[id].class_name);
}

struct jfr_result jfr_write(struct output *out, const struct profile *p,
			    const struct event_view *views, size_t view_count)
{
	struct jfr_writer w = {
		.profile = p,
		.out = out,
		.view_of = views_of_events(p, views, view_count),
	};

	w.events = xcalloc(p->event_count + 1, sizeof(*w.events));
	w.stacks = array_new(p->stack_count + 1, sizeof(*w.stacks));
	w.frames = xcalloc(p->frame_count + 1, sizeof(*w.frames));
	w.class_of = xcalloc(p->strings.count + 1, sizeof(*w.class_of));
	for (uint32_t i = 0; i < p->event_count; i++)
		if (w.view_of[i])
			jfr_describe(&w, i);
	jfr_mark(&w);
	jfr_limit_depth(&w);
	put_metadata(&w);
	put_checkpoint(&w);
	put_events(&w);
	intern_release(&w.classes);
	intern_release(&w.strings);
	text_release(&w.elements);
	text_release(&w.body);
	text_release(&w.chunk);
	free(w.view_of);
	free(w.events);
	free(w.stacks);
	free(w.frames);
	free(w.class_of);
	return w.result;
}
