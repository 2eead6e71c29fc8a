/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sjkc jfr2json: writes the events of JFR recordings as JSON.
 *
 * All fields of all types are written, as the recording describes them. Events
 * are written as they are read; memory holds the positions of a chunk's
 * constants.
 */
#include "cmd/commands.h"
#include "cmd/shared/command.h"
#include "cmd/shared/log.h"
#include "cmd/shared/recording.h"
#include "core/base/alloc.h"
#include "core/base/input.h"
#include "core/base/intern.h"
#include "core/base/json.h"
#include "core/base/nearest.h"
#include "core/base/output.h"
#include "core/base/saturate.h"
#include "core/base/text.h"
#include "core/formats/jfr/jfr_chunk.h"
#include "core/formats/jfr/jfr_layout.h"
#include "core/formats/jfr/jfr_metadata.h"
#include "core/formats/jfr/jfr_string.h"
#include "core/formats/reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JFR2JSON_DEPTH  32 /* default of --max-depth */
#define JFR2JSON_LEVELS 60 /* limit of the JSON writer */
#define JFR2JSON_MOST_DEPTH                                                    \
	(JFR2JSON_LEVELS - 3) /* levels that jfr2json_is_full() allows */
#define JFR2JSON_FLUSH ((size_t)64 << 10)
/*
 * Constants may refer to one another, so an event may be much larger. Then most
 * output per byte of input: an event of 20 bytes may write out a stack trace of
 * 80 KB; JVMs stay far below on average. A fuzzer has lower limits.
 */
#ifndef JFR2JSON_EVENT
#define JFR2JSON_EVENT ((size_t)64 << 20)
#define JFR2JSON_TIMES 4096
#endif

static struct {
	const char *input, *output;
	struct option_list only, omit;
	uint64_t max_depth;
	bool list_types, lines;
} opt = { .max_depth = JFR2JSON_DEPTH };

/* The constants of a type: the offset of each value in the chunk, by key. */
struct constants {
	struct map64 keys;
	struct jfr_layout skip;
	bool is_compiled;
};

/* A value of several parts that is being written. */
struct level {
	const struct jfr_type *type;
	size_t field;                  /* index of the next field */
	const struct jfr_field *array; /* whose elements are written, or NULL */
	size_t left;                   /* number of elements */
	struct cursor c;
	bool is_pooled; /* c is not that of the level above */
	bool is_simple; /* no braces: its only field stands for the value */
};

struct conversion {
	struct output out;
	struct text text;
	struct json json;
	struct jfr_chunk chunk;
	struct jfr_metadata m;
	struct constants *constants; /* by index of the type */
	const struct jfr_type *string_type;
	uint64_t *offsets;
	size_t offset_count, offset_cap;
	struct level levels[JFR2JSON_LEVELS];
	size_t depth;
	uint64_t events, damaged, lost_bytes, chunks, bad_chunks, too_large;
	uint64_t missing;           /* references to lost constants */
	uint64_t made, limit;       /* bytes of JSON */
	uint64_t cut;               /* events beyond the limit */
	uint64_t unreadable;        /* chunks */
	struct error first_failure; /* of the first unreadable chunk */
	size_t failed_at;           /* its offset */
	struct intern declared;     /* names of the event types */
	pid_t writer; /* the process that still writes the input, or 0 */
	bool is_live; /* the chunk is the one that it writes */
	/*
	 * For --list-types: the numbers of events, by index of the type, and of
	 * all chunks by name.
	 */
	uint64_t *counts;
	struct intern names;
	uint64_t *totals;
	size_t total_count, total_cap;
};

/* Returns the next name of a list and its length, or NULL at the end. */
static const char *types_next(const char **at, size_t *len)
{
	const char *name = *at + strspn(*at, ", ");

	*len = strcspn(name, ", ");
	*at = name + *len;
	return *len ? name : NULL;
}

static bool types_have(const struct option_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->values[i], *one;
		size_t len;

		while ((one = types_next(&at, &len))) {
			if (strlen(name) == len && memcmp(name, one, len) == 0)
				return true;
		}
	}
	return false;
}

/* Prints which types of the list no chunk describes. */
static void types_check(const struct option_list *list,
			const struct intern *declared)
{
	for (size_t i = 0; i < list->count; i++) {
		const char *at = list->values[i], *one;
		size_t len;

		while ((one = types_next(&at, &len))) {
			struct nearest near = nearest_to(one, len);
			struct text hint = { 0 };

			if (intern_find(declared, one, len))
				continue;
			for (uint32_t id = 1; id <= declared->count; id++)
				nearest_offer(&near, intern_text(declared, id));
			text_puts(&hint, "");
			nearest_suggest(&near, &hint);
			log_info("the recording has no event type '%.*s'%s",
				 (int)len, one, hint.bytes);
			text_release(&hint);
		}
	}
}

static size_t type_index(const struct conversion *v, const struct jfr_type *t)
{
	return (size_t)(t - v->m.types);
}

/* Records where the values of one pool are; fails the cursor if it must. */
static void constants_read_pool(struct conversion *v, struct cursor *c)
{
	const struct jfr_type *t = jfr_type_by_id(&v->m, cursor_varint(c));
	size_t count = cursor_count(c, 1);
	struct constants *k;

	if (!t) {
		cursor_fail(c);
		return;
	}
	k = &v->constants[type_index(v, t)];
	if (!k->is_compiled)
		jfr_layout_compile(&k->skip, &v->m, t, NULL, 0, true);
	k->is_compiled = true;
	for (size_t i = 0; i < count && cursor_ok(c); i++) {
		uint64_t key = cursor_varint(c);
		size_t at = cursor_offset(c);

		jfr_layout_read(&k->skip, c, NULL, NULL);
		if (!cursor_ok(c) || map64_get(&k->keys, key) != MAP64_NONE)
			continue;
		array_reserve(v->offsets, v->offset_cap, v->offset_count + 1);
		map64_add(&k->keys, key, (uint32_t)v->offset_count);
		v->offsets[v->offset_count++] = at;
	}
}

/* Reads the checkpoints, the newest first: its values are current. */
static void constants_read(struct conversion *v, const struct jfr_scan *scan)
{
	for (size_t i = scan->count; i-- > 0;) {
		struct cursor c = jfr_event_at(&v->chunk, scan->checkpoints[i],
					       JFR_EVENT_CHECKPOINT);
		size_t pools;

		cursor_skip_varint(&c); /* start time */
		cursor_skip_varint(&c); /* duration */
		cursor_skip_varint(&c); /* position of the one before */
		cursor_u8(&c);          /* why the JVM wrote it */
		pools = cursor_count(&c, 2);
		for (size_t k = 0; k < pools && cursor_ok(&c); k++)
			constants_read_pool(v, &c);
		v->damaged += !cursor_ok(&c);
	}
}

/* Returns a cursor at a constant; failed if there is no such constant. */
static struct cursor constants_find(const struct conversion *v,
				    const struct jfr_type *t, uint64_t key)
{
	uint32_t at = map64_get(&v->constants[type_index(v, t)].keys, key);
	struct cursor none = v->chunk.bytes;

	if (at != MAP64_NONE)
		return cursor_from(&v->chunk.bytes, v->offsets[at]);
	cursor_fail(&none);
	return none;
}

static void jfr2json_put_string(struct conversion *v, struct jfr_string s)
{
	struct text text = { 0 };

	if (s.encoding == JFR_POOLED && v->string_type) {
		struct cursor c = constants_find(v, v->string_type, s.key);

		if (cursor_ok(&c))
			s = jfr_string_read(&c);
		else
			s.encoding = JFR_NULL;
	}
	if (s.encoding == JFR_NULL || s.encoding == JFR_POOLED) {
		json_null(&v->json);
		return;
	}
	jfr_string_text(&text, &s);
	json_string(&v->json, text.len ? text.bytes : "", text.len);
	text_release(&text);
}

static void jfr2json_put_double(struct json *j, double value, int digits)
{
	char text[64];

	if (isnan(value) || isinf(value)) {
		json_text(j, isnan(value) ? "NaN"
			     : value > 0  ? "Infinity"
					  : "-Infinity");
		return;
	}
	snprintf(text, sizeof(text), "%.*g", digits, value);
	json_number(j, text);
}

static float jfr2json_float(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double jfr2json_double(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Writes an integer: a time or a time span in ns, or as it is. */
static void jfr2json_put_integer(struct conversion *v, const struct jfr_type *t,
				 const struct jfr_field *f, uint64_t raw)
{
	int64_t value = (int64_t)raw;

	if (strcmp(t->name, "int") == 0)
		value = (int32_t)raw;
	else if (strcmp(t->name, "short") == 0)
		value = (int16_t)raw;
	else if (strcmp(t->name, "char") == 0)
		value = (uint16_t)raw;
	if (f->is_unsigned && f->unit == JFR_UNIT_NONE &&
	    strcmp(t->name, "long") == 0) {
		json_uint(&v->json, raw);
		return;
	}
	/* The JDK writes the least value for a time that is not known. */
	if (f->unit == JFR_UNIT_BYTES || f->unit == JFR_UNIT_BITS ||
	    f->unit == JFR_UNIT_NONE)
		json_int(&v->json, value);
	else if (value == INT64_MIN)
		json_null(&v->json);
	else
		json_int(&v->json, f->is_moment
					   ? jfr_clock_time(&v->chunk.clock,
							    value, f->unit)
					   : jfr_clock_span(&v->chunk.clock,
							    value, f->unit));
}

static void jfr2json_put_plain(struct conversion *v, const struct jfr_type *t,
			       const struct jfr_field *f, struct cursor *c)
{
	switch (t->wire) {
	case JFR_WIRE_BYTE:
		if (strcmp(t->name, "boolean") == 0)
			json_bool(&v->json, cursor_u8(c));
		else
			json_int(&v->json, (int8_t)cursor_u8(c));
		break;
	case JFR_WIRE_4:
		jfr2json_put_double(&v->json, jfr2json_float(cursor_u32(c)), 9);
		break;
	case JFR_WIRE_8:
		jfr2json_put_double(&v->json, jfr2json_double(cursor_u64(c)),
				    17);
		break;
	case JFR_WIRE_STRING:
		jfr2json_put_string(v, jfr_string_read(c));
		break;
	default:
		jfr2json_put_integer(v, t, f, cursor_varint(c));
	}
}

static bool jfr2json_is_full(const struct conversion *v)
{
	return v->depth >= opt.max_depth || v->depth + 2 > JFR2JSON_LEVELS ||
	       v->json.depth + 4 > JFR2JSON_LEVELS;
}

static void jfr2json_open(struct conversion *v, const struct jfr_type *t,
			  struct cursor c, bool is_pooled)
{
	struct level *l = &v->levels[v->depth++];

	*l = (struct level){
		.type = t,
		.c = c,
		.is_pooled = is_pooled,
		/* The event itself has eventType, too. */
		.is_simple = t->is_simple && t->field_count == 1 &&
			     !t->is_event && v->depth > 1,
	};
	if (!l->is_simple)
		json_open_object(&v->json);
}

/* Skips an inline value that is nested too deeply. */
static void jfr2json_skip(struct conversion *v, const struct jfr_type *t,
			  struct cursor *c)
{
	struct constants *k = &v->constants[type_index(v, t)];

	if (!k->is_compiled)
		jfr_layout_compile(&k->skip, &v->m, t, NULL, 0, true);
	k->is_compiled = true;
	jfr_layout_read(&k->skip, c, NULL, NULL);
	json_null(&v->json);
}

/* Writes a value, or opens a level for it. */
static void jfr2json_put_value(struct conversion *v, struct level *l,
			       const struct jfr_field *f)
{
	const struct jfr_type *t = jfr_type_by_id(&v->m, f->type_id);
	struct cursor pooled;

	if (!t) {
		cursor_fail(&l->c);
		json_null(&v->json);
		return;
	}
	if (f->in_pool) {
		uint64_t key = cursor_varint(&l->c);

		pooled = constants_find(v, t, key);
		/* JVMs omit a few constants of complete chunks, too. */
		if (key && !cursor_ok(&pooled) &&
		    jfr_chunk_is_damaged(&v->chunk))
			v->missing++;
		if (!cursor_ok(&pooled) || jfr2json_is_full(v))
			json_null(&v->json);
		else if (t->wire == JFR_WIRE_STRUCT)
			jfr2json_open(v, t, pooled, true);
		else
			jfr2json_put_plain(v, t, f, &pooled);
	} else if (t->wire != JFR_WIRE_STRUCT) {
		jfr2json_put_plain(v, t, f, &l->c);
	} else if (jfr2json_is_full(v)) {
		jfr2json_skip(v, t, &l->c);
	} else {
		jfr2json_open(v, t, l->c, false);
	}
}

/* Closes the innermost level, whose fields are complete. */
static void jfr2json_close(struct conversion *v)
{
	const struct level *l = &v->levels[--v->depth];
	struct level *above = v->depth ? &v->levels[v->depth - 1] : NULL;

	if (!l->is_simple)
		json_close_object(&v->json);
	if (above && !l->is_pooled)
		above->c = l->c;
}

static void jfr2json_start_field(struct conversion *v, struct level *l)
{
	const struct jfr_field
		*f = &v->m.fields[l->type->first_field + l->field++];

	if (!l->is_simple)
		json_foreign_key(&v->json, f->name);
	if (!f->is_array) {
		jfr2json_put_value(v, l, f);
		return;
	}
	json_open_array(&v->json);
	l->array = f;
	l->left = cursor_count(&l->c, 1);
}

static void jfr2json_put_event(struct conversion *v, const struct jfr_type *t,
			       struct cursor event)
{
	size_t start = v->text.len;
	bool failed = false;

	v->json = json_into(&v->text);
	v->depth = 0;
	jfr2json_open(v, t, event, true);
	json_add_text(&v->json, "eventType", t->name);
	while (v->depth && !failed) {
		struct level *l = &v->levels[v->depth - 1];

		failed = !cursor_ok(&l->c) ||
			 v->text.len - start > JFR2JSON_EVENT;
		if (failed)
			break;
		if (l->array && l->left) {
			l->left--;
			jfr2json_put_value(v, l, l->array);
		} else if (l->array) {
			json_close_array(&v->json);
			l->array = NULL;
		} else if (l->field < l->type->field_count) {
			jfr2json_start_field(v, l);
		} else {
			jfr2json_close(v);
		}
	}
	v->made = saturate_add(v->made, v->text.len - start);
	if (failed) {
		v->too_large += v->text.len - start > JFR2JSON_EVENT;
		v->damaged++;
		v->text.len = start;
	}
}

static void jfr2json_add_event(struct conversion *v, const struct jfr_type *t,
			       struct cursor event)
{
	size_t before = v->text.len;
	const char *between = v->events ? (opt.lines ? "\n" : ",\n") : "";
	size_t start;

	if (v->counts) {
		v->counts[type_index(v, t)]++;
		return;
	}
	if (v->made >= v->limit) {
		v->cut++;
		return;
	}
	text_puts(&v->text, between);
	start = v->text.len;
	jfr2json_put_event(v, t, event);
	if (v->text.len == start)
		v->text.len = before;
	else
		v->events++;
	if (v->text.len >= JFR2JSON_FLUSH) {
		output_write(&v->out, v->text.bytes, v->text.len);
		text_clear(&v->text);
	}
}

/* Writes all events; after damage, continues where events are plausible. */
static void jfr2json_read_events(struct conversion *v)
{
	struct cursor c = jfr_chunk_events(&v->chunk);
	bool damaged = jfr_chunk_is_damaged(&v->chunk);
	struct cursor event;
	uint64_t id;

	for (;;) {
		size_t at, next;

		while (damaged ? jfr_next_known(&v->chunk, &v->m, &c, &id,
						&event)
			       : jfr_next_event(&c, &id, &event)) {
			const struct jfr_type *t = jfr_type_by_id(&v->m, id);

			if (id > JFR_EVENT_CHECKPOINT && t && t->is_event &&
			    (!opt.only.count ||
			     types_have(&opt.only, t->name)) &&
			    !types_have(&opt.omit, t->name))
				jfr2json_add_event(v, t, event);
		}
		at = cursor_offset(&c);
		if (c.at == c.end)
			return;
		next = jfr_find_event(&v->chunk, &v->m, at + 1);
		/* The process is still writing the last event. */
		if (!next && v->is_live)
			return;
		if (!next)
			next = at + cursor_left(&c);
		v->lost_bytes += next - at;
		cursor_skip(&c, next - at);
	}
}

static int jfr2json_read_metadata(struct conversion *v, struct error *err)
{
	struct cursor event = jfr_event_at(&v->chunk, v->chunk.metadata,
					   JFR_EVENT_METADATA);
	struct jfr_scan scan = { 0 };

	if (!cursor_ok(&event)) {
		jfr_scan_events(&scan, &v->chunk, NULL);
		event = jfr_event_at(&v->chunk, scan.metadata,
				     JFR_EVENT_METADATA);
		jfr_scan_release(&scan);
	}
	if (!cursor_ok(&event))
		return fail(err, ERROR_INPUT,
			    "its type descriptions are missing");
	cursor_skip_varint(&event); /* start time */
	cursor_skip_varint(&event); /* duration */
	cursor_skip_varint(&event); /* id */
	return jfr_metadata_read(&v->m, event, err);
}

/* Adds the chunk's numbers of events to those of all chunks. */
static void jfr2json_add_counts(struct conversion *v)
{
	for (size_t i = 0; i < v->m.type_count; i++) {
		const char *name = v->m.types[i].name;
		uint32_t id;

		if (!v->counts[i])
			continue;
		id = intern_id(&v->names, name, strlen(name));
		array_reserve(v->totals, v->total_cap, id + 1);
		while (v->total_count <= id)
			v->totals[v->total_count++] = 0;
		v->totals[id] += v->counts[i];
	}
	free(v->counts);
	v->counts = NULL;
}

/* Returns the number of types. */
static uint64_t jfr2json_put_types(struct conversion *v)
{
	for (uint32_t id = 1; id < v->total_count; id++)
		text_printf(&v->text, "%s %" PRIu64 "\n",
			    intern_text(&v->names, id), v->totals[id]);
	return v->names.count;
}

static int jfr2json_read_chunk(struct conversion *v, struct error *err)
{
	struct jfr_scan scan = { 0 };

	if (jfr2json_read_metadata(v, err))
		return -1;
	v->constants = xcalloc(v->m.type_count + 1, sizeof(*v->constants));
	v->string_type = NULL;
	for (size_t i = 0; i < v->m.type_count; i++) {
		const struct jfr_type *t = &v->m.types[i];

		if (t->wire == JFR_WIRE_STRING)
			v->string_type = t;
		if (t->is_event)
			intern_id(&v->declared, t->name, strlen(t->name));
	}
	jfr_scan_events(&scan, &v->chunk, &v->m);
	constants_read(v, &scan);
	jfr_scan_release(&scan);
	if (opt.list_types)
		v->counts = xcalloc(v->m.type_count + 1, sizeof(*v->counts));
	jfr2json_read_events(v);
	if (v->counts)
		jfr2json_add_counts(v);
	for (size_t i = 0; i < v->m.type_count; i++) {
		map64_release(&v->constants[i].keys);
		jfr_layout_release(&v->constants[i].skip);
	}
	free(v->constants);
	v->constants = NULL;
	v->offset_count = 0;
	jfr_metadata_release(&v->m);
	return 0;
}

/*
 * Reads the chunk at an offset; a chunk that is not readable is counted.
 * Returns the offset behind it, where the next chunk may have to be searched
 * for.
 */
static size_t jfr2json_read_at(struct conversion *v, const struct input *in,
			       size_t offset)
{
	struct error why = { 0 };
	int ret;

	v->chunk = jfr_chunk_open(in->bytes, in->len, offset);
	v->chunks++;
	if (v->chunk.unfinished && !v->writer)
		v->writer = recording_writer(opt.input);
	ret = jfr_chunk_check_kind(&v->chunk, &why);
	if (ret == 0 && jfr_chunk_is_damaged(&v->chunk))
		jfr_chunk_measure(&v->chunk, in->len);
	v->is_live = v->chunk.unfinished && v->writer;
	/* A chunk that only data follows is not damaged. */
	v->bad_chunks += ret == 0 && jfr_chunk_is_damaged(&v->chunk) &&
			 !v->is_live;
	/* The size of an unsupported chunk may be wrong, too. */
	if (ret && jfr_chunk_is_damaged(&v->chunk))
		v->chunk.bytes.end = v->chunk.bytes.base + 1;
	if (ret == 0)
		ret = jfr2json_read_chunk(v, &why);
	if (ret) {
		v->lost_bytes += cursor_left(&v->chunk.bytes);
		if (!v->unreadable++) {
			v->first_failure = why;
			v->failed_at = offset;
		}
	}
	return offset + cursor_left(&v->chunk.bytes);
}

static int jfr2json_read(struct conversion *v, const struct input *in,
			 struct error *err)
{
	size_t offset = 0;

	v->limit = JFR2JSON_EVENT + (uint64_t)in->len * JFR2JSON_TIMES;
	while (offset < in->len) {
		if (in->len - offset < JFR_HEADER_SIZE ||
		    !jfr_reader.sniff(in->bytes + offset, in->len - offset)) {
			size_t next = jfr_chunk_find(in->bytes, in->len,
						     offset + 1);

			v->lost_bytes += next - offset;
			offset = next;
			continue;
		}
		offset = jfr2json_read_at(v, in, offset);
		if (output_check(&v->out, err))
			return -1;
	}
	if (!v->chunks)
		return fail(
			err, ERROR_INPUT,
			jfr_is_header(in->bytes, in->len)
				? "the header of the first chunk is truncated"
				: "not a JFR recording: it contains no "
				  "chunk header");
	if (v->unreadable == v->chunks) {
		*err = v->first_failure;
		return -1;
	}
	return 0;
}

/* Fails if events or other parts of the input are missing in the output. */
static int jfr2json_check_losses(const struct conversion *v,
				 const struct input *in, struct error *err)
{
	struct text cut = { 0 };

	if (v->unreadable)
		log_always("%s: lost: unreadable chunks: %" PRIu64
			   " (first: the one at offset %zu: %s)",
			   in->name, v->unreadable, v->failed_at,
			   v->first_failure.text);
	if (!v->damaged && !v->lost_bytes && !v->bad_chunks && !v->cut &&
	    !in->damage)
		return 0;
	text_puts(&cut, "");
	if (v->cut)
		text_printf(&cut,
			    ", %" PRIu64 " events omitted because the output "
			    "exceeds %d times the input",
			    v->cut, JFR2JSON_TIMES);
	fail(err, ERROR_PARTIAL,
	     "the output is incomplete: %" PRIu64 " damaged events, %" PRIu64
	     " of them too large, %" PRIu64 " missing constants, %" PRIu64
	     " unreadable bytes, %" PRIu64
	     " truncated or unfinished chunks%s%s%s",
	     v->damaged, v->too_large, v->missing, v->lost_bytes, v->bad_chunks,
	     cut.bytes, in->damage ? ", " : "", in->damage ? in->damage : "");
	text_release(&cut);
	return -1;
}

static int jfr2json_finish(struct conversion *v, const struct input *in,
			   struct error *err)
{
	uint64_t count = v->events;

	if (opt.list_types)
		count = jfr2json_put_types(v);
	else if (!opt.lines)
		text_puts(&v->text, v->events ? "\n]" : "]");
	if (!opt.list_types && (!opt.lines || v->events))
		text_putc(&v->text, '\n');
	output_write(&v->out, v->text.bytes, v->text.len);
	if (output_commit(&v->out, err))
		return -1;
	if (strcmp(v->out.name, "<stdout>") != 0)
		log_info("wrote %s: %" PRIu64 " %s", v->out.name, count,
			 opt.list_types ? "types" : "events");
	if (v->writer)
		log_info("%s: recordings that are still being written: 1 "
			 "(first: by process %d)",
			 in->name, (int)v->writer);
	types_check(&opt.only, &v->declared);
	types_check(&opt.omit, &v->declared);
	return jfr2json_check_losses(v, in, err);
}

static int jfr2json_convert(struct conversion *v, struct error *err)
{
	struct input in = { 0 };
	int ret = input_open_single(&in, opt.input, err);

	if (ret == 0)
		ret = input_complete(&in, err);
	if (ret)
		fail_in(err, "%s", in.name);
	if (ret == 0)
		ret = output_open(&v->out, opt.output ? opt.output : "-", err);
	if (ret == 0 && !opt.list_types && !opt.lines)
		text_puts(&v->text, "[\n");
	if (ret == 0) {
		ret = jfr2json_read(v, &in, err);
		if (ret)
			fail_in(err, "%s", in.name);
	}
	if (ret == 0)
		ret = jfr2json_finish(v, &in, err);
	output_close(&v->out);
	input_close(&in);
	return ret;
}

static int jfr2json_run(int argc, char **argv, struct error *err)
{
	struct conversion *v;
	int ret;

	if (!opt.input && argc == 1)
		opt.input = argv[0];
	else if (argc)
		return misuse(err, "jfr2json reads one recording");
	if (!opt.input)
		return misuse(err, "missing <file>; - reads "
				   "standard input");
	v = xcalloc(1, sizeof(*v));
	ret = jfr2json_convert(v, err);
	text_release(&v->text);
	intern_release(&v->names);
	intern_release(&v->declared);
	free(v->totals);
	free(v->offsets);
	free(v);
	return ret;
}

static const struct refusal refusals[] = {
	{ "--force-jdk-parser --force-mc-parser",
	  "sjkc has one JFR reader for all versions; omit the option" },
	{ NULL, NULL },
};

/* clang-format off */
static const struct command_option options[] = {
	OPT_STRING('i', "input", &opt.input, "<file>",
		   "read this recording; - is stdin"),
	OPT_STRING('o', "output", &opt.output, "<file>",
		   "write to this file (default: standard output)"),
	OPT_LIST(0, "whitelist", &opt.only, "<type>",
		 "write only events of these types",
		 .single = true, .aliases = "-wl"),
	OPT_LIST(0, "blacklist", &opt.omit, "<type>",
		 "omit events of these types",
		 .single = true, .aliases = "-bl"),
	OPT_COUNT(0, "max-depth", &opt.max_depth, "<count>",
		  "write deeper values as null",
		  .most = JFR2JSON_MOST_DEPTH),
	OPT_FLAG(0, "list-types", &opt.list_types,
		 "print the number of events of each type"),
	OPT_FLAG(0, "json-lines", &opt.lines,
		 "write one event per line without an array"),
	OPT_END,
};
/* clang-format on */

const struct command jfr2json_command = {
	.name = "jfr2json",
	.synopsis = "jfr2json [<options>] <recording>",
	.summary = "write the events of a JFR recording as JSON",
	.group = "SJK's files",
	.examples = "  sjkc jfr2json dump.jfr -o dump.json\n"
		    "  sjkc jfr2json --list-types dump.jfr\n"
		    "  sjkc jfr2json --whitelist jdk.GarbageCollection "
		    "dump.jfr | jq "
		    ".\n",
	.options = options,
	.has_messages = true,
	.refusals = refusals,
	.run = jfr2json_run,
};
