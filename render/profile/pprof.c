/* SPDX-License-Identifier: Apache-2.0 */
/* Writes profiles in the protocol buffer format of pprof. */
#include "render/profile/export.h"

#include "core/base/alloc.h"
#include "core/base/intern.h"
#include "core/base/protobuf.h"
#include "core/base/safe_text.h"
#include "core/base/saturate.h"
#include "core/base/version.h"
#include "core/base/zip.h"
#include "core/formats/pprof_fields.h"
#include "core/profile/event_view.h"
#include "render/profile/thread_ranks.h"
#include "render/tree/sort.h"
#include "render/tree/trace_tree.h"

#include <stdlib.h>
#include <string.h>

#define FLUSH_AT    ((size_t)64 << 10)

#define THE_MAPPING 1

/* Indexes of a view's values in each sample. */
struct view_values {
	uint32_t samples; /* or NO_VALUE if the weight counts samples */
	uint32_t weight;
};

#define NO_VALUE UINT32_MAX

struct pprof {
	const struct profile *profile;
	const struct event_view *views;
	size_t view_count, selected;
	const struct pprof_options *options;
	uint32_t *view_of;          /* by event: 1 + view, or 0 */
	struct view_values *values; /* by view */
	size_t value_count;
	struct trace_tree traces;
	struct thread_ranks threads;
	struct pprof_result result;

	uint32_t
		*thread_of; /* by thread: the first of the same name; or NULL */
	struct row *rows;   /* one per cell, sorted by sample */
	size_t row_count;
	struct text labels; /* encoded labels of all threads, then states */
	size_t *label_ends; /* end of each in labels */

	/* Ids are indexes of the string table, where 0 must be "", too. */
	struct intern strings;
	struct gzip zip;
	bool is_zipped;
	struct text out; /* buffer of bytes to compress, or all bytes */
	struct text message, inner, packed;
};

static uint32_t pprof_string_id(struct pprof *w, const char *text)
{
	return intern_id(&w->strings, text, strlen(text));
}

/* Compresses the buffer if it has at least `at` bytes. */
static void pprof_flush(struct pprof *w, size_t at)
{
	if (!w->is_zipped || w->out.len < at)
		return;
	gzip_write(&w->zip, w->out.bytes, w->out.len);
	text_clear(&w->out);
}

static void pprof_put_message(struct pprof *w, uint32_t field)
{
	protobuf_message(&w->out, field, &w->message);
	pprof_flush(w, FLUSH_AT);
}

/*
 * The names by which backends recognize an event. Pyroscope's name of a profile
 * follows from its types: "cpu" anywhere in a type is process_cpu, so off-CPU
 * time must not have it; "wall", "alloc_" and "block_" are names, too, and
 * "contentions" is mutex.
 */
struct pprof_names {
	enum pprof_backend backend;
	const char *event, *samples, *weight;
	const char *period_type, *period_unit;
	const char *family; /* as Parca's pages know it */
};

static const struct pprof_names *pprof_names_of(const struct pprof *w,
						const struct event_view *view)
{
	static const struct pprof_names all[] = {
		/* clang-format off */
		{ PPROF_PYROSCOPE, "cpu", "cpu_samples", "cpu",
		  "cpu", "nanoseconds", NULL },
		{ PPROF_PYROSCOPE, "offcpu", "block_samples", "block",
		  "block", "count", NULL },
		{ PPROF_PYROSCOPE, "wall", "wall_samples", "wall",
		  "wall", "nanoseconds", NULL },
		{ PPROF_PYROSCOPE, "alloc", "alloc_objects", "alloc_space",
		  "space", "bytes", NULL },
		{ PPROF_PYROSCOPE, "nativemem", "inuse_objects", "inuse_space",
		  "space", "bytes", NULL },
		{ PPROF_PYROSCOPE, "lock", "contentions", "delay",
		  "mutex", "count", NULL },
		{ PPROF_PYROSCOPE, "gc", "gc_pauses", "gc",
		  "gc", "count", NULL },
		{ PPROF_PARCA, "gc", "gc_pauses", "gc",
		  "gc", "count", "gc" },
		{ PPROF_PARCA, "cpu", "samples", "cpu",
		  "cpu", "nanoseconds", "process_cpu" },
		{ PPROF_PARCA, "offcpu", "off_cpu_samples", "off_cpu",
		  "off_cpu", "nanoseconds", "off_cpu" },
		{ PPROF_PARCA, "wall", "wall_samples", "wall",
		  "wall", "nanoseconds", "wall" },
		{ PPROF_PARCA, "alloc", "alloc_objects", "alloc_space",
		  "space", "bytes", "memory" },
		{ PPROF_PARCA, "nativemem", "inuse_objects", "inuse_space",
		  "space", "bytes", "memory" },
		{ PPROF_PARCA, "lock", "contentions", "delay",
		  "contentions", "count", "mutex" },
		/* clang-format on */
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (all[i].backend == w->options->backend &&
		    strcmp(all[i].event, view->name) == 0)
			return &all[i];
	return NULL;
}

static const char *pprof_unit(enum unit unit)
{
	static const char *const units[] = {
		[UNIT_SAMPLES] = "count",
		[UNIT_NS] = "nanoseconds",
		[UNIT_BYTES] = "bytes",
		[UNIT_COUNT] = "count",
	};

	return units[unit];
}

/* Writes a value type: a name and its unit. */
static void pprof_put_value_type(struct pprof *w, uint32_t field, uint32_t type,
				 const char *unit)
{
	protobuf_uint(&w->message, VALUE_TYPE, type);
	protobuf_uint(&w->message, VALUE_UNIT, pprof_string_id(w, unit));
	pprof_put_message(w, field);
}

/* Returns the string id of a view's name, with "_samples" if `counts`. */
static uint32_t pprof_type_name(struct pprof *w, const struct event_view *view,
				bool counts)
{
	const struct pprof_names *names = pprof_names_of(w, view);
	struct text name = { 0 };
	uint32_t id;

	if (names)
		return pprof_string_id(w,
				       counts ? names->samples : names->weight);
	safe_text_puts(&name, view->name);
	if (counts)
		text_puts(&name, "_samples");
	id = intern_id(&w->strings, name.bytes, name.len);
	text_release(&name);
	return id;
}

/* Writes the value types of a view, its weight last or first. */
static void pprof_put_view(struct pprof *w, size_t index, bool weight_last)
{
	const struct event_view *view = &w->views[index];
	struct view_values *v = &w->values[index];
	bool counts = view->unit != UNIT_SAMPLES;

	*v = (struct view_values){ NO_VALUE, NO_VALUE };
	for (int i = 0; i < 2; i++) {
		bool is_weight = (i == 1) == weight_last;

		if (is_weight) {
			v->weight = (uint32_t)w->value_count++;
			pprof_put_value_type(w, PROFILE_SAMPLE_TYPE,
					     pprof_type_name(w, view, false),
					     pprof_unit(view->unit));
		} else if (counts) {
			v->samples = (uint32_t)w->value_count++;
			pprof_put_value_type(w, PROFILE_SAMPLE_TYPE,
					     pprof_type_name(w, view, true),
					     pprof_unit(UNIT_SAMPLES));
		}
	}
}

/* Backends select profiles by their type of period, too. */
static void pprof_put_period(struct pprof *w, const struct event_view *front)
{
	const struct pprof_names *names = pprof_names_of(w, front);
	uint64_t period = w->options->period;

	w->result.family = names && names->family ? names->family : front->name;
	if (names) {
		pprof_put_value_type(w, PROFILE_PERIOD_TYPE,
				     pprof_string_id(w, names->period_type),
				     names->period_unit);
		protobuf_uint(&w->out, PROFILE_PERIOD, period ? period : 1);
	} else if (period) {
		pprof_put_value_type(w, PROFILE_PERIOD_TYPE,
				     pprof_type_name(w, front, false),
				     pprof_unit(front->unit == UNIT_BYTES
							? UNIT_BYTES
							: UNIT_NS));
		protobuf_uint(&w->out, PROFILE_PERIOD, period);
	}
}

static void pprof_put_views(struct pprof *w)
{
	const struct event_view *front = &w->views[w->selected];
	bool weights = w->options->style.weights || front->unit == UNIT_SAMPLES;

	w->values = xcalloc(w->view_count, sizeof(*w->values));
	for (size_t i = 0; i < w->view_count; i++) {
		if (i != w->selected)
			pprof_put_view(w, i, true);
	}
	pprof_put_view(w, w->selected, weights);
	protobuf_uint(&w->out, PROFILE_DEFAULT_SAMPLE_TYPE,
		      pprof_type_name(w, front, !weights));
	pprof_put_period(w, front);
}

static void pprof_put_times(struct pprof *w)
{
	const struct profile *p = w->profile;

	if (!p->bucket_ns)
		return;
	protobuf_uint(&w->out, PROFILE_TIME_NANOS, (uint64_t)p->earliest_ns);
	protobuf_uint(&w->out, PROFILE_DURATION_NANOS,
		      (uint64_t)p->latest_ns - (uint64_t)p->earliest_ns);
}

static void pprof_put_comments(struct pprof *w)
{
	struct text title = { 0 };

	safe_text_puts(&title, w->options->title);
	text_varint(&w->packed, intern_id(&w->strings, title.bytes, title.len));
	text_varint(&w->packed, pprof_string_id(w, "sjkc " SJKC_VERSION));
	protobuf_message(&w->out, PROFILE_COMMENT, &w->packed);
	text_release(&title);
}

/* Marked as symbolized, so that pprof does not look for symbol files. */
static void pprof_put_mapping(struct pprof *w)
{
	protobuf_uint(&w->message, MAPPING_ID, THE_MAPPING);
	protobuf_uint(&w->message, MAPPING_HAS_FUNCTIONS, 1);
	protobuf_uint(&w->message, MAPPING_HAS_LINES, w->options->style.lines);
	pprof_put_message(w, PROFILE_MAPPING);
}

/* Writes no system_name: pprof would demangle a name that equals it. */
static void pprof_put_function(struct pprof *w, uint64_t id, const char *name,
			       size_t len)
{
	protobuf_uint(&w->message, FUNCTION_ID, id);
	protobuf_uint(&w->message, FUNCTION_NAME,
		      intern_id(&w->strings, name, len));
	pprof_put_message(w, PROFILE_FUNCTION);
}

static void pprof_put_location(struct pprof *w, uint64_t id, uint64_t function,
			       uint32_t line)
{
	protobuf_uint(&w->inner, LINE_FUNCTION_ID, function);
	protobuf_uint(&w->inner, LINE_LINE, line);
	protobuf_uint(&w->message, LOCATION_ID, id);
	protobuf_uint(&w->message, LOCATION_MAPPING_ID, THE_MAPPING);
	protobuf_message(&w->message, LOCATION_LINE, &w->inner);
	pprof_put_message(w, PROFILE_LOCATION);
}

/* Location ids: 1 + label; then "[no stack trace]"; then the threads. */
static uint64_t pprof_location_without_stack(const struct pprof *w)
{
	return w->traces.table.label_count + 1;
}

static uint64_t pprof_location_of_thread(const struct pprof *w, uint32_t thread)
{
	return pprof_location_without_stack(w) + 1 + w->threads.rank_of[thread];
}

static void pprof_put_locations(struct pprof *w)
{
	const struct frame_table *t = &w->traces.table;
	uint64_t function = 0, location = 0;

	for (size_t i = 0; i < t->name_count; i++)
		pprof_put_function(w, ++function, t->names[i].text,
				   t->names[i].len);
	for (size_t i = 0; i < t->label_count; i++)
		pprof_put_location(
			w, ++location, t->labels[i].name + (uint64_t)1,
			w->options->style.lines ? t->labels[i].line : 0);
	pprof_put_function(w, ++function, "[no stack trace]", 16);
	pprof_put_location(w, ++location, function, 0);
	for (size_t i = 0; i < w->threads.count; i++) {
		const struct name *n = &w->threads.names[i];

		pprof_put_function(w, ++function, n->text, n->len);
		pprof_put_location(w, ++location, function, 0);
	}
}

static void pprof_add_label(struct pprof *w, const char *key, const char *bytes,
			    size_t len)
{
	if (!len)
		return;
	protobuf_uint(&w->inner, LABEL_KEY, pprof_string_id(w, key));
	protobuf_uint(&w->inner, LABEL_STR, intern_id(&w->strings, bytes, len));
	protobuf_message(&w->labels, SAMPLE_LABEL, &w->inner);
}

static void pprof_add_number_label(struct pprof *w, const char *key,
				   int64_t number)
{
	if (!number)
		return;
	protobuf_uint(&w->inner, LABEL_KEY, pprof_string_id(w, key));
	protobuf_uint(&w->inner, LABEL_NUM, (uint64_t)number);
	protobuf_message(&w->labels, SAMPLE_LABEL, &w->inner);
}

/* Returns flags of the threads, then the states, that have samples. */
static bool *pprof_used_labels(const struct pprof *w)
{
	const struct profile *p = w->profile;
	bool *used = xcalloc(p->thread_count + THREAD_STATES, sizeof(*used));

	for (size_t i = 0; i < w->row_count; i++) {
		uint64_t minor = w->rows[i].minor;

		used[minor >> 8] = true;
		used[p->thread_count + (minor & 0xff)] = true;
	}
	return used;
}

static void pprof_add_thread_labels(struct pprof *w, const struct thread *t)
{
	const struct profile *p = w->profile;
	struct text name = { 0 };

	safe_text(&name, profile_text(p, t->name),
		  intern_len(&p->strings, t->name));
	if (w->options->threads == THREADS_FOLDED) {
		otlp_fold_name(&name);
		pprof_add_label(w, "thread_name", name.bytes, name.len);
	} else {
		pprof_add_label(w, "thread", name.bytes, name.len);
		pprof_add_number_label(w, "thread_id", t->os_id);
		pprof_add_number_label(w, "java_thread_id", t->java_id);
	}
	text_release(&name);
}

/* Finds the first thread of each folded name. */
static void pprof_fold_threads(struct pprof *w)
{
	const struct profile *p = w->profile;
	struct intern names = { 0 };
	uint32_t *first = xcalloc(p->thread_count + 1, sizeof(*first));
	bool is_omitted = w->options->threads == THREADS_OMITTED;
	size_t count = is_omitted ? 0 : p->thread_count;
	struct text name = { 0 };

	w->thread_of = xcalloc(p->thread_count + 1, sizeof(*w->thread_of));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t text = p->threads[i].name, id;

		text_clear(&name);
		safe_text(&name, profile_text(p, text),
			  intern_len(&p->strings, text));
		otlp_fold_name(&name);
		id = intern_id(&names, name.bytes, name.len);
		/* Thread 0 is none; an empty name is the same. */
		if (id && !first[id])
			first[id] = i;
		w->thread_of[i] = id ? first[id] : 0;
	}
	intern_release(&names);
	text_release(&name);
	free(first);
}

/* Encodes the labels of each thread and each state once. */
static void pprof_make_labels(struct pprof *w)
{
	const struct profile *p = w->profile;
	bool *used = pprof_used_labels(w);
	size_t n = 0;

	w->label_ends = xmalloc((p->thread_count + THREAD_STATES) *
				sizeof(*w->label_ends));
	for (size_t i = 0; i < p->thread_count; i++) {
		if (used[n])
			pprof_add_thread_labels(w, &p->threads[i]);
		w->label_ends[n++] = w->labels.len;
	}
	for (size_t i = 0; i < THREAD_STATES; i++) {
		const char *state = thread_state_names[i];

		if (used[n] && i != STATE_NONE)
			pprof_add_label(w, "thread_state", state,
					strlen(state));
		w->label_ends[n++] = w->labels.len;
	}
	free(used);
}

static void pprof_put_labels(struct pprof *w, size_t index)
{
	size_t start = index ? w->label_ends[index - 1] : 0;
	size_t len = w->label_ends[index] - start;

	if (len)
		text_add(&w->message, w->labels.bytes + start, len);
}

/* Makes a row per cell, sorted by stack trace, thread and state. */
static void pprof_sort_rows(struct pprof *w)
{
	const struct profile *p = w->profile;

	w->row_count = 0;
	for (size_t i = 0; i < p->cell_count; i++) {
		const struct cell *c = &p->cells[i];

		if (!w->view_of[c->event])
			continue;
		w->rows[w->row_count++] = (struct row){
			.major = trace_tree_place(&w->traces, c->stack),
			.minor = (uint64_t)(w->thread_of
						    ? w->thread_of[c->thread]
						    : c->thread)
					 << 8 |
				 c->state,
			.item = (uint32_t)i,
		};
	}
	row_sort(w->rows, w->row_count);
}

static bool pprof_ends_sample(const struct pprof *w, size_t i)
{
	const struct row *r = &w->rows[i];

	return i + 1 == w->row_count || r[1].major != r->major ||
	       r[1].minor != r->minor;
}

/* Truncates stack traces if the samples have too many frames. */
static void pprof_fit(struct pprof *w)
{
	uint64_t most = w->options->most_frames ? w->options->most_frames
						: PPROF_FRAMES;
	size_t deepest = trace_tree_deepest(&w->traces);
	uint64_t *traces_at = xcalloc(deepest + 1, sizeof(*traces_at));
	uint64_t frames = 0;

	for (size_t i = 0; i < w->row_count; i++) {
		size_t depth;

		if (!pprof_ends_sample(w, i))
			continue;
		depth = trace_tree_depth(&w->traces, w->rows[i].major);
		traces_at[depth]++;
		frames += depth;
	}
	if (frames > most) {
		w->result.depth = depth_limit(traces_at, deepest, most);
		trace_tree_cut(&w->traces, w->result.depth);
		pprof_sort_rows(w);
	}
	free(traces_at);
}

/* Writes the locations of a sample, leaf first. */
static void pprof_put_location_ids(struct pprof *w, uint32_t place,
				   uint32_t thread)
{
	const struct tree_node *nodes = w->traces.tree.nodes;
	size_t left = w->options->leaf_frames ? w->options->leaf_frames
					      : SIZE_MAX;

	if (!place)
		text_varint(&w->packed, pprof_location_without_stack(w));
	for (; place && left--; place = nodes[place - 1].caller)
		text_varint(&w->packed, nodes[place - 1].label + (uint64_t)1);
	if (w->options->style.threads)
		text_varint(&w->packed, pprof_location_of_thread(w, thread));
	protobuf_message(&w->message, SAMPLE_LOCATION_ID, &w->packed);
}

/* Writes the values of a sample, which are signed in pprof; resets them. */
static void pprof_put_values(struct pprof *w, uint64_t *values)
{
	for (size_t i = 0; i < w->value_count; i++) {
		text_varint(&w->packed,
			    values[i] < INT64_MAX ? values[i] : INT64_MAX);
		values[i] = 0;
	}
	protobuf_message(&w->message, SAMPLE_VALUE, &w->packed);
}

static void pprof_add_cell(const struct pprof *w, const struct cell *c,
			   uint64_t *values)
{
	const struct view_values *v = &w->values[w->view_of[c->event] - 1];

	values[v->weight] = saturate_add(values[v->weight], c->weight);
	if (v->samples != NO_VALUE)
		values[v->samples] = saturate_add(values[v->samples], c->count);
}

static void pprof_put_samples(struct pprof *w)
{
	const struct cell *cells = w->profile->cells;
	uint64_t *values = xcalloc(w->value_count, sizeof(*values));

	for (size_t i = 0; i < w->row_count; i++) {
		const struct row *r = &w->rows[i];
		uint32_t thread = (uint32_t)(r->minor >> 8);

		if (i + AHEAD < w->row_count)
			__builtin_prefetch(&cells[r[AHEAD].item]);
		pprof_add_cell(w, &cells[r->item], values);
		if (w->options->leaf_frames &&
		    trace_tree_depth(&w->traces, r->major) >
			    w->options->leaf_frames)
			w->result.cut = saturate_add(w->result.cut,
						     cells[r->item].count);
		if (!pprof_ends_sample(w, i))
			continue;
		pprof_put_location_ids(w, r->major, thread);
		pprof_put_values(w, values);
		pprof_put_labels(w, thread);
		pprof_put_labels(w,
				 w->profile->thread_count + (r->minor & 0xff));
		pprof_put_message(w, PROFILE_SAMPLE);
	}
	free(values);
}

static void pprof_put_strings(struct pprof *w)
{
	for (uint32_t id = 0; id <= w->strings.count; id++) {
		protobuf_bytes(&w->out, PROFILE_STRING_TABLE,
			       intern_text(&w->strings, id),
			       intern_len(&w->strings, id));
		pprof_flush(w, FLUSH_AT);
	}
}

static void pprof_put_all(struct pprof *w)
{
	pprof_put_views(w);
	pprof_put_times(w);
	pprof_put_comments(w);
	pprof_put_mapping(w);
	pprof_put_locations(w);
	pprof_make_labels(w);
	pprof_put_samples(w);
	pprof_put_strings(w);
	pprof_flush(w, 0);
}

static void pprof_release(struct pprof *w)
{
	trace_tree_release(&w->traces);
	thread_ranks_release(&w->threads);
	intern_release(&w->strings);
	text_release(&w->labels);
	text_release(&w->out);
	text_release(&w->message);
	text_release(&w->inner);
	text_release(&w->packed);
	free(w->view_of);
	free(w->values);
	free(w->rows);
	free(w->label_ends);
	free(w->thread_of);
}

static void pprof_init(struct pprof *w)
{
	const struct pprof_options *options = w->options;

	w->view_of = views_of_events(w->profile, w->views, w->view_count);
	trace_tree_of_views(&w->traces, w->profile, w->views, w->view_count,
			    &options->style);
	if (options->style.threads)
		thread_ranks_init(&w->threads, w->profile, NULL);
	if (options->threads != THREADS_EXACT)
		pprof_fold_threads(w);
	w->rows = xmalloc((w->profile->cell_count + 1) * sizeof(*w->rows));
	pprof_sort_rows(w);
	pprof_fit(w);
}

struct pprof_result pprof_write(struct output *out, const struct profile *p,
				const struct event_view *views,
				size_t view_count, size_t selected,
				const struct pprof_options *options)
{
	struct pprof w = {
		.profile = p,
		.views = views,
		.view_count = view_count,
		.selected = selected,
		.options = options,
		.is_zipped = true,
	};

	pprof_init(&w);
	gzip_open(&w.zip, out);
	pprof_put_all(&w);
	gzip_close(&w.zip);
	pprof_release(&w);
	return w.result;
}

struct pprof_result pprof_encode(struct text *out, const struct profile *p,
				 const struct event_view *views,
				 size_t view_count, size_t selected,
				 const struct pprof_options *options)
{
	struct pprof w = {
		.profile = p,
		.views = views,
		.view_count = view_count,
		.selected = selected,
		.options = options,
	};

	pprof_init(&w);
	pprof_put_all(&w);
	text_add(out, w.out.bytes, w.out.len);
	pprof_release(&w);
	return w.result;
}
