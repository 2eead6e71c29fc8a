/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes profiles as OpenTelemetry requests (opentelemetry-proto 1.10 and 1.11,
 * collector/profiles/v1development).
 *
 * All profiles of a request share one dictionary. An entry of a table is an
 * encoded message, and its index is its id in an interner: so index 0 is the
 * empty message, no entry appears twice, and each entry is referenced.
 */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "core/base/ascii.h"
#include "core/base/intern.h"
#include "core/base/protobuf.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/base/version.h"
#include "core/formats/otlp_fields.h"
#include "core/profile/bias.h"
#include "render/tree/sort.h"
#include "render/tree/trace_tree.h"

#include <stdlib.h>
#include <string.h>

struct otlp_request {
	struct intern tables[OTLP_TABLES];
	struct text resources; /* encoded resources with their profiles */
	size_t table_bytes;    /* of all entries, approximately */
};

/* The resource that is being added. */
struct otlp_part {
	struct otlp_request *request;
	const struct profile *profile;
	const struct otlp_options *options;
	uint32_t *locations;   /* by frame: index, or 0 if not encoded yet */
	uint32_t *stacks;      /* by stack trace: likewise, without threads */
	uint32_t *sets;        /* by thread and state: 1 + id in set_ids */
	struct intern set_ids; /* sets of attributes, as packed indexes */
	size_t depth;          /* maximum number of frames of a stack trace */
	struct row *rows;      /* a row per cell of the current view */
	struct text scopes, profile_bytes, message, inner, packed, name;
	uint64_t cut; /* samples with truncated stack traces */
};

/* ---- the dictionary ---- */

static uint32_t otlp_entry(struct otlp_request *r, enum otlp_table table,
			   const void *bytes, size_t len)
{
	size_t before = r->tables[table].count;
	uint32_t id = intern_id(&r->tables[table], bytes, len);

	if (r->tables[table].count != before)
		r->table_bytes += len + 3;
	return id;
}

/* Adds a message to a table and clears its text. */
static uint32_t otlp_put_entry(struct otlp_request *r, enum otlp_table table,
			       struct text *message)
{
	uint32_t id = otlp_entry(r, table, message->bytes, message->len);

	text_clear(message);
	return id;
}

/* Adds a string, which must be valid UTF-8. */
static uint32_t otlp_string(struct otlp_request *r, const char *text,
			    size_t len)
{
	return otlp_entry(r, TABLE_STRING, text, len);
}

static uint32_t otlp_word(struct otlp_request *r, const char *word)
{
	return otlp_string(r, word, strlen(word));
}

/* Adds an attribute whose value is a string; returns its index. */
static uint32_t otlp_text_attribute(struct otlp_part *w, const char *key,
				    const char *value, size_t len)
{
	protobuf_bytes(&w->inner, VALUE_STRING, value, len);
	protobuf_uint(&w->message, ENTRY_KEY, otlp_word(w->request, key));
	protobuf_message(&w->message, ENTRY_VALUE, &w->inner);
	return otlp_put_entry(w->request, TABLE_ATTRIBUTE, &w->message);
}

static uint32_t otlp_number_attribute(struct otlp_part *w, const char *key,
				      int64_t value)
{
	protobuf_uint(&w->inner, VALUE_INT, (uint64_t)value);
	protobuf_uint(&w->message, ENTRY_KEY, otlp_word(w->request, key));
	protobuf_message(&w->message, ENTRY_VALUE, &w->inner);
	return otlp_put_entry(w->request, TABLE_ATTRIBUTE, &w->message);
}

/* ---- stack traces ---- */

/* Returns the profile.frame.type of a frame; NULL = none. */
static const char *otlp_frame_type(enum frame_kind kind)
{
	static const char *const types[FRAME_KINDS] = {
		[FRAME_INTERPRETED] = "jvm", [FRAME_C1] = "jvm",
		[FRAME_JIT] = "jvm",         [FRAME_INLINED] = "jvm",
		[FRAME_JAVA] = "jvm",        [FRAME_NATIVE] = "native",
		[FRAME_CPP] = "native",      [FRAME_KERNEL] = "kernel",
	};

	return types[kind];
}

/* Adds the location of a function, whose name is in w->name. */
static uint32_t otlp_put_location(struct otlp_part *w, uint32_t line,
				  const char *type)
{
	uint32_t attribute = 0, function;

	if (type)
		attribute = otlp_text_attribute(w, "profile.frame.type", type,
						strlen(type));
	protobuf_uint(&w->message, FUNCTION_NAME,
		      otlp_string(w->request, w->name.bytes, w->name.len));
	function = otlp_put_entry(w->request, TABLE_FUNCTION, &w->message);
	protobuf_uint(&w->inner, LINE_FUNCTION, function);
	protobuf_uint(&w->inner, LINE_LINE, line);
	protobuf_message(&w->message, LOCATION_LINES, &w->inner);
	if (attribute) {
		text_varint(&w->packed, attribute);
		protobuf_message(&w->message, LOCATION_ATTRIBUTES, &w->packed);
	}
	text_clear(&w->name);
	return otlp_put_entry(w->request, TABLE_LOCATION, &w->message);
}

static uint32_t otlp_frame_location(struct otlp_part *w, uint32_t frame)
{
	const struct style *style = &w->options->style;
	const struct style named = {
		.simple = style->simple,
		.annotate = style->annotate,
	};
	const struct frame *f = &w->profile->frames[frame];

	if (!w->locations[frame]) {
		frame_name(&w->name, w->profile, f, &named);
		w->locations[frame] = otlp_put_location(
			w, style->lines ? f->line : 0,
			otlp_frame_type(f->kind));
	}
	return w->locations[frame];
}

/*
 * Encodes the locations of a stack trace, leaf first. A deep stack trace loses
 * the frames at its root: receivers would remove those at the leaf.
 */
static uint32_t otlp_put_stack(struct otlp_part *w, uint32_t stack,
			       uint32_t thread)
{
	const struct stack *stacks = w->profile->stacks;
	struct text list = { 0 };
	size_t depth = 0;
	uint32_t id;

	if (!stack) {
		text_puts(&w->name, "[no stack trace]");
		text_varint(&list, otlp_put_location(w, 0, NULL));
	}
	for (; stack && depth < w->depth; stack = stacks[stack].caller) {
		text_varint(&list, otlp_frame_location(w, stacks[stack].frame));
		depth++;
	}
	if (w->options->style.threads && depth < OTLP_DEPTH) {
		thread_frame_name(&w->name, w->profile, thread);
		text_varint(&list, otlp_put_location(w, 0, NULL));
	}
	protobuf_message(&w->message, STACK_LOCATIONS, &list);
	id = otlp_put_entry(w->request, TABLE_STACK, &w->message);
	text_release(&list);
	return id;
}

static uint32_t otlp_stack(struct otlp_part *w, const struct cell *c)
{
	if (w->options->style.threads)
		return otlp_put_stack(w, c->stack, c->thread);
	if (!w->stacks[c->stack])
		w->stacks[c->stack] = otlp_put_stack(w, c->stack, 0);
	return w->stacks[c->stack];
}

/* Returns the depths of all stack traces: a callee's id is the greater one. */
static uint32_t *otlp_depths(const struct profile *p)
{
	uint32_t *depths = array_new(p->stack_count, sizeof(*depths));

	for (size_t i = 1; i < p->stack_count; i++)
		depths[i] = depths[p->stacks[i].caller] + 1;
	return depths;
}

/* Sets the maximum depth, so that the request has a limited size. */
static void otlp_fit(struct otlp_part *w, const uint32_t *view_of)
{
	const struct profile *p = w->profile;
	uint64_t most = w->options->most_frames ? w->options->most_frames
						: OTLP_FRAMES;
	uint64_t traces_at[OTLP_DEPTH + 1] = { 0 };
	bool *used = array_new(p->stack_count, sizeof(*used));
	uint32_t *depths = otlp_depths(p);

	for (size_t i = 0; i < p->cell_count; i++)
		if (view_of[p->cells[i].event])
			used[p->cells[i].stack] = true;
	for (size_t i = 1; i < p->stack_count; i++)
		if (used[i])
			traces_at[depths[i] < OTLP_DEPTH ? depths[i]
							 : OTLP_DEPTH]++;
	w->depth = depth_limit(traces_at, OTLP_DEPTH, most);
	for (size_t i = 0; i < p->cell_count; i++)
		if (view_of[p->cells[i].event] &&
		    depths[p->cells[i].stack] > w->depth)
			w->cut = saturate_add(w->cut, p->cells[i].count);
	free(used);
	free(depths);
}

/* ---- attributes of samples ---- */

static size_t hex_length(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && hex_digit(text[n]) >= 0)
		n++;
	return n;
}

/* The length of a UUID, or of an identifier of 8 or more hex digits; or 0. */
static size_t name_id_length(const char *text, size_t len)
{
	static const size_t uuid[] = { 8, 4, 4, 4, 12 };
	size_t first = hex_length(text, len), at = 0;

	for (size_t i = 0; i < 5; i++) {
		if (i && (at == len || text[at++] != '-'))
			break;
		if (hex_length(text + at, len - at) != uuid[i])
			break;
		at += uuid[i];
		if (i == 4)
			return at;
	}
	if (first < 8 || (first < len && is_letter(text[first])))
		return 0;
	for (size_t i = 0; i < first; i++)
		if (is_digit(text[i]))
			return first;
	return 0; /* a word of the letters a to f */
}

void otlp_fold_name(struct text *name)
{
	const char *bytes = name->bytes;
	size_t len = 0, i = 0;

	/* C1, C2 and G1 of the VM's threads, e.g. "C2 CompilerThread0" */
	if (name->len > 2 && bytes[0] >= 'A' && bytes[0] <= 'Z' &&
	    is_digit(bytes[1]) && bytes[2] == ' ')
		len = i = 2;
	while (i < name->len) {
		bool begins = !i || !(is_letter(bytes[i - 1]) ||
				      is_digit(bytes[i - 1]));
		size_t id = begins ? name_id_length(bytes + i, name->len - i)
				   : 0;

		if (!id && is_digit(bytes[i]))
			id = 1;
		if (!id)
			name->bytes[len++] = bytes[i++];
		else if (!len || name->bytes[len - 1] != '#')
			name->bytes[len++] = '#';
		i += id;
	}
	name->len = len;
}

static void otlp_add_thread(struct otlp_part *w, struct text *set,
			    uint32_t thread)
{
	const struct profile *p = w->profile;
	const struct thread *t = &p->threads[thread];
	bool folds = w->options->threads == THREADS_FOLDED;

	safe_text(&w->name, profile_text(p, t->name),
		  intern_len(&p->strings, t->name));
	if (folds)
		otlp_fold_name(&w->name);
	if (w->name.len)
		text_varint(set,
			    otlp_text_attribute(w, "thread.name", w->name.bytes,
						w->name.len));
	text_clear(&w->name);
	if (t->os_id && !folds)
		text_varint(set,
			    otlp_number_attribute(w, "thread.id", t->os_id));
	if (t->java_id && !folds)
		text_varint(set, otlp_number_attribute(w, "java_thread_id",
						       t->java_id));
}

/* Returns the id of the attributes of a cell's thread and state. */
static uint32_t otlp_set(struct otlp_part *w, const struct cell *c)
{
	uint32_t
		*known = &w->sets[(size_t)c->thread * THREAD_STATES + c->state];
	const char *state = thread_state_names[c->state];
	struct text set = { 0 };

	if (*known)
		return *known - 1;
	if (c->thread && w->options->threads != THREADS_OMITTED)
		otlp_add_thread(w, &set, c->thread);
	if (c->state != STATE_NONE)
		text_varint(&set, otlp_text_attribute(w, "thread_state", state,
						      strlen(state)));
	*known = intern_id(&w->set_ids, set.bytes, set.len) + 1;
	text_release(&set);
	return *known - 1;
}

/* ---- profiles ---- */

/* The types of a view's values, by the conventions of receivers. */
struct otlp_types {
	const char *type, *unit;
	const char *period_type, *period_unit; /* NULL: an empty message */
	uint64_t period;
	bool weighs; /* a value is a weight, not a number of samples */
};

static const char *otlp_unit(enum unit unit)
{
	static const char *const units[] = {
		[UNIT_SAMPLES] = "count",
		[UNIT_NS] = "nanoseconds",
		[UNIT_BYTES] = "bytes",
		[UNIT_COUNT] = "count",
	};

	return units[unit];
}

/*
 * Samples of a CPU clock are counted, and the period is the CPU time of a
 * sample: Pyroscope stores the product as process_cpu. Other names are those
 * under which Pyroscope and Parca show such profiles.
 */
static struct otlp_types otlp_types_of(const struct otlp_part *w,
				       const struct event_view *view,
				       const char *name)
{
	uint64_t period = rate_period(w->profile, view);
	const char *unit = otlp_unit(view->unit);
	bool is_clock = strcmp(name, "cpu") == 0 && period &&
			view->weight / period == view->samples;
	bool counts = !w->options->style.weights || is_clock ||
		      view->unit == UNIT_SAMPLES;
	/* Wall-clock time includes waits, whose samples last longer. */
	bool varies = strcmp(name, "wall") == 0 && view->unit == UNIT_NS;

	if (strcmp(name, "offcpu") == 0 && !counts)
		return (struct otlp_types){ .type = "off_cpu",
					    .unit = unit,
					    .weighs = true };
	/*
	 * The values are bytes that the samples represent (agent.c).  Pyroscope
	 * and Parca multiply values by the period only for samples/count.
	 */
	if (strcmp(name, "alloc") == 0 && view->unit == UNIT_BYTES)
		return (struct otlp_types){
			.type = counts ? "alloc_objects" : "alloc_space",
			.unit = counts ? "count" : unit,
			.period_type = "memory",
			.period_unit = "bytes",
			.period = period ? period : 1,
			.weighs = !counts,
		};
	if (strcmp(name, "nativemem") == 0 && view->unit == UNIT_BYTES)
		return (struct otlp_types){
			.type = counts ? "inuse_objects" : "inuse_space",
			.unit = counts ? "count" : unit,
			.period_type = "memory",
			.period_unit = "bytes",
			.period = period ? period : 1,
			.weighs = !counts,
		};
	if (strcmp(name, "lock") == 0 && view->unit == UNIT_NS)
		return (struct otlp_types){
			.type = counts ? "contentions" : "delay",
			.unit = counts ? "count" : unit,
			.period_type = "mutex",
			.period_unit = "count",
			.period = 1,
			.weighs = !counts,
		};
	if (counts && period && !varies)
		return (struct otlp_types){
			.type = "samples",
			.unit = "count",
			/* The name that other writers give samples of a CPU. */
			.period_type = strcmp(name, "samples") ? name : "cpu",
			.period_unit = "nanoseconds",
			.period = period,
			.weighs = view->unit == UNIT_SAMPLES,
		};
	return (struct otlp_types){
		.type = name,
		.unit = counts ? "count" : unit,
		.period_type = name,
		.period_unit = counts ? "count" : unit,
		.period = period ? period : 1,
		.weighs = !counts || view->unit == UNIT_SAMPLES,
	};
}

static void otlp_put_type(struct otlp_part *w, uint32_t field, const char *type,
			  const char *unit)
{
	if (type) {
		protobuf_uint(&w->inner, TYPE_NAME,
			      otlp_word(w->request, type));
		protobuf_uint(&w->inner, TYPE_UNIT,
			      otlp_word(w->request, unit));
	}
	protobuf_message(&w->profile_bytes, field, &w->inner);
}

static void otlp_put_fixed64(struct text *out, uint32_t field, uint64_t value)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	text_varint(out, (uint64_t)field << 3 | PROTOBUF_FIXED64);
	text_add(out, bytes, sizeof(bytes));
}

static void otlp_put_sample(struct otlp_part *w, const struct row *r,
			    uint64_t value)
{
	uint32_t set = (uint32_t)r->minor;

	protobuf_uint(&w->message, SAMPLE_STACK, r->major);
	if (set)
		protobuf_bytes(&w->message, SAMPLE_ATTRIBUTES,
			       intern_text(&w->set_ids, set),
			       intern_len(&w->set_ids, set));
	/* Values are signed. */
	text_varint(&w->packed, value < INT64_MAX ? value : INT64_MAX);
	protobuf_message(&w->message, SAMPLE_VALUES, &w->packed);
	protobuf_message(&w->profile_bytes, PROFILE_SAMPLES, &w->message);
}

/* Adds up the cells that differ in neither stack trace nor attributes. */
static void otlp_put_samples(struct otlp_part *w, const bool *wanted,
			     bool weighs)
{
	const struct profile *p = w->profile;
	uint64_t value = 0;
	size_t count = 0;

	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (wanted[c->event])
			w->rows[count++] = (struct row){ otlp_set(w, c),
							 otlp_stack(w, c),
							 (uint32_t)i };
	}
	row_sort(w->rows, count);
	for (size_t i = 0; i < count; i++) {
		const struct row *r = &w->rows[i];

		value = saturate_add(value,
				     cell_measure(&p->cells[r->item], weighs));
		if (i + 1 < count && r[1].major == r->major &&
		    r[1].minor == r->minor)
			continue;
		otlp_put_sample(w, r, value);
		value = 0;
	}
}

static void otlp_put_profile(struct otlp_part *w, const struct event_view *view)
{
	const struct profile *p = w->profile;
	bool *wanted = view_events(p, view);
	struct text name = { 0 };
	struct otlp_types types;

	safe_text_puts(&name, view->name);
	types = otlp_types_of(w, view, name.bytes);
	otlp_put_type(w, PROFILE_SAMPLE_TYPE, types.type, types.unit);
	otlp_put_samples(w, wanted, types.weighs);
	if (p->bucket_ns && p->earliest_ns > 0 &&
	    p->latest_ns >= p->earliest_ns) {
		otlp_put_fixed64(&w->profile_bytes, PROFILE_TIME,
				 (uint64_t)p->earliest_ns);
		protobuf_uint(&w->profile_bytes, PROFILE_DURATION,
			      (uint64_t)(p->latest_ns - p->earliest_ns));
	}
	otlp_put_type(w, PROFILE_PERIOD_TYPE, types.period_type,
		      types.period_unit);
	protobuf_uint(&w->profile_bytes, PROFILE_PERIOD, types.period);
	protobuf_message(&w->scopes, SCOPES_PROFILES, &w->profile_bytes);
	text_release(&name);
	free(wanted);
}

/* ---- resources and requests ---- */

struct otlp_request *otlp_request_new(void)
{
	return xcalloc(1, sizeof(struct otlp_request));
}

void otlp_request_free(struct otlp_request *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < OTLP_TABLES; i++)
		intern_release(&r->tables[i]);
	text_release(&r->resources);
	free(r);
}

size_t otlp_request_bytes(const struct otlp_request *r)
{
	return r->resources.len ? r->resources.len + r->table_bytes : 0;
}

static void otlp_put_resource(struct otlp_part *w)
{
	const struct text *resource = w->options->resource;
	struct otlp_request *r = w->request;
	struct text both = { 0 };

	protobuf_bytes(&both, RESOURCES_RESOURCE,
		       resource && resource->len ? resource->bytes : "",
		       resource ? resource->len : 0);
	if (w->scopes.len)
		protobuf_message(&both, RESOURCES_SCOPES, &w->scopes);
	protobuf_message(&r->resources, REQUEST_RESOURCES, &both);
	text_release(&both);
}

static void otlp_put_scope(struct otlp_part *w)
{
	protobuf_bytes(&w->message, SCOPE_NAME, "sjkc", 4);
	protobuf_bytes(&w->message, SCOPE_VERSION, SJKC_VERSION,
		       strlen(SJKC_VERSION));
	protobuf_message(&w->scopes, SCOPES_SCOPE, &w->message);
}

static void otlp_part_release(struct otlp_part *w)
{
	intern_release(&w->set_ids);
	text_release(&w->scopes);
	text_release(&w->profile_bytes);
	text_release(&w->message);
	text_release(&w->inner);
	text_release(&w->packed);
	text_release(&w->name);
	free(w->locations);
	free(w->stacks);
	free(w->sets);
	free(w->rows);
}

struct otlp_result otlp_request_add(struct otlp_request *r,
				    const struct profile *p,
				    const struct event_view *views,
				    size_t view_count,
				    const struct otlp_options *options)
{
	struct otlp_part w = {
		.request = r,
		.profile = p,
		.options = options,
		.locations = xcalloc(p->frame_count + 1, sizeof(uint32_t)),
		.stacks = array_new(p->stack_count + 1, sizeof(uint32_t)),
		.sets = xcalloc((p->thread_count + 1) * THREAD_STATES,
				sizeof(uint32_t)),
		.rows = xmalloc((p->cell_count + 1) * sizeof(struct row)),
	};
	uint32_t *view_of = views_of_events(p, views, view_count);
	struct otlp_result result = { 0 };

	otlp_fit(&w, view_of);
	if (view_count)
		otlp_put_scope(&w);
	for (size_t i = 0; i < view_count; i++)
		otlp_put_profile(&w, &views[i]);
	otlp_put_resource(&w);
	if (w.cut)
		result = (struct otlp_result){ w.depth, w.cut };
	free(view_of);
	otlp_part_release(&w);
	return result;
}

void otlp_request_end(struct otlp_request *r, struct text *out)
{
	struct text tables = { 0 };

	for (uint32_t table = 1; table < OTLP_TABLES; table++) {
		const struct intern *t = &r->tables[table];

		for (uint32_t id = 0; id <= t->count; id++)
			protobuf_bytes(&tables, table, intern_text(t, id),
				       intern_len(t, id));
		intern_release(&r->tables[table]);
	}
	text_add(out, r->resources.bytes, r->resources.len);
	protobuf_message(out, REQUEST_DICTIONARY, &tables);
	text_release(&tables);
	text_clear(&r->resources);
	r->table_bytes = 0;
}

struct otlp_result otlp_write(struct output *out, const struct profile *p,
			      const struct event_view *views, size_t view_count,
			      const struct otlp_options *options)
{
	struct otlp_request *r = otlp_request_new();
	struct otlp_result result;
	struct text bytes = { 0 };

	result = otlp_request_add(r, p, views, view_count, options);
	otlp_request_end(r, &bytes);
	output_write(out, bytes.bytes, bytes.len);
	text_release(&bytes);
	otlp_request_free(r);
	return result;
}
